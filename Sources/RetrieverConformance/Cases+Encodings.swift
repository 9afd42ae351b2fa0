import Foundation
import TestSupport

extension ConformanceSuite {
  static let encodings: [ConformanceCase] =
    encoded("gzip", "gzip", "A gzip body is decoded.", CompressedFixture.gzip) {
      try expectResponse($0, text: CompressedFixture.text)
    }
    + encoded(
      "gzip-chunked", "gzip", "A chunked gzip body is decoded.", CompressedFixture.gzip, framing: .chunked(7)
    ) {
      try expectResponse($0, text: CompressedFixture.text)
    }
    + encoded(
      "gzip-cut", "gzip", "A truncated gzip body is an error.", CompressedFixture.gzip.dropLast(200)
    ) {
      try expectUndecodable($0)
    }
    + encoded(
      "gzip-cut-in-trailer", "gzip", "A gzip body without its checksum is an error.",
      CompressedFixture.gzip.dropLast(8)
    ) {
      try expectUndecodable($0)
    }
    + encoded("gzip-corrupt", "gzip", "A corrupt gzip body is an error.", CompressedFixture.corruptGzip) {
      try expectUndecodable($0)
    }
    + encoded(
      "gzip-no-gzip", "gzip", "A body that is labelled gzip but is not is an error.", Data("plain text".utf8)
    ) {
      try expectUndecodable($0)
    }
    + encoded("gzip-empty", "gzip", "An empty body labelled gzip is empty or an error.", Data()) { outcome in
      try expectFailure(outcome, .cannotDecodeContentData, .cannotDecodeRawData, or: "no bytes") {
        $0.body.isEmpty
      }
    }
    + encoded("brotli", "br", "A Brotli body is decoded if it was requested.", CompressedFixture.brotli) {
      try expectResponse($0, text: CompressedFixture.text)
    }
    + encoded(
      "brotli-cut", "br", "A truncated Brotli body is an error.", CompressedFixture.brotli.dropLast(12)
    ) {
      try expectUndecodable($0)
    }
    + encoded("brotli-corrupt", "br", "A corrupt Brotli body is an error.", Data(repeating: 0xff, count: 60))
  {
    try expectUndecodable($0)
  }
    + encoded(
      "zstandard", "zstd", "A Zstandard body is decoded if it was requested.", CompressedFixture.zstandard
    ) {
      try expectResponse($0, text: CompressedFixture.text)
    }
    + encoded(
      "zstandard-cut", "zstd", "A truncated Zstandard body is an error.",
      CompressedFixture.zstandard.dropLast(12)
    ) {
      try expectUndecodable($0)
    }
    + encoded(
      "zstandard-corrupt", "zstd", "A corrupt Zstandard body is an error.", Data(repeating: 0xff, count: 60)
    ) {
      try expectUndecodable($0)
    }
    + [
      ConformanceCase(
        .encodings, "unknown-coding", "A body in an unknown coding is returned unchanged, or is an error."
      ) { context in
        let (origin, _) = try context.serveHTTP { _ in
          Reply(headers: [("Content-Encoding", "rot13")], text: "uryyb")
        }
        let outcome = try await context.perform(ExchangeRequest(.data, origin))
        try expectFailure(outcome, .cannotDecodeContentData, .cannotDecodeRawData, or: "the raw bytes") {
          $0.text == "uryyb"
        }
      },
      ConformanceCase(
        .encodings, "bomb-streamed", "A decompression bomb is read using little memory and can be abandoned."
      ) { context in
        let bomb = CompressedFixture.gzipBomb(size: 512 << 20)
        let (origin, _) = try context.serveHTTP { _ in
          Reply(headers: [("Content-Encoding", "gzip")], body: bomb)
        }
        var request = ExchangeRequest(.bytes, origin)
        request.elementLimit = 1_000_000
        let before = ResourceSnapshot.residentBytes()
        let outcome = try await context.perform(request)
        let growth = ResourceSnapshot.residentBytes() - before
        try expectResponse(outcome)
        try expect(outcome.body.count == 1_000_000, "\(outcome.body.count) bytes arrived.")
        try expect(growth < 96 << 20, "Resident memory grew by \(growth >> 20) MiB.")
      },
    ]

  /// Returns a case with a server that uses a coding if the request accepts it.
  private static func encoded(
    _ id: String, _ coding: String, _ title: String, _ body: Data, framing: Reply.Framing = .contentLength,
    judge: @escaping @Sendable (ExchangeOutcome) throws -> Void
  ) -> [ConformanceCase] {
    each(over: [.http, .https], .encodings, id, title) { context in
      let (origin, server) = try context.serveHTTP { _ in
        Reply(
          headers: [("Content-Encoding", coding), ("Content-Type", "text/plain")], body: body,
          framing: framing)
      }
      let outcome = try await context.perform(ExchangeRequest(.data, origin))
      if let request = server.requests.first, request["Accept-Encoding"]?.contains(coding) != true {
        throw NotOffered("the content coding \(coding)")
      }
      try judge(outcome)
    }
  }

  private static func expectUndecodable(_ outcome: ExchangeOutcome) throws {
    try expectFailure(outcome, .cannotDecodeContentData, .cannotDecodeRawData, .networkConnectionLost)
  }
}
