import Synchronization

/// An HTTP/1.1 server with an asynchronous handler.
///
/// Each request is handled in a task of its own; one thread serves all connections, whatever their number, and
/// never waits for a handler. A handler's task is cancelled when its client goes away (one that closes only its
/// sending side counts as gone), or is cut off for exceeding a limit.
///
/// ```swift
/// let server = try HTTPServer(configuration: HTTPServerConfiguration(address: .loopback(port: 8080)))
/// try await server.run { request in
///   .text("You asked for \(request.path)\n")
/// }
/// ```
public final class HTTPServer: Sendable {
  /// Answers a request; what it throws is answered with 500, without detail.
  public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private enum State {
    case listening
    case running
    case stopped
  }

  private let loop: ServerLoop
  private let state = Mutex(State.listening)

  /// A server that listens; clients can connect, and are answered once it is started.
  ///
  /// - Parameter configuration: Where and how.
  /// - Throws: ``HTTPServerError`` with the code `cannotListen`, `cannotStart` or `badCertificate`.
  public init(configuration: HTTPServerConfiguration = HTTPServerConfiguration()) throws {
    loop = try ServerLoop(configuration)
  }

  /// A server that is dropped while it runs stops at once.
  deinit {
    if state.withLock({ $0 == .running }) { loop.post(.stop(limit: .zero)) }
  }

  /// The port the server listens on; 0 for a Unix socket.
  public var port: UInt16 { loop.port }

  /// Serves until ``stop(within:)`` is called or the task is cancelled, and returns when all connections are closed.
  ///
  /// Cancelling stops gracefully: no new connections, and open responses get `grace` to end.
  ///
  /// - Parameters:
  ///   - grace: How long open responses may take after a cancellation.
  ///   - handler: Answers the requests.
  /// - Throws: ``HTTPServerError`` with the code `alreadyStarted` or `cannotStart`.
  public func run(grace: Duration = .seconds(10), handler: @escaping Handler) async throws {
    try start(handler: handler)
    await withTaskCancellationHandler {
      await loop.ending.wait()
    } onCancel: {
      loop.post(.stop(limit: grace))
    }
  }

  /// Begins to serve, and returns; the server is to be kept and stopped with ``stop(within:)``.
  ///
  /// - Parameter handler: Answers the requests.
  /// - Throws: ``HTTPServerError`` with the code `alreadyStarted` or `cannotStart`.
  public func start(handler: @escaping Handler) throws {
    let isFirst = state.withLock { state in
      guard state == .listening else { return false }
      state = .running
      return true
    }
    guard isFirst else { throw HTTPServerError(.alreadyStarted, "A server is started once.") }
    do {
      try loop.start(handler)
    } catch {
      state.withLock { $0 = .stopped }
      loop.close()
      throw error
    }
  }

  /// Stops accepting, closes what is idle, lets open responses end, and returns when all connections are closed.
  ///
  /// Streams that were made with `endsWhenStopping` end at once. When `grace` is over, the tasks of handlers that
  /// still run are cancelled and their connections cut; the tasks themselves are not waited for. A shorter grace
  /// given later counts. Cancelling the caller's task changes nothing.
  ///
  /// - Parameter grace: How long open responses may take.
  public func stop(within grace: Duration = .seconds(10)) async {
    let before = state.withLock { state in
      let before = state
      if state == .listening { state = .stopped }
      return before
    }
    if before == .listening { loop.close() }
    guard before == .running else { return }
    loop.post(.stop(limit: grace))
    await loop.ending.wait()
  }
}
