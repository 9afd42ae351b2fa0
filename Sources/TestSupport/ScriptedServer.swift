import Foundation
import Glibc
import Synchronization

/// A server that does exactly what a test's script says, byte for byte, on its own threads.
///
/// It starts listening when it is created. Each connection runs the handler on its own thread, and is closed when the
/// handler returns or throws. `stop()` ends everything and joins the threads. Releasing the server stops it too.
public final class ScriptedServer: Sendable {
  private struct State {
    var requests: [ScriptedRequest] = []
    var connections = 0
    var running: [Int: WorkerThread] = [:]
    var finished: [WorkerThread] = []
    var ended: Set<Int> = []
    var failures: [String] = []
    var isAccepting = true
    var isStopped = false
  }

  /// The state shared by the accept thread and the connections. It does not keep the server alive.
  private final class Core: Sendable {
    let state = Mutex(State())
    let stopping: Signal
    let refusing: Signal

    init() throws {
      stopping = try Signal()
      refusing = try Signal()
    }
  }

  /// The port; 0 for a Unix domain socket.
  public let port: UInt16
  /// The endpoint that the server listens on.
  public let endpoint: ServerEndpoint

  private let core: Core
  private let acceptor: WorkerThread

  /// Starts a server that runs `handler` for each connection. The handler may block.
  ///
  /// - Parameter recordsRequests: Whether `requests` records each request. Use false for millions of requests.
  public init(
    on endpoint: ServerEndpoint = .ipv4, recordsRequests: Bool = true,
    handler: @escaping @Sendable (ScriptedConnection) throws -> Void
  ) throws {
    let socket = try ListeningSocket(on: endpoint)
    let core = try Core()
    self.core = core
    self.endpoint = endpoint
    port = socket.port
    let record: @Sendable (ScriptedRequest) -> Void = { request in
      if recordsRequests { core.state.withLock { $0.requests.append(request) } }
    }
    acceptor = try WorkerThread {
      Self.accept(on: socket.descriptor, core: core, record: record, handler: handler)
    }
  }

  /// Starts a server that runs one script for each connection, in order. The last script repeats.
  public convenience init(on endpoint: ServerEndpoint = .ipv4, _ scripts: Script...) throws {
    try self.init(on: endpoint) { connection in
      guard let last = scripts.last else { return }
      try (connection.index < scripts.count ? scripts[connection.index] : last).run(on: connection)
    }
  }

  /// Starts a correct HTTP/1.1 server that responds to each request and keeps connections alive.
  public static func http(
    on endpoint: ServerEndpoint = .ipv4, _ answer: @escaping @Sendable (ScriptedRequest) throws -> Reply
  ) throws -> ScriptedServer {
    try ScriptedServer(on: endpoint) { connection in
      while let request = try connection.nextRequest() {
        let reply = try answer(request)
        try connection.send(request.method == "HEAD" ? reply.head : reply.bytes)
        if case .untilClose = reply.framing { return }
      }
    }
  }

  deinit { stop() }

  /// The host and port as in a URL; `localhost` for a Unix domain socket.
  public var authority: String {
    switch endpoint {
    case .ipv4: "127.0.0.1:\(port)"
    case .ipv6: "[::1]:\(port)"
    case .unixSocket: "localhost"
    }
  }

  /// Returns the `http` URL of a path (with its query) on this server, as text.
  public func address(_ path: String = "/") -> String { "http://\(authority)\(path)" }

  /// Returns the `http` URL of a path (with its query) on this server.
  public func url(_ path: String = "/") -> URL {
    URL(string: address(path)) ?? URL(fileURLWithPath: "/nonexistent")
  }

  /// The requests so far, in the order in which their last bytes arrived.
  public var requests: [ScriptedRequest] { core.state.withLock { $0.requests } }

  /// The number of accepted connections.
  public var connectionCount: Int { core.state.withLock { $0.connections } }

  /// The number of connections that are currently served.
  public var openConnectionCount: Int { core.state.withLock { $0.connections - $0.ended.count } }

  /// Errors thrown by handlers, except for the end of their connection.
  public var failures: [String] { core.state.withLock { $0.failures } }

  /// Refuses new connections. Those that exist go on.
  public func stopAccepting() {
    let isAccepting = core.state.withLock { state in
      defer { state.isAccepting = false }
      return state.isAccepting
    }
    guard isAccepting else { return }
    core.refusing.raise()
    acceptor.join()
  }

  /// Closes all connections, ends the threads and waits for them. Calling it again has no effect.
  public func stop() {
    let wasStopped = core.state.withLock { state in
      defer { state.isStopped = true }
      return state.isStopped
    }
    guard !wasStopped else { return }
    core.stopping.raise()
    stopAccepting()
    while true {
      let threads = core.state.withLock { state in
        defer { (state.running, state.finished) = ([:], []) }
        return Array(state.running.values) + state.finished
      }
      if threads.isEmpty { break }
      for thread in threads { thread.join() }
    }
    if case .unixSocket(let path) = endpoint { unlink(path) }
  }

  private static func accept(
    on listener: Int32, core: Core, record: @escaping @Sendable (ScriptedRequest) -> Void,
    handler: @escaping @Sendable (ScriptedConnection) throws -> Void
  ) {
    defer { close(listener) }
    while true {
      let ready = Polling.wait(
        for: [.readable(core.refusing.descriptor), .readable(listener)], within: nil)
      guard ready == 1 else { return }
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      var noDelay: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
      serve(descriptor, core: core, record: record, handler: handler)
    }
  }

  private static func serve(
    _ descriptor: Int32, core: Core, record: @escaping @Sendable (ScriptedRequest) -> Void,
    handler: @escaping @Sendable (ScriptedConnection) throws -> Void
  ) {
    let (index, finished) = core.state.withLock { state in
      defer { (state.connections, state.finished) = (state.connections + 1, []) }
      return (state.connections, state.finished)
    }
    for thread in finished { thread.join() }
    let connection = ScriptedConnection(
      descriptor: descriptor, index: index, stopping: core.stopping, record: record)
    let thread = try? WorkerThread {
      do {
        try handler(connection)
      } catch is ScriptedConnection.Ended {
      } catch {
        core.state.withLock { $0.failures.append("\(error)") }
      }
      connection.close()
      core.state.withLock { state in
        state.ended.insert(index)
        if let thread = state.running.removeValue(forKey: index) { state.finished.append(thread) }
      }
    }
    guard let thread else {
      connection.close()
      return core.state.withLock { _ = $0.ended.insert(index) }
    }
    // The thread may already have served its client, or even have ended.
    core.state.withLock { state in
      if state.ended.contains(index) {
        state.finished.append(thread)
      } else {
        state.running[index] = thread
      }
    }
  }
}
