import Synchronization

/// An HTTP/1.1 server with an asynchronous handler.
///
/// The server handles each request in its own task. One thread serves all connections and never waits for a
/// handler. The server cancels a handler's task when the client disconnects, or when it disconnects the client for
/// exceeding a limit. A client that closes only its sending side counts as disconnected.
///
/// ```swift
/// let server = try HTTPServer(configuration: HTTPServerConfiguration(address: .loopback(port: 8080)))
/// try await server.run { request in
///   .text("You asked for \(request.path)\n")
/// }
/// ```
public final class HTTPServer: Sendable {
  /// Answers a request. If the handler throws, the server responds with 500, without details.
  public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private enum State {
    case listening
    case running
    case stopped
  }

  private let loop: ServerLoop
  private let state = Mutex(State.listening)

  /// Creates a server and starts listening. Clients can connect, but the server answers only after it is started.
  ///
  /// - Parameter configuration: The address, the limits and the other settings of the server.
  /// - Throws: ``HTTPServerError`` with the code `cannotListen`, `cannotStart` or `badCertificate`.
  public init(configuration: HTTPServerConfiguration = HTTPServerConfiguration()) throws {
    loop = try ServerLoop(configuration)
  }

  /// Stops the server immediately if it is still running.
  deinit {
    if state.withLock({ $0 == .running }) { loop.post(.stop(limit: .zero)) }
  }

  /// The port the server listens on; 0 for a Unix socket.
  public var port: UInt16 { loop.port }

  /// Uses another certificate and key for new connections.
  ///
  /// Open connections keep the earlier certificate. They end after their current response, which announces this, so clients
  /// that reuse connections get the new certificate soon. If there were more than four replacements while a connection was
  /// open, the server closes it.
  ///
  /// - Parameter tls: The certificate and its key.
  /// - Throws: ``HTTPServerError`` with the code `badCertificate` if the server cannot use them; it continues with the earlier
  ///   ones. With the code `cannotStart` if the server is not running or was started without TLS.
  public func replaceCertificate(_ tls: HTTPServerConfiguration.TLS) async throws {
    guard loop.configuration.tls != nil, state.withLock({ $0 == .running }) else {
      throw HTTPServerError(
        .cannotStart, "Only a running server with TLS can use another certificate.")
    }
    let result = await withCheckedContinuation { continuation in
      loop.post(.replaceCertificate(CertificateReplacement(tls) { continuation.resume(returning: $0) }))
    }
    try result.get()
  }

  /// Serves requests until ``stop(within:)`` is called or the task is cancelled.
  ///
  /// Returns when all connections are closed. Cancelling the task stops the server gracefully: it accepts no new
  /// connections, and gives open responses the time `grace` to finish.
  ///
  /// - Parameters:
  ///   - grace: The maximum time that open responses may take after the task is cancelled.
  ///   - handler: The closure that answers the requests.
  /// - Throws: ``HTTPServerError`` with the code `alreadyStarted` or `cannotStart`.
  public func run(grace: Duration = .seconds(10), handler: @escaping Handler) async throws {
    try start(handler: handler)
    await serve(grace: grace)
  }

  /// Returns when a server that was started is stopped, or the task is cancelled and all connections are closed.
  package func serve(grace: Duration) async {
    await withTaskCancellationHandler {
      await loop.completion.wait()
    } onCancel: {
      loop.post(.stop(limit: grace))
    }
  }

  /// Starts serving requests and returns immediately.
  ///
  /// Keep a reference to the server, and stop it with ``stop(within:)``.
  ///
  /// - Parameter handler: The closure that answers the requests.
  /// - Throws: ``HTTPServerError`` with the code `alreadyStarted` or `cannotStart`.
  public func start(handler: @escaping Handler) throws {
    let isFirst = state.withLock { state in
      guard state == .listening else { return false }
      state = .running
      return true
    }
    guard isFirst else { throw HTTPServerError(.alreadyStarted, "A server can be started only once.") }
    do {
      try loop.start(handler)
    } catch {
      state.withLock { $0 = .stopped }
      loop.close()
      throw error
    }
  }

  /// Stops the server gracefully, and returns when all connections are closed.
  ///
  /// The server stops accepting connections, closes idle ones, and lets open responses finish. Streams created with
  /// `endsWhenStopping` end immediately. When `grace` has passed, the server cancels the tasks of handlers that are
  /// still running and closes their connections; it does not wait for these tasks. A later call can shorten the
  /// grace period. Cancelling the calling task has no effect.
  ///
  /// - Parameter grace: The maximum time that open responses may take.
  public func stop(within grace: Duration = .seconds(10)) async {
    let before = state.withLock { state in
      let before = state
      if state == .listening { state = .stopped }
      return before
    }
    if before == .listening { loop.close() }
    guard before == .running else { return }
    loop.post(.stop(limit: grace))
    await loop.completion.wait()
  }
}
