import Foundation
import TestSupport

extension ConformanceSuite {
  static let completeness: [ConformanceCase] =
    cutByLength + cutChunks + untilClose + transferCodings + headWithBody + cutIterations + cutStreams
    + brokenConnections
    + completeStreams

  /// Fails the case unless a load that was cut short is an error, with any code, soon, both as data and as a
  /// download.
  static func expectCut(_ context: CaseContext, _ origin: String) async throws {
    let session = try context.session()
    for kind in [ExchangeRequest.Kind.data, .download] {
      do {
        try expectFailure(
          try await context.perform(ExchangeRequest(kind, origin), on: session), .networkConnectionLost,
          .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .unknown)
      } catch let failure as CaseFailure {
        throw CaseFailure(reason: "As \(kind): \(failure.reason)", isHang: failure.isHang)
      }
    }
  }

  /// Returns cases for an HTTP/1.1 response that ends after these bytes, in each way. Each case expects an error.
  private static func cut(
    _ id: String, _ title: String, after text: String, endings: [Script.Step] = [.close, .reset]
  ) -> [ConformanceCase] {
    each(.completeness, id, title) { context in
      for ending in endings {
        let (origin, _) = try context.serve(Script([.readRequest, .send(text), ending]))
        try await expectCut(context, origin)
      }
    }
  }

  // MARK: Content-Length

  private static let length = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n"
  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let plain = "HTTP/1.1 200 OK\r\n\r\n"

