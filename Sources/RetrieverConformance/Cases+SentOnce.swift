import Foundation
import TestSupport

extension ConformanceSuite {
  static let sentOnce: [ConformanceCase] = onceOnly + boundedTries + notProcessed + [excludedGET] + volleys

  private static let everywhere: [Transport] = [.http, .https, .http2]
  private static let sizes = [0, 9, 200_000]

  /// Expects an error, with any code. What counts here is what the server received.
  static func expectLost(_ outcome: ExchangeOutcome) throws {
    try expectFailure(outcome, .networkConnectionLost, .badServerResponse, .unknown)
  }

  /// How the body of a POST is supplied.
  enum BodyForm: String, Sendable, CaseIterable {
    case data
    case stream

    func body(_ size: Int) -> ExchangeRequest.Body {
      let bytes = Data(repeating: 7, count: size)
      return self == .data ? .data(bytes) : .stream(bytes)
    }
  }

  static func post(_ form: BodyForm, _ size: Int, to address: String) -> ExchangeRequest {
    ExchangeRequest(.data, address, method: "POST", body: form.body(size), delegate: DelegatePolicy())
  }

  /// Returns a session with several kept connections to a server that is about to die (one connection over HTTP/2).
  private static func warmed(
    _ context: CaseContext
  ) async throws -> (server: DyingServer, origin: String, session: any ConformanceSession) {
    let connections = context.transport == .http2 ? 1 : 4
    let server = DyingServer(connections: connections)
    let origin = try server.start(in: context)
    let session = try context.session { $0.needsKeptConnections = true }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<connections {
        group.addTask {
          // Loads of one URL could share a response.
          let request = ExchangeRequest(.data, "\(origin)/\(number)")
          try expectResponse(try await context.perform(request, on: session))
        }
      }
      try await group.waitForAll()
    }
    return (server, origin, session)
  }

  /// Sends POSTs of each size to servers that die in each way. Each POST must arrive once and be an error.
  private static func expectOnce(
    _ context: CaseContext, _ form: BodyForm, _ appetite: DyingServer.Appetite, isKept: Bool
  ) async throws {
    for ending in DyingServer.Ending.allCases {
      for size in appetite == .part ? sizes.suffix(1) : sizes {
        let death = DyingServer.Death(appetite: appetite, ending: ending)
        var (server, origin, session) = (DyingServer(connections: 1), "", try context.session())
        if isKept {
          (server, origin, session) = try await warmed(context)
        } else {
          origin = try server.start(in: context)
        }
        server.die(death)
        let outcome = try await context.perform(post(form, size, to: origin), on: session)
        try expect(
          server.received == 1, "A POST of \(size) bytes arrived \(server.received) times (\(ending)).")
        try expectLost(outcome)
      }
    }
  }

  private static let onceOnly: [ConformanceCase] =
    BodyForm.allCases.flatMap { form in
      each(
        over: everywhere, .sentOnce, "once-kept-\(form)",
        "A POST (\(form)) is sent once when kept connections end after reading it."
      ) {
        try await expectOnce($0, form, .complete, isKept: true)
      }
        + each(
          over: everywhere, .sentOnce, "once-kept-part-\(form)",
          "A POST (\(form)) is sent once when kept connections end after reading a part of it."
        ) {
          try await expectOnce($0, form, .part, isKept: true)
        }
        + each(
          over: everywhere, .sentOnce, "once-kept-head-\(form)",
          "A POST (\(form)) is sent once when kept connections end after reading its head."
        ) {
          try await expectOnce($0, form, .head, isKept: true)
        }
        + each(
          over: everywhere, .sentOnce, "once-new-\(form)",
          "A POST (\(form)) is sent once when a new connection ends after reading it."
        ) {
          try await expectOnce($0, form, .complete, isKept: false)
        }
    }
    + each(
      over: everywhere, .sentOnce, "once-idle-closed",
      "A POST after the server closed the idle connection succeeds and is sent once.", limit: .seconds(40)
    ) { context in
      let posts = Counter()
      // Opens when a response has arrived. Data from the client before that could turn the close into a reset, which
      // could arrive before the response.
      let arrived = Slot<Gate>()
      let server = try served(context) { connection in
        posts.increment()
        return { try arrived.value.map { try connection.wait(for: $0) } }
      }
      let session = try context.session { $0.needsKeptConnections = true }
      for form in BodyForm.allCases {
        for size in sizes {
          let before = posts.value
          let gate = Gate()
          arrived.value = gate
          try expectResponse(try await context.perform(post(form, size, to: server.origin), on: session))
          gate.open()
          // The kernel lists connections in parts, so one can be missed once.
          let absences = Counter()
          let isClosed = await eventually(within: .seconds(5)) {
            ConnectionTable.established(to: server.port) == 0 && absences.increment() >= 5
          }
          try expect(isClosed, "The server's end did not reach the client.")
          try expect(posts.value == before + 1, "A POST arrived \(posts.value - before) times.")
        }
      }
    }

  /// Starts a server that closes each connection after one response, without announcing it.
  ///
  /// - Parameter onRequest: A closure that is called with the connection of each request. The closure it returns is
  ///   called before the connection is closed.
  private static func served(
    _ context: CaseContext,
    onRequest: @escaping @Sendable (ScriptedConnection) -> (() throws -> Void)
  ) throws -> (origin: String, port: UInt16) {
    let origin: String
    if context.transport == .http2 {
      origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let stream = try connection.nextRequest()
        let beforeClose = onRequest(connection.raw)
        try connection.respond(stream: stream)
        try beforeClose()
      }
    } else {
      origin = try context.serve { connection in
        guard try connection.nextRequest() != nil else { return }
        let beforeClose = onRequest(connection)
        try connection.send(Reply(text: "ok"))
        try beforeClose()
      }.origin
    }
    return (origin, UInt16(origin.split(separator: ":").last ?? "") ?? 0)
  }

  // MARK: Requests that may be repeated

  private static let repeatable: [(method: String, body: ExchangeRequest.Body)] = [
    ("GET", .none), ("HEAD", .none), ("DELETE", .none), ("PUT", .data(Data("nine byte".utf8))),
  ]

  private static let boundedTries: [ConformanceCase] =
    each(
      over: everywhere, .sentOnce, "again-kept",
      "GET, HEAD, DELETE and PUT are sent again when a kept connection ends instead of a response."
    ) { context in
      for (method, body) in repeatable {
        for ending in DyingServer.Ending.allCases {
          let (server, origin, session) = try await warmed(context)
          server.die(DyingServer.Death(ending: ending, count: 1))
          let request = ExchangeRequest(.data, origin, method: method, body: body)
          try expectResponse(
            try await context.perform(request, on: session), after: "to \(method) (\(ending))")
          try expect(server.received == 2, "\(method) arrived \(server.received) times (\(ending)).")
        }
      }
    }
    + each(
      over: everywhere, .sentOnce, "again-bounded",
      "GET, HEAD, DELETE and PUT are sent at most three times if every connection ends."
    ) { context in
      for (method, body) in repeatable {
        for ending in DyingServer.Ending.allCases {
          let (server, origin, session) = try await warmed(context)
          server.die(DyingServer.Death(ending: ending))
          let request = ExchangeRequest(.data, origin, method: method, body: body)
          let outcome = try await context.perform(request, on: session)
          try expect(
            (1...3).contains(server.received), "\(method) arrived \(server.received) times (\(ending)).")
          try expectLost(outcome)
        }
      }
    }
}
