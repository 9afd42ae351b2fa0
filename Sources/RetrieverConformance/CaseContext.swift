import Foundation
import Glibc
import Synchronization
import TestSupport

/// The context of a case: its servers, its sessions and its expectations.
final class CaseContext: Sendable {
  private struct State {
    var sessions: [any ConformanceSession] = []
    var judged: [any ConformanceSession] = []
    var servers: [ScriptedServer] = []
    var directories: [TemporaryDirectory] = []
    var variables: Set<String> = []
  }

  let client: any ConformanceClient
  let servers: SharedServers
  let transport: Transport

  private let state = Mutex(State())

  init(client: any ConformanceClient, servers: SharedServers, transport: Transport) {
    self.client = client
    self.servers = servers
    self.transport = transport
  }

  // MARK: Sessions

  /// Creates a session. With TLS, it trusts the tests' certificate authority.
  ///
  /// - Parameter isJudgedAfterwards: Whether the case checks at its end that the session is still usable.
  func session(
    isJudgedAfterwards: Bool = true, _ adapt: (inout SessionOptions) -> Void = { _ in }
  ) throws -> any ConformanceSession {
    var options = SessionOptions()
    if transport != .http { options.trustedAuthority = try TestAuthority.shared().authorityFile }
    adapt(&options)
    let session = try client.makeSession(options)
    state.withLock { state in
      state.sessions.append(session)
      if isJudgedAfterwards { state.judged.append(session) }
    }
    return session
  }

  /// Performs a request. A watchdog ends the wait after `limit`.
  func perform(
    _ request: ExchangeRequest, on session: any ConformanceSession, limit: Duration = .seconds(8)
  ) async throws -> ExchangeOutcome {
    let start = ContinuousClock.now
    guard var outcome = await within(limit, { await session.perform(request) }) else {
      throw CaseFailure(
        reason: "\(request.kind.rawValue) \(request.method) did not end (waited \(limit)).", isHang: true)
    }
    outcome.elapsed = ContinuousClock.now - start
    if let missing = outcome.notOffered { throw NotOffered(missing) }
    return outcome
  }

  /// Performs a request in its own session.
  func perform(_ request: ExchangeRequest, limit: Duration = .seconds(8)) async throws -> ExchangeOutcome {
    try await perform(request, on: session(), limit: limit)
  }

  /// Performs a scenario, and checks its lines. A watchdog ends the wait.
  func play(
    _ scenario: Scenario, at origin: String = "", expecting expected: [String],
    _ adapt: (inout SessionOptions) -> Void = { _ in }
  ) async throws {
    var options = SessionOptions()
    if transport != .http { options.trustedAuthority = try TestAuthority.shared().authorityFile }
    adapt(&options)
    let played = await within(.seconds(8)) { [client, options] in
      await Result<[String], any Error>.catching { try await client.play(scenario, at: origin, options) }
    }
    guard let played else { throw CaseFailure(reason: "It did not end (waited 8 s).", isHang: true) }
    let lines = try played.get()
    try expect(lines == expected, "Reported: \(lines); expected: \(expected).")
  }

  /// Checks that every session can still load from a healthy server.
  func proveSessionsUsable() async throws {
    let address = try servers.healthy().address("/after")
    for session in state.withLock({ $0.judged }) {
      let outcome: ExchangeOutcome
      do {
        outcome = try await perform(ExchangeRequest(.data, address), on: session)
      } catch let failure as CaseFailure {
        throw CaseFailure(
          reason: "Afterwards the session is unusable: \(failure.reason)", isHang: failure.isHang)
      }
      try expect(
        outcome.status == 200 && outcome.text == SharedServers.healthyBody,
        "Afterwards the session is unusable: \(describe(outcome)).")
    }
  }

  // MARK: Servers

  /// Starts a scripted server with the case's transport. Returns its origin (`https://localhost:1234`) and the
  /// server.
  func serve(
    ending: TLSRelay.Ending = .clean, _ handler: @escaping @Sendable (ScriptedConnection) throws -> Void
  ) throws -> (origin: String, server: ScriptedServer) {
    let server = try keep(ScriptedServer(handler: handler))
    guard transport != .http else { return ("http://127.0.0.1:\(server.port)", server) }
    let port = try TLSRelay.shared().forward(to: server.port, ending: ending)
    return ("https://localhost:\(port)", server)
  }

  /// Starts a scripted server with one script per connection.
  func serve(ending: TLSRelay.Ending = .clean, _ scripts: Script...) throws -> (
    origin: String, server: ScriptedServer
  ) {
    try serve(ending: ending) { connection in
      guard let last = scripts.last else { return }
      try (connection.index < scripts.count ? scripts[connection.index] : last).run(on: connection)
    }
  }

  /// Starts a well-behaved server with the case's transport.
  func serveHTTP(_ answer: @escaping @Sendable (ScriptedRequest) throws -> Reply) throws -> (
    origin: String, server: ScriptedServer
  ) {
    try serve { connection in
      while let request = try connection.nextRequest() {
        let reply = try answer(request)
        try connection.send(request.method == "HEAD" ? reply.head : reply.bytes)
        if case .untilClose = reply.framing { return }
      }
    }
  }

  /// Starts an HTTP/2 server and returns its origin.
  func serveHTTP2(_ handler: @escaping @Sendable (HTTP2Connection) throws -> Void) throws -> String {
    let server = try HTTP2FaultServer(handler)
    keep(server.server)
    return "https://localhost:\(server.port)"
  }

  @discardableResult
  func keep(_ server: ScriptedServer) -> ScriptedServer {
    state.withLock { $0.servers.append(server) }
    return server
  }

  /// Creates a directory that is removed after the case.
  func directory() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    state.withLock { $0.directories.append(directory) }
    return directory
  }

  /// Returns a request for a download whose file is stored in a directory that is removed after the case.
  func download(_ address: String) throws -> ExchangeRequest {
    var request = ExchangeRequest(.download, address)
    request.destination = try directory().file("download")
    return request
  }

  // MARK: Environment

  /// Sets environment variables of this process. Call it before creating the sessions that use them.
  func setEnvironment(_ variables: [String: String]) {
    for (name, value) in variables { setenv(name, value, 1) }
    state.withLock { $0.variables.formUnion(variables.keys) }
  }

  /// Restores the environment.
  func restoreEnvironment() {
    let names = state.withLock { state in
      defer { state.variables = [] }
      return state.variables
    }
    for name in names { unsetenv(name) }
  }

  func cleanUp() {
    restoreEnvironment()
    let (sessions, servers) = state.withLock { state in
      defer { state = State() }
      return (state.sessions, state.servers)
    }
    for session in sessions { session.invalidate() }
    for server in servers { server.stop() }
  }
}

extension Result where Failure == any Error {
  fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