  private static let cutByLength: [ConformanceCase] =
    cut("cut-length-start", "A body with a length that is cut at its first byte is an error.", after: length)
    + cut(
      "cut-length-inside", "A body with a length that is cut inside is an error.", after: length + "hello")
    + cut(
      "cut-length-last", "A body with a length that lacks its last byte is an error.",
      after: length + "hello, worl")
    + each(
      .completeness, "length-exact-close", "A body with a length is complete if the connection ends after it."
    ) { context in
      let (origin, _) = try context.serve([.readRequest, .send(length + "hello, world"), .close])
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin)), text: "hello, world")
    }

  // MARK: Chunks

  private static let cutChunks: [ConformanceCase] =
    cut("cut-chunked-start", "A chunked body without any chunk is an error.", after: chunked)
    + cut("cut-chunked-size", "Chunks that are cut inside a size are an error.", after: chunked + "1")
    + cut("cut-chunked-size-line", "Chunks that are cut after a size are an error.", after: chunked + "c\r\n")
    + cut(
      "cut-chunked-extension", "Chunks that are cut inside an extension are an error.",
      after: chunked + "5\r\nhello\r\n5;na")
    + cut(
      "cut-chunked-data", "Chunks that are cut inside their data are an error.",
      after: chunked + "c\r\nhello, ")
    + cut(
      "cut-chunked-data-end", "Chunks that are cut after their data are an error.",
      after: chunked + "5\r\nhello")
    + cut(
      "cut-chunked-between", "Chunks that are cut between two are an error.",
      after: chunked + "5\r\nhello\r\n")
    + cut(
      "cut-chunked-last-size", "Chunks that are cut inside the last size are an error.",
      after: chunked + "5\r\nhello\r\n0")
    + each(
      .completeness, "cut-chunked-trailer",
      "Chunks that are cut after the last size are complete, or an error: the complete body has arrived."
    ) { context in
      for end in ["0\r\n", "0\r\nX-Check", "0\r\nX-Checksum: abc\r\n"] {
        let (origin, _) = try context.serve([.readRequest, .send(chunked + "5\r\nhello\r\n" + end), .close])
        try expectFailure(
          try await context.perform(ExchangeRequest(.data, origin)), .networkConnectionLost,
          .cannotParseResponse, .badServerResponse, .unknown, or: "“hello”"
        ) { $0.text == "hello" }
      }
    }
    + each(
      .completeness, "chunked-exact-close", "A chunked body with its last chunk is complete at the end."
    ) { context in
      let (origin, _) = try context.serve([
        .readRequest, .send(chunked + "5\r\nhello\r\n0\r\n\r\n"), .close,
      ])
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin)), text: "hello")
    }

  // MARK: Bodies that end with the connection

  private static let untilClose: [ConformanceCase] =
    cut(
      "cut-until-close-reset", "A body without a length that ends with a reset is an error.",
      after: plain + "hello", endings: [.reset])
    + each(
      over: [.https], .completeness, "cut-until-close-tls",
      "A body without a length that ends without close_notify is an error."
    ) { context in
      let (origin, _) = try context.serve(ending: .abrupt, [.readRequest, .send(plain + "hello"), .close])
      try await expectCut(context, origin)
    }
    + each(
      over: [.https], .completeness, "cut-chunked-tls", "Chunks that end without close_notify are an error."
    ) { context in
      let (origin, _) = try context.serve(
        ending: .abrupt, [.readRequest, .send(chunked + "5\r\nhello\r\n"), .close])
      try await expectCut(context, origin)
    }
    + each(
      over: [.https], .completeness, "complete-without-close-notify",
      "A body with a length or chunks is complete without close_notify."
    ) { context in
      for text in [length + "hello, world", chunked + "c\r\nhello, world\r\n0\r\n\r\n"] {
        let (origin, _) = try context.serve(ending: .abrupt, [.readRequest, .send(text), .close])
        try expectResponse(
          try await context.perform(ExchangeRequest(.data, origin)), text: "hello, world")
      }
    }

  // MARK: Iteration

  private static let cutIterations: [ConformanceCase] = each(
    over: [.http, .https, .http2], .completeness, "cut-bytes",
    "Iterating a body that is cut returns its first part, then throws."
  ) { context in
    let origin: String
    if context.transport == .http2 {
      origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        while true {
          let stream = try connection.nextRequest()
          try connection.sendHead(stream: stream)
          try connection.sendData(stream: stream, "hello".utf8)
          try connection.reset(stream: stream, code: 8)
        }
      }
    } else {
      origin = try context.serve([.readRequest, .send(chunked + "5\r\nhello\r\n"), .close]).origin
    }
    let outcome = try await context.perform(ExchangeRequest(.bytes, origin))
    try expectFailure(outcome, .networkConnectionLost, .badServerResponse, .cannotParseResponse)
    try expect("hello".hasPrefix(outcome.text), "Before the error, “\(outcome.text)” arrived.")
    try expect(outcome.text == "hello" || context.transport == .http2, "The part did not arrive.")
  }

  // MARK: HEAD

  private static let headWithBody: [ConformanceCase] = each(
    over: [.http, .https, .http2], .completeness, "head-with-body",
    "A HEAD request with a body does not wait for a body of the response."
  ) { context in
    let origin: String
    if context.transport == .http2 {
      origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        while true {
          let stream = try connection.nextRequest()
          try connection.sendHead(stream: stream, fields: [("content-length", "5")], isLast: true)
        }
      }
    } else {
      origin = try context.serveHTTP { _ in Reply(text: "hello") }.origin
    }
    let request = ExchangeRequest(.data, origin, method: "HEAD", body: .data(Data("a body".utf8)))
    let outcome = try await context.perform(request)
    try expectResponse(outcome, text: "")
    try expect(outcome.elapsed < .seconds(2), "The response took \(outcome.elapsed).")
  }

  // MARK: Transfer codings

  private static let codings = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"

  private static func chunk(_ bytes: Data) -> Data {
    Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8)
  }

  private static let transferCodings: [ConformanceCase] =
    each(.completeness, "transfer-gzip", "A transfer coding of gzip is decoded or rejected.") { context in
      let reply = Data(codings.utf8) + chunk(CompressedFixture.gzip) + Data("0\r\n\r\n".utf8)
      let (origin, _) = try context.serve([.readRequest, .send(reply), .hold])
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin)), .cannotDecodeRawData,
        .cannotDecodeContentData, .badServerResponse, .cannotParseResponse, .unknown, or: "the decoded text"
      ) { $0.text == CompressedFixture.text }
    }
    + each(.completeness, "transfer-gzip-cut", "A transfer coding of gzip that is cut is an error.") {
      context in
      let reply = Data(codings.utf8) + chunk(CompressedFixture.gzip.dropLast(12)) + Data("0\r\n\r\n".utf8)
      let (origin, _) = try context.serve([.readRequest, .send(reply), .close])
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin)), .cannotDecodeRawData,
        .cannotDecodeContentData, .badServerResponse, .cannotParseResponse, .networkConnectionLost, .unknown)
    }
    + each(
      .completeness, "transfer-gzip-bomb",
      "A decompression bomb as a transfer coding is rejected, using little memory.",
      limit: .seconds(40)
    ) { context in
      let bomb = CompressedFixture.gzipBomb(size: 512 << 20)
      let session = try context.session { $0.maximumBufferedBodySize = 4 << 20 }
      let reply = Data(codings.utf8) + chunk(bomb) + Data("0\r\n\r\n".utf8)
      let (origin, _) = try context.serve([.readRequest, .send(reply), .hold])
      ResourceSnapshot.resetPeak()
      let before = ResourceSnapshot.residentBytes()
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin), on: session), .dataLengthExceedsMaximum,
        .cannotDecodeRawData, .cannotDecodeContentData, .badServerResponse, .cannotParseResponse)
      let growth = ResourceSnapshot.peakResidentBytes() - before
      try expect(growth < 64 << 20, "Resident memory grew by \(growth >> 20) MiB.")
    }
    + each(
      .completeness, "transfer-unknown", "An unknown transfer coding is an error, not the body."
    ) { context in
      let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: nonsense, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
      let (origin, _) = try context.serve([.readRequest, .send(reply), .close])
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin)), .cannotDecodeRawData,
        .cannotDecodeContentData, .badServerResponse, .cannotParseResponse, .unknown)
    }
}
