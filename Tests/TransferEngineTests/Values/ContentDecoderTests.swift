import Foundation
import TestSupport
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct ContentDecoderTests {
  @Test(arguments: Encoded.Form.allCases) func `every coding is decoded`(form: Encoded.Form) throws {

    for body in [[], [7], Encoded.shortText, Encoded.longBody] as [[UInt8]] {
      let run = DecodingRun([form.coding]).feed([try Encoded.encode(body, form)])
      #expect(run.failure == nil)
      #expect(difference(run.output, body) == nil)
      #expect(run.longestPiece <= 64 << 10)
    }
  }

  @Test func `the output of other encoders is decoded`() {
    let bodies: [(ContentCoding, Data)] = [
      (.gzip, CompressedFixture.gzip), (.brotli, CompressedFixture.brotli),
      (.zstandard, CompressedFixture.zstandard),
    ]
    for (coding, body) in bodies {
      let run = DecodingRun([coding]).feed([Array(body)])
      #expect(run.failure == nil)
      #expect(run.output == Encoded.shortText)
    }
  }

  @Test(arguments: Encoded.Form.allCases) func `a body can be split at any byte`(form: Encoded.Form) throws {

    let short = try Encoded.encode(Encoded.shortText, form)
    for cut in 0...short.count {
      let run = DecodingRun([form.coding]).feed([Array(short[..<cut]), Array(short[cut...])])
      #expect(run.failure == nil)
      #expect(run.output == Encoded.shortText)
    }
    let long = try Encoded.encode(Encoded.longBody, form)
    for size in [1, 2, 3, 1000, 16 << 10, long.count] {
      let run = DecodingRun([form.coding]).feed(long.pieces(of: size))
      #expect(run.failure == nil)
      #expect(difference(run.output, Encoded.longBody) == nil)
    }
  }

  @Test(arguments: Encoded.Form.allCases) func `a truncated body is an error`(form: Encoded.Form) throws {

    let encoded = try Encoded.encode(Encoded.shortText, form)
    for length in 1..<encoded.count {
      let run = DecodingRun([form.coding]).feed([Array(encoded[..<length])])
      #expect(run.failure == .truncated(form.coding), "\(length) of \(encoded.count) bytes")
      #expect(Encoded.shortText.starts(with: run.output))
    }
  }

  @Test(arguments: Encoded.Form.allCases)
  func `the bytes before a truncation are delivered`(form: Encoded.Form) throws {
    let encoded = try Encoded.encode(Encoded.longBody, form)
    let run = DecodingRun([form.coding]).feed(Array(encoded.dropLast(8)).pieces(of: 5000))
    #expect(run.failure?.code == .undecodableBody)
    #expect(run.output.count > 100_000)
    #expect(Encoded.longBody.starts(with: run.output))
  }

  @Test func `the error message names the coding`() {
    let run = DecodingRun([.gzip]).feed([Array(CompressedFixture.gzip.dropLast())])
    #expect(run.failure?.message == "The body is incomplete: its gzip stream ends too early.")
  }

  @Test(arguments: ContentCoding.allCases) func anEmptyBodyIsEmpty(coding: ContentCoding) {
    #expect(DecodingRun([coding]).feed([]).failure == nil)
    #expect(DecodingRun([coding]).feed([[]]).failure == nil)
  }

  @Test(arguments: [ContentCoding.gzip, .brotli, .zstandard]) func `a body that is not encoded is an error`(

    coding: ContentCoding
  ) {
    for bytes in [
      [UInt8](repeating: 0xff, count: 60), Array("This is plain text, and that was not agreed.".utf8),
    ] {
      for size in [1, bytes.count] {
        #expect(DecodingRun([coding]).feed(bytes.pieces(of: size)).failure?.code == .undecodableBody)
      }
    }
  }

  /// gzip's checksum detects every change except for those in the header and in the padding between the last bit and
  /// the checksum. All of these must decode without a crash, an endless loop or unlimited output.
  @Test(arguments: Encoded.Form.allCases)
  func `a changed byte never causes a crash or unlimited output`(form: Encoded.Form) throws {
    let encoded = try Encoded.encode(Encoded.shortText, form)
    for index in encoded.indices {
      for change in [0x01, 0x80, 0xff] as [UInt8] {
        var bytes = encoded
        bytes[index] ^= change
        let run = DecodingRun([form.coding]).feed(bytes.pieces(of: 16))
        if form == .gzip, index >= 10, index != encoded.count - 9 { #expect(run.failure != nil) }
        #expect(run.output.count < 1 << 20)
      }
    }
  }

  @Test(arguments: ContentCoding.allCases, 0..<40)
  func `random input never causes a crash`(coding: ContentCoding, seed: UInt64) {
    var random = SeededRandom(seed)
    var bytes: [UInt8] = []
    switch coding {
    case .gzip: bytes = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
    case .deflate: bytes = seed.isMultiple(of: 2) ? [0x78, 0x9c] : []
    case .zstandard: bytes = [0x28, 0xb5, 0x2f, 0xfd]
    case .brotli: break
    }
    for _ in 0..<2000 { bytes.append(UInt8.random(in: 0...255, using: &random)) }
    let run = DecodingRun([coding]).feed(bytes.pieces(of: Int.random(in: 1...300, using: &random)))
    #expect(run.longestPiece <= 64 << 10)
  }

  @Test func gzipMembersAreDecodedOneAfterAnother() throws {
    let one = try Encoded.encode(Encoded.shortText, .gzip)
    let none = try Encoded.encode([], .gzip)
    let body = one + none + one + none
    for size in [1, 2, 7, one.count, one.count + 1, body.count] {
      let run = DecodingRun([.gzip]).feed(body.pieces(of: size))
      #expect(run.failure == nil)
      #expect(run.output == Encoded.shortText + Encoded.shortText)
    }
    #expect(DecodingRun([.gzip]).feed([one + one.dropLast()]).failure == .truncated(.gzip))
    #expect(DecodingRun([.gzip]).feed([one + [0x1f, 0x8b, 0xff, 0xff]]).failure?.code == .undecodableBody)
  }

  @Test func `data after the end is ignored`() throws {
    let padding: [[UInt8]] = [
      [0], [UInt8](repeating: 0, count: 600), [0x1f], [0x1f, 0x1f, 0x8b], Array("\r\n".utf8),
    ]
    for form in Encoded.Form.allCases where form != .zstandard {
      for padding in padding {
        let body = try Encoded.encode(Encoded.shortText, form) + padding
        for size in [1, body.count] {
          let run = DecodingRun([form.coding]).feed(body.pieces(of: size))
          #expect(run.failure == nil)
          #expect(run.output == Encoded.shortText)
        }
      }
    }
  }

  @Test func zstandardFramesAreDecodedOneAfterAnother() throws {
    let one = try Encoded.encode(Encoded.shortText, .zstandard)
    let skippable: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9]
    let body = one + skippable + one
    for size in [1, 3, one.count, body.count] {
      let run = DecodingRun([.zstandard]).feed(body.pieces(of: size))
      #expect(run.failure == nil)
      #expect(run.output == Encoded.shortText + Encoded.shortText)
    }
    #expect(DecodingRun([.zstandard]).feed([one + Array("plain".utf8)]).failure?.code == .undecodableBody)
    #expect(DecodingRun([.zstandard]).feed([one + one.dropLast()]).failure == .truncated(.zstandard))
  }

  @Test func `a Zstandard window larger than 8 MiB is an error`() {
    // The header of a frame and nothing else: with windows of 8 MiB and 16 MiB.
    let fits: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3]
    let tooLong: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 1, 0, 0]
    #expect(DecodingRun([.zstandard]).feed([fits]).failure == .truncated(.zstandard))
    #expect(
      DecodingRun([.zstandard]).feed([tooLong]).failure
        == .corrupt(.zstandard, "Frame requires too much memory for decoding"))
  }

  @Test func `a raw deflate stream of few bytes is decoded completely`() throws {
    // The second byte already contains a complete symbol, which must not be lost before the format is known.
    for body in [[0], [97], [97, 97], [143, 1]] as [[UInt8]] {
      let bytes = try Encoded.encode(body, .rawDeflate)
      #expect(DecodingRun([.deflate]).feed(bytes.pieces(of: 1)).output == body)
      #expect(DecodingRun([.deflate]).feed([bytes]).output == body)
    }
  }

  @Test func `a decompression bomb is decoded in pieces`() {
    var total = 0
    let decoder = BodyDecoder([.gzip])
    let outcome = CompressedFixture.gzipBomb(size: 32 << 20).withUnsafeBytes { bytes in
      decoder.decode(bytes) {
        total += $0.count
        return $0.count > 64 << 10 || total > 16 << 20 ? .stop : .proceed
      }
    }
    #expect(outcome == .stopped)
    #expect(total <= 16 << 20 + 64 << 10)
  }
}
