import TestSupport
import Testing

@testable import TransferEngine

@Suite struct ContentDecoderCodingsTests {
  @Test(
    arguments: [
      ("gzip", [.gzip]), ("x-gzip", [.gzip]), ("GZip", [.gzip]), ("deflate", [.deflate]), ("br", [.brotli]),
      ("zstd", [.zstandard]), ("  br\t", [.brotli]), ("gzip, br", [.gzip, .brotli]),
      ("gzip,,br,", [.gzip, .brotli]), ("identity", []), ("identity, Gzip", [.gzip]), ("", []), (",", []),
      ("rot13", []), ("gzip, rot13", []), ("rot13, gzip", []), ("gzi p;q=1", []), ("gzip;q=1", []),
      ("b\u{fc}", []),
    ] as [(String, [ContentCoding])])
  func aFieldValueIsRead(value: String, expected: [ContentCoding]) {
    #expect(ContentCoding.list(value) == expected)
  }

  @Test func `a request asks for every coding by default`() {
    #expect(ContentCoding.defaultAcceptEncoding == "gzip, deflate, br, zstd")
  }

  @Test func `several codings are decoded in reverse order`() throws {
    let forms: [Encoded.Form] = [.zlib, .brotli, .gzip]
    let body = try forms.reduce(Encoded.longBody) { try Encoded.encode($0, $1) }
    for size in [1, 700, body.count] {
      let run = DecodingRun(forms.map(\.coding)).feed(body.pieces(of: size))
      #expect(run.failure == nil)
      #expect(difference(run.output, Encoded.longBody) == nil)
      #expect(run.longestPiece <= 64 << 10)
    }
  }

  @Test func `a truncation in any of several codings is an error`() throws {
    let compressed = try Encoded.encode(Encoded.shortText, .zstandard)
    let truncatedInside = try Encoded.encode(Array(compressed.dropLast(3)), .gzip)
    #expect(DecodingRun([.zstandard, .gzip]).feed([truncatedInside]).failure == .truncated(.zstandard))
    let twice = try Encoded.encode(compressed, .gzip)
    #expect(DecodingRun([.zstandard, .gzip]).feed([Array(twice.dropLast())]).failure == .truncated(.gzip))
    #expect(DecodingRun([.zstandard, .gzip]).feed([twice]).failure == nil)
  }

  @Test func `at most three codings are decoded`() throws {
    var body = Encoded.shortText
    for count in 1...4 {
      body = try Encoded.encode(body, .gzip)
      let run = DecodingRun(Array(repeating: .gzip, count: count)).feed([body])
      #expect(run.failure?.code == (count <= 3 ? nil : .undecodableBody))
      #expect(run.output == (count <= 3 ? Encoded.shortText : []))
    }
    // Without a body, the number of codings does not matter.
    #expect(DecodingRun(Array(repeating: .gzip, count: 4)).feed([]).failure == nil)
  }
}
