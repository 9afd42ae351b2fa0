import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecSniffingTests {
  private func verdict(_ bytes: [UInt8]) -> ImageSniffer.Verdict {
    bytes.withUnsafeBytes { ImageSniffer.format(of: $0) }
  }

  @Test func `each format is detected by its signature`() {
    #expect(verdict([0xFF, 0xD8, 0xFF, 0xE0]) == .format(.jpeg))
    #expect(verdict([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]) == .format(.png))
    #expect(verdict(Array("GIF89a..".utf8)) == .format(.gif))
    #expect(verdict(Array("GIF87a".utf8)) == .format(.gif))
    #expect(verdict(Array("RIFF1234WEBP".utf8)) == .format(.webp))
  }

  @Test func `a partial signature needs more bytes, other bytes are unknown`() {
    #expect(verdict([]) == .needsMoreBytes)
    #expect(verdict([0xFF]) == .needsMoreBytes)
    #expect(verdict(Array("RIFF1234WEB".utf8)) == .needsMoreBytes)
    #expect(verdict(Array("RIFF1234WAVE".utf8)) == .unknown)
    #expect(verdict(Array("GIF88a".utf8)) == .unknown)
    #expect(verdict(Array("<svg".utf8)) == .unknown)
  }

  @Test func `data that is not an image is rejected by its first bytes`() {
    let decoder = makeImageDecoder(consumer: RecordingConsumer(), limits: ImageLimits())
    #expect(throws: ImageError.self) { try feed(Data("RIFF1234AVI ".utf8), cut: .pieces(of: 1), to: decoder) }
    #expect(decode(Data("<html>".utf8)).error?.code == .unknownFormat)
    #expect(decode(Data()).error?.code == .truncated)
    #expect(decode(Data("RIFF".utf8)).error?.code == .truncated)
  }
}
