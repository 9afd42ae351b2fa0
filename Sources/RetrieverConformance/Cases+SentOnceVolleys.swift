import Foundation
import Synchronization
import TestSupport

extension ConformanceSuite {
  // MARK: Requests that the server says it did not process

  /// Returns a case that sends POSTs of each size to an HTTP/2 server that rejects the first attempt of each. They
  /// must succeed.
  private static func unprocessed(
    _ id: String, _ title: String,
    _ reject: @escaping @Sendable (HTTP2Connection, UInt32, _ hasBody: Bool) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.sentOnce, id, title, over: .http2) { context in
      for form in BodyForm.allCases {
        for size in [0, 9, 200_000] {
          let tries = Counter()
          let answers = Counter()
          let origin = try context.serveHTTP2 { connection in
            try connection.handshake()
            while true {
              let (stream, hasBody) = try connection.nextHead()
              if tries.increment() == 1 {
                try reject(connection, stream, hasBody)
              } else {
                if hasBody { try connection.readBody(of: stream) }
                answers.increment()
                try connection.respond(stream: stream, text: "hello")
              }
            }
          }
          var request = post(form, size, to: origin)
          request.timeout = .seconds(4)
          let outcome = try await context.perform(request)
          try expectResponse(outcome, text: "hello", after: "to a POST of \(size) bytes (\(form))")
          try expect(outcome.elapsed < .seconds(3), "The response took \(outcome.elapsed).")
          try expect(answers.value == 1, "The POST was answered \(answers.value) times.")
        }
      }
    }
  }

  static let notProcessed: [ConformanceCase] = [
    unprocessed("again-refused-stream", "A POST on a refused stream is sent again and succeeds.") {
      connection, stream, hasBody in
      if hasBody { try connection.readBody(of: stream) }
      try connection.reset(stream: stream, code: 7)
    },
    unprocessed(
      "again-refused-at-head",
      "A POST on a stream that is refused before its body is sent again and succeeds."
    ) { connection, stream, _ in
      try connection.reset(stream: stream, code: 7)
    },
    unprocessed("again-goaway", "A POST that GOAWAY excludes is sent again and succeeds.") {
      connection, stream, hasBody in
      if hasBody { try connection.readBody(of: stream) }
      try connection.goAway(lastStream: 0, code: 0)
      try connection.raw.readUntilClosed()
      throw ScriptedConnection.Ended.byPeer
    },
    unprocessed(
      "again-goaway-close", "A POST that GOAWAY excludes is sent again if the connection is then closed."
    ) { connection, stream, hasBody in
      if hasBody { try connection.readBody(of: stream) }
      try connection.goAway(lastStream: 0, code: 0)
      throw ScriptedConnection.Ended.byPeer
    },
  ]

  static let excludedGET = ConformanceCase(
    .sentOnce, "again-goaway-get", "A GET that GOAWAY excludes is sent again and succeeds, even in flight.",
    over: .http2
  ) { context in
    let origin = try context.serveHTTP2 { connection in
      try connection.handshake()
      let first = try connection.nextRequest()
      guard connection.raw.index == 0 else {
        try connection.respond(stream: first, text: "hello")
        return try connection.raw.readUntilClosed()
      }
      try connection.respond(stream: first, text: "warm")
      _ = try connection.nextRequest()
      try connection.goAway(lastStream: first, code: 0)
      try connection.raw.readUntilClosed()
    }
    let session = try context.session { $0.needsKeptConnections = true }
    try expectResponse(try await context.perform(ExchangeRequest(.data, origin), on: session), text: "warm")
    let outcome = try await context.perform(ExchangeRequest(.data, origin), on: session)
    try expectResponse(outcome, text: "hello", after: "on a new connection")
    try expect(outcome.elapsed < .seconds(3), "The response took \(outcome.elapsed).")
  }

  // MARK: Volleys

  static let volleys: [ConformanceCase] =
    each(
      over: [.http, .https, .http2], .sentOnce, "once-volley",
      "1,000 dying connections: each GET succeeds, no POST is sent twice.", limit: .seconds(120)
    ) { try await volley($0, concurrency: 1) }
    + each(
      over: [.http, .https, .http2], .sentOnce, "once-volley-crowd",
      "1,000 dying connections, several requests at a time: no POST is sent twice.", limit: .seconds(120)
    ) { try await volley($0, concurrency: 4) }

  private static func volley(_ context: CaseContext, concurrency: Int) async throws {
    let arrivals = Arrivals()
    let origin = try arrivals.start(in: context)
    let session = try context.session { $0.needsKeptConnections = true }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for start in 0..<concurrency {
        group.addTask {
          for number in stride(from: start, to: 1000, by: concurrency) {
            try await load(number, context, session, origin, arrivals, isAlone: concurrency == 1)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func load(
    _ number: Int, _ context: CaseContext, _ session: any ConformanceSession, _ origin: String,
    _ arrivals: Arrivals, isAlone: Bool
  ) async throws {
    let isPost = number % 2 == 1
    // Loads of one URL could share a response.
    let address = "\(origin)/\(number)"
    var request = isPost ? post(.data, 9, to: address) : ExchangeRequest(.data, address)
    request.headers = [("X-Load", Arrivals.mark(number))]
    let outcome = try await context.perform(request, on: session)
    let count = arrivals.count(of: number)
    try expect(
      count <= (isPost ? 1 : 3), "\(request.method) number \(number) arrived \(count) times.")
    if outcome.failure != nil, isPost || !isAlone {
      try expectLost(outcome)
    } else {
      try expectResponse(outcome, after: "to \(request.method) number \(number)")
      try expect(count > 0, "A request that did not arrive got a response.")
    }
  }
}

/// A server whose connections answer one request and end after reading the next. It records the requests that arrive.
private final class Arrivals: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// Returns the number of a load in letters that HPACK does not compress, so that they are readable in HTTP/2
  /// frames.
  static func mark(_ number: Int) -> String {
    let digits = String(number, radix: 4).map { ["X", "Z", "&", "*"][$0.wholeNumberValue ?? 0] }
    return ";;;;" + digits.joined() + ",,,,"
  }

  func count(of number: Int) -> Int { counts.withLock { $0[Self.mark(number)] ?? 0 } }

  private func arrived(_ mark: String) { counts.withLock { $0[mark, default: 0] += 1 } }

  func start(in context: CaseContext) throws -> String {
    guard context.transport == .http2 else {
      return try context.serve { connection in
        for isLast in [false, true] {
          guard let request = try connection.nextRequest() else { return }
          self.arrived(request["X-Load"] ?? "")
          if !isLast { try connection.send(Reply(text: "ok")) }
        }
      }.origin
    }
    return try context.serveHTTP2 { connection in
      try connection.handshake()
      var first: UInt32?
      while let frame = try connection.nextFrame() {
        if frame.kind == .headers {
          self.arrived(Self.mark(in: frame.payload))
          if first != nil { return }
          first = frame.stream
        }
        if frame.stream == first, frame.flags & HTTP2Frame.endStream != 0 {
          try connection.respond(stream: frame.stream)
        }
      }
    }
  }

  private static func mark(in payload: [UInt8]) -> String {
    guard let start = payload.firstRange(of: Array(";;;;".utf8)),
      let end = payload[start.upperBound...].firstRange(of: Array(",,,,".utf8))
    else { return "" }
    return String(decoding: payload[start.lowerBound..<end.upperBound], as: UTF8.self)
  }
}
