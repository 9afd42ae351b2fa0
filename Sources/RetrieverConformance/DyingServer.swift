import Foundation
import Synchronization
import TestSupport

/// A server that answers until it is asked to end its connections. It then counts the requests that it receives.
final class DyingServer: Sendable {
  /// The part of a request that is read before the connection ends.
  enum Appetite: Sendable, CaseIterable {
    case head
    case part
    case complete
  }

  /// How a connection ends.
  enum Ending: Sendable, CaseIterable {
    case close
    case reset
  }

  /// The way in which connections end.
  struct Death: Sendable {
    var appetite = Appetite.complete
    var ending = Ending.close
    /// The number of requests that fail before the server answers again.
    var count = Int.max
  }

  private struct State {
    var death: Death?
    var received = 0
  }

  private let state = Mutex(State())
  private let arrivals = Counter()
  private let allArrived = Gate()
  private let connections: Int

  /// Creates a server that answers its first requests when `connections` of them have arrived, each on its own
  /// connection.
  init(connections: Int) { self.connections = connections }

  /// The number of requests received since the server began to die.
  var received: Int { state.withLock { $0.received } }

  /// Ends connections instead of answering, from now on.
  func die(_ death: Death) { state.withLock { $0.death = death } }

  /// Starts the server and returns its origin.
  func start(in context: CaseContext) throws -> String {
    if context.transport == .http2 { return try context.serveHTTP2 { try self.serve($0) } }
    return try context.serve { try self.serve($0) }.origin
  }

  /// Registers a request. Returns how it dies; nil if it is to be answered.
  private func nextDeath() -> Death? {
    state.withLock { state in
      guard let death = state.death else { return nil }
      state.received += 1
      return state.received > death.count ? nil : death
    }
  }

  private func waitForOthers(_ connection: ScriptedConnection) throws {
    if arrivals.increment() >= connections { allArrived.open() }
    try connection.wait(for: allArrived)
  }

  private func serve(_ connection: ScriptedConnection) throws {
    while let request = try connection.readHead() {
      let death = nextDeath()
      if request["Expect"]?.lowercased() == "100-continue" {
        try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      }
      switch death?.appetite {
      case .head: break
      case .part: _ = try connection.read(exactly: 1000)
      case .complete, nil: _ = try connection.readBody(of: request)
      }
      if let death { return end(connection, death) }
      try waitForOthers(connection)
      let reply = Reply(text: "ok")
      try connection.send(request.method == "HEAD" ? reply.head : reply.bytes)
    }
  }

  private func serve(_ connection: HTTP2Connection) throws {
    try connection.handshake()
    while true {
      let (stream, hasBody) = try connection.nextHead()
      let death = nextDeath()
      if hasBody, death?.appetite != .head {
        try connection.readBody(of: stream, atLeast: death?.appetite == .part ? 1000 : .max)
      }
      if let death { return end(connection.raw, death) }
      try waitForOthers(connection.raw)
      // The response has no body, so that it is also valid for HEAD.
      try connection.sendHead(stream: stream, isLast: true)
    }
  }

  private func end(_ connection: ScriptedConnection, _ death: Death) {
    switch death.ending {
    case .close: connection.close()
    case .reset: connection.reset()
    }
  }
}
