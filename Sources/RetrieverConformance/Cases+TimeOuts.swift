import Foundation
import TestSupport

extension ConformanceSuite {
  static let timeouts: [ConformanceCase] = [
    ConformanceCase(.timeouts, "timeout-session", "timeoutIntervalForRequest ends the wait for the head.") {
      context in
      let (origin, _) = try context.serve([.readRequest, .hold])
      let session = try context.session { $0.requestTimeout = .seconds(1) }
      try expectTimeOut(try await context.perform(ExchangeRequest(.data, origin), on: session))
    },
    ConformanceCase(.timeouts, "timeout-in-body", "The request's time-out ends a wait inside the body.") {
      context in
      let (origin, _) = try context.serve(stalling)
      try expectTimeOut(try await context.perform(waiting(.data, origin)))
    },
    ConformanceCase(.timeouts, "timeout-in-download", "It also ends a wait inside a download.") { context in
      let (origin, _) = try context.serve(stalling)
      try expectTimeOut(try await context.perform(waiting(.download, origin)))
    },
    ConformanceCase(.timeouts, "timeout-in-bytes", "It also ends a wait inside bytes.") { context in
      let (origin, _) = try context.serve(stalling)
      let outcome = try await context.perform(waiting(.bytes, origin))
      try expectTimeOut(outcome)
      try expect(outcome.text == "only a part", "Before the error, “\(outcome.text)” arrived.")
    },
    ConformanceCase(.timeouts, "timeout-callback", "The handler is called once with -1001.") { context in
      let (origin, _) = try context.serve([.readRequest, .hold])
      let outcome = try await context.perform(waiting(.dataCallback, origin))
      try expectTimeOut(outcome)
      try expect(outcome.completions == 1, "The handler was called \(outcome.completions) times.")
    },
    ConformanceCase(.timeouts, "timeout-trickle", "Arriving data restarts the request's time-out.") {
      context in
      let (origin, _) = try context.serve(trickling(10))
      try expectResponse(try await context.perform(waiting(.data, origin)), text: "..........")
    },
    ConformanceCase(.timeouts, "timeout-redirects", "Each hop of a redirect restarts the time-out.") {
      context in
      let (origin, _) = try context.serve { connection in
        while let request = try connection.nextRequest() {
          try connection.pacing(.milliseconds(600))
          let isLast = request.path == "/3"
          let next = "/\((Int(request.path.dropFirst()) ?? 0) + 1)"
          try connection.send(isLast ? Reply(text: "arrived") : .redirect(to: next))
        }
      }
      try expectResponse(try await context.perform(waiting(.data, origin + "/0")), text: "arrived")
    },
    resource("timeout-resource", "timeoutIntervalForResource ends an endless transfer.", .data),
    resource("timeout-resource-download", "timeoutIntervalForResource ends an endless download.", .download),
    resource("timeout-resource-bytes", "timeoutIntervalForResource ends endless bytes.", .bytes),
    ConformanceCase(
      .timeouts, "timeout-shorter-wins", "The request's time-out takes precedence over the session's."
    ) {
      context in
      let (origin, _) = try context.serve([.readRequest, .hold])
      let session = try context.session { $0.requestTimeout = .seconds(30) }
      try expectTimeOut(try await context.perform(waiting(.data, origin), on: session))
    },
  ]

  private static func waiting(_ kind: ExchangeRequest.Kind, _ address: String) -> ExchangeRequest {
    var request = ExchangeRequest(kind, address)
    request.timeout = .seconds(1)
    return request
  }

  private static let stalling: @Sendable (ScriptedConnection) throws -> Void = { connection in
    _ = try connection.readRequest()
    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part")
    try connection.hold()
  }

  /// Sends `count` dots, one every quarter of a second.
  private static func trickling(_ count: Int) -> @Sendable (ScriptedConnection) throws -> Void {
    { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
      for _ in 0..<count {
        try connection.pacing(.milliseconds(250))
        try connection.send(".")
      }
      try connection.readUntilClosed()
    }
  }

  private static func resource(_ id: String, _ title: String, _ kind: ExchangeRequest.Kind) -> ConformanceCase
  {
    ConformanceCase(.timeouts, id, title) { context in
      let (origin, _) = try context.serve(trickling(100))
      let session = try context.session { $0.resourceTimeout = .seconds(1) }
      try expectTimeOut(try await context.perform(ExchangeRequest(kind, origin), on: session))
    }
  }
}
