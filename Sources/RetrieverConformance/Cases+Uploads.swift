import Foundation
import TestSupport

extension ConformanceSuite {
  static let uploads: [ConformanceCase] =
    each(.uploads, "upload-data", "Uploaded data is created (201) and can be loaded unchanged.") { context in
      try await roundTrip(context, .upload, .data(photo))
    }
    + each(.uploads, "upload-file", "An uploaded file is created (201) and can be loaded unchanged.") {
      context in
      let file = try context.directory().write(photo, to: "photo")
      try await roundTrip(context, .upload, .file(file))
    }
    + [
      ConformanceCase(.uploads, "upload-stream", "A body stream is sent completely.") { context in
        try await roundTrip(context, .data, .stream(photo))
      },
      ConformanceCase(.uploads, "upload-callback", "An upload with a handler is created (201).") { context in
        let outcome = try await roundTrip(context, .uploadCallback, .data(photo))
        try expect(outcome.completions == 1, "The handler was called \(outcome.completions) times.")
      },
      ConformanceCase(.uploads, "upload-empty", "An empty upload has a length of 0.") { context in
        let (origin, server) = try context.serveHTTP { _ in Reply(201) }
        try expectResponse(
          try await context.perform(ExchangeRequest(.upload, origin, method: "PUT", body: .data(Data()))), 201
        )
        let length = server.requests.first?["Content-Length"]
        try expect(length == "0", "The length sent is \(length ?? "missing").")
      },
      ConformanceCase(.uploads, "upload-length", "Data and files are sent with their length.") { context in
        let (origin, server) = try context.serveHTTP { _ in Reply(201) }
        let file = try context.directory().write(photo, to: "photo")
        let session = try context.session()
        for body in [ExchangeRequest.Body.data(photo), .file(file)] {
          let request = ExchangeRequest(.upload, origin, method: "POST", body: body)
          try expectResponse(try await context.perform(request, on: session), 201)
        }
        let lengths = server.requests.map { $0["Content-Length"] ?? "missing" }
        try expect(lengths == ["\(photo.count)", "\(photo.count)"], "The lengths sent are \(lengths).")
      },
      ConformanceCase(.uploads, "upload-file-missing", "A missing file is an error.") { context in
        let (origin, _) = try context.serveHTTP { _ in Reply(201) }
        let missing = try context.directory().file("missing")
        let outcome = try await context.perform(
          ExchangeRequest(.upload, origin, method: "PUT", body: .file(missing)))
        try expectFailure(outcome, .fileDoesNotExist, .cannotOpenFile, .noPermissionsToReadFile)
      },
      ConformanceCase(
        .uploads, "upload-early-reply",
        "A response before the body has been sent is returned, or the connection is lost."
      ) { context in
        let (origin, _) = try context.serve { connection in
          _ = try connection.readHead()
          try connection.send(Reply(413, headers: [("Connection", "close")], text: "too large"))
          connection.finishSending()
          try connection.readUntilClosed()
        }
        let body = Data(repeating: 1, count: 8 << 20)
        let outcome = try await context.perform(
          ExchangeRequest(.upload, origin, method: "POST", body: .data(body)))
        try expectFailure(outcome, .networkConnectionLost, or: "status 413") { $0.status == 413 }
      },
      ConformanceCase(
        .uploads, "upload-stream-again", "A redirect that repeats the body requests a new body stream."
      ) { context in
        let (origin, server) = try context.serveHTTP { request in
          request.path == "/first" ? .redirect(to: "/second", status: 307) : Reply(201)
        }
        var request = ExchangeRequest(
          .data, origin + "/first", method: "POST", body: .stream(photo), delegate: DelegatePolicy())
        request.timeout = .seconds(5)
        try expectResponse(try await context.perform(request), 201)
        try expect(server.requests.last?.body == photo, "The second request has another body.")
      },
      ConformanceCase(
        .uploads, "upload-big-file", "A file is streamed, not read into memory.", limit: .seconds(60)
      ) { context in
        let nginx = try context.servers.nginx()
        let file = nginx.documentRoot.appendingPathComponent("big")
        ResourceSnapshot.resetPeak()
        let before = ResourceSnapshot.residentBytes()
        let outcome = try await context.perform(
          ExchangeRequest(.upload, nginx.url("/sink").absoluteString, method: "POST", body: .file(file)),
          limit: .seconds(50))
        try expectResponse(outcome, text: "\(1 << 30)\n")
        let growth = ResourceSnapshot.peakResidentBytes() - before
        try expect(growth < 128 << 20, "Resident memory grew by \(growth >> 20) MiB.")
      },
    ]

  private static let photo = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) })

  @discardableResult
  private static func roundTrip(
    _ context: CaseContext, _ kind: ExchangeRequest.Kind, _ body: ExchangeRequest.Body
  ) async throws -> ExchangeOutcome {
    let nginx = try context.servers.nginx()
    let path = "/put/\(UUID().uuidString)"
    let address = (context.transport == .http ? nginx.url(path) : nginx.secureURL(path)).absoluteString
    let session = try context.session()
    let outcome = try await context.perform(
      ExchangeRequest(kind, address, method: "PUT", body: body), on: session)
    try expectResponse(outcome, 201)
    let back = try await context.perform(ExchangeRequest(.data, address), on: session)
    try expectResponse(back)
    try expect(back.body == photo, "\(back.body.count) bytes were returned, \(photo.count) were sent.")
    return outcome
  }
}
