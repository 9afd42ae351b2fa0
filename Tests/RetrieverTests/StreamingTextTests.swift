#if !canImport(Darwin)

import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamingTextTests {
  private static let samples = [
    "", "a", "plain text\r\nwith lines\n\r", "Grüße, 世界 — €😀", "e\u{301}e\u{301}\u{302}x", "🇩🇪🇫🇷🇯", "👩‍👩‍👧‍👦👍🏽!",
    "\u{FEFF}mark", "한글 \u{1112}\u{1161}\u{11AB}",
  ]

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `characters and scalars equal those of the complete string`(chunkSize: Int) async throws {
    for text in Self.samples {
      #expect(try await stream(text, chunkSize: chunkSize).characters.collected() == Array(text))
      #expect(
        try await stream(text, chunkSize: chunkSize).unicodeScalars.collected()
          == Array(text.unicodeScalars))
      #expect(try await ForeignBytes(bytes: Array(text.utf8)).characters.collected() == Array(text))
    }
  }

  @Test func `invalid UTF-8 is replaced in the same way as by String`() async throws {
    var generator = SeededRandom(7)
    let alphabet: [UInt8] = [
      0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
      0xF1,
      0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      let expected = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
      #expect(try await ForeignBytes(bytes: bytes).unicodeScalars.collected() == expected, "\(bytes)")
    }
  }

  @Test func `a scalar is returned as soon as its last byte has arrived`() async throws {
    let watched = WatchedChannel()
    var iterator = ChannelBytes(watched.channel).unicodeScalars.makeAsyncIterator()
    for byte in "€".utf8 { watched.channel.append([byte]) }
    #expect(try await iterator.next() == "€")
  }

  @Test func `a very long run of combining marks is split`() async throws {
    let text = "e" + String(repeating: "\u{301}", count: 10_000)
    let characters = try await stream(text).characters.collected()
    #expect(characters.count > 1)
    #expect(characters.allSatisfy { $0.unicodeScalars.count <= 256 })
    #expect(characters.reduce(0) { $0 + $1.unicodeScalars.count } == 10_001)
  }
}

#endif
