import Foundation
import TestSupport

extension ConformanceSuite {
  static let endings: [ConformanceCase] = early + shortBodies + never + stale

  private static let early: [ConformanceCase] =
    reply(.endings, "close-before-head", "A connection closed before the head is an error.", [.close]) {
      try expectFailure($0, .networkConnectionLost, .badServerResponse)
    }
    + reply(
      .endings, "close-inside-head", "A connection closed inside the head is an error.",
      [.send("HTTP/1.1 200 OK\r\nContent-Le"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .endings, "close-after-head", "A connection closed after a head that announces a body is an error.",
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), .close]
    ) { try expectFailure($0, .networkConnectionLost) }
    + reply(
      .endings, "close-after-plain-head", "A head without a length followed by the end is an empty body.",
      [.send("HTTP/1.1 200 OK\r\n\r\n"), .close]
    ) { try expectResponse($0, text: "") }
    + reply(.endings, "reset-after-request", "A reset instead of a response is an error.", [.reset]) {
      try expectFailure($0, .networkConnectionLost)
    }
    + each(.endings, "reset-at-once", "An accepted connection that is reset is an error.") { context in
      let (origin, _) = try context.serve([.reset])
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin)), .networkConnectionLost,
        .cannotConnectToHost, .secureConnectionFailed)
    }
    + each(over: [.http], .endings, "half-closed", "A server may close its side after the response.") {
      context in
      let (origin, _) = try context.serve { connection in
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        connection.finishSending()
        try connection.readUntilClosed()
      }
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin)), text: "hello")
    }

  private static let cut: [Script.Step] = [
    .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part"), .close,
  ]

  private static let shortBodies: [ConformanceCase] =
    each(.endings, "short-body", "A body shorter than announced is an error.") { context in
      let (origin, _) = try context.serve(Script(cut))
      try expectFailure(try await context.perform(ExchangeRequest(.data, origin)), .networkConnectionLost)
    }
    + each(over: [.http], .endings, "short-body-download", "A download shorter than announced is an error.") {
      context in
      let (origin, _) = try context.serve(Script(cut))
      try expectFailure(
        try await context.perform(ExchangeRequest(.download, origin)), .networkConnectionLost)
    }
    + each(
      over: [.http], .endings, "short-body-bytes",
      "Iterating a body shorter than announced returns its first part, then throws."
    ) { context in
      let (origin, _) = try context.serve(Script(cut))
      let outcome = try await context.perform(ExchangeRequest(.bytes, origin))
      try expectFailure(outcome, .networkConnectionLost)
      try expect(outcome.text == "only a part", "Before the error, only “\(outcome.text)” arrived.")
    }
    + each(
      over: [.http], .endings, "short-body-callback", "The handler receives the error of a short body once."
    ) { context in
      let (origin, _) = try context.serve(Script(cut))
      let outcome = try await context.perform(ExchangeRequest(.dataCallback, origin))
      try expectFailure(outcome, .networkConnectionLost)
      try expect(outcome.completions == 1, "The handler was called \(outcome.completions) times.")
    }
    + each(.endings, "reset-in-body", "A reset inside the body is an error.") { context in
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part"), .reset,
      ])
      try expectFailure(try await context.perform(ExchangeRequest(.data, origin)), .networkConnectionLost)
    }

  private static let never: [ConformanceCase] =
    each(.endings, "never-answers", "A server that never answers causes the requested time-out.") {
      context in
      let (origin, _) = try context.serve([.readRequest, .hold])
      var request = ExchangeRequest(.data, origin)
      request.timeout = .seconds(1)
      try expectTimeOut(try await context.perform(request))
    }
    + each(over: [.http], .endings, "never-reads", "A server that never reads causes a time-out.") {
      context in
      let (origin, _) = try context.serve([.hold])
      var request = ExchangeRequest(
        .data, origin, method: "POST", body: .data(Data(repeating: 1, count: 16 << 20)))
      request.timeout = .seconds(1)
      // The time-out starts when the buffers between client and server are full.
      try expectTimeOut(try await context.perform(request))
    }
    + each(over: [.https], .endings, "never-shakes-hands", "A server that never begins TLS is a time-out.") {
      context in
      let server = context.keep(try ScriptedServer([.hold]))
      var request = ExchangeRequest(.data, "https://127.0.0.1:\(server.port)/")
      request.timeout = .seconds(1)
      try expectTimeOut(try await context.perform(request))
    }

  /// Expects a time-out after one second, neither early nor late.
  static func expectTimeOut(_ outcome: ExchangeOutcome) throws {
    try expectFailure(outcome, .timedOut, within: .seconds(3.5))
    try expect(outcome.elapsed > .milliseconds(700), "The time-out came too early, after \(outcome.elapsed).")
  }

  private static let stale: [ConformanceCase] =
    each(.endings, "stale-connection", "A kept connection that the server has closed is replaced.") {
      context in
      let (origin, server) = try context.serve { connection in
        if try connection.nextRequest() != nil {
          try connection.send(Reply(text: "number \(connection.index)"))
        }
      }
      let session = try context.session()
      let first = try await context.perform(ExchangeRequest(.data, origin), on: session)
      try expectResponse(first, text: "number 0")
      _ = await eventually { server.openConnectionCount == 0 }
      let second = try await context.perform(ExchangeRequest(.data, origin), on: session)
      try expectResponse(second, text: "number 1", after: "over a new connection")
    }
    + each(
      over: [.http], .endings, "stale-at-request",
      "A kept connection that is closed on the next request is replaced if the request is safe to repeat."
    ) { context in
      let (origin, _) = try context.serve { connection in
        guard try connection.nextRequest() != nil else { return }
        try connection.send(Reply(text: "number \(connection.index)"))
        _ = try connection.readHead()
      }
      let session = try context.session()
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin), on: session), text: "number 0")
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin), on: session), text: "number 1")
    }
}
