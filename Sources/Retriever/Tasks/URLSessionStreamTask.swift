#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// A task that reads from and writes to a TCP connection, with or without TLS.
///
/// Create it with ``URLSession/streamTask(withHostName:port:)`` and start it with ``URLSessionTask/resume()``. Reads
/// and writes may be requested before the connection is established. Reads complete in the order of their calls, and so
/// do writes; reads and writes do not wait for each other.
///
///     let task = URLSession.shared.streamTask(withHostName: "example.org", port: 7)
///     task.resume()
///     try await task.write(Data("hello".utf8), timeout: 10)
///     let (data, atEnd) = try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 10)
///
/// Nothing is received from the network while nothing is being read. The task completes when both sides are closed and
/// the end has been read, or when the connection fails.
///
/// The session's proxies, address policy, trusted certificates and TLS versions apply. Proxies that open tunnels for
/// `https` URLs are used for any port.
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {
  // Unchecked as its superclass is: this class adds only constants.

  let connection: StreamConnection
  let host: String
  /// Whether the task continues the response to a request.
  private let hasRequest: Bool
  private let isCaptured = Atomic<Bool>(false)
  private let deadlineTimer = Mutex<QuestionTimer?>(nil)

  init(session: URLSession, host: String, port: Int) {
    connection = StreamConnection(handshakeTimeout: Duration(seconds: session.settings.requestTimeout))
    self.host = host
    hasRequest = false
    super.init(session: session, request: Self.request(host, port))
    connect()
  }

  /// Creates a task that continues the response of a data task.
  init(session: URLSession, request: URLRequest, identifier: Int) {
    connection = StreamConnection()
    host = request.url?.host ?? ""
    hasRequest = true
    super.init(session: session, request: request, identifier: identifier)
    connect()
  }

  /// Creates a task that belongs to no session, for subclasses that replace its methods.
  public override init() {
    connection = StreamConnection()
    host = ""
    hasRequest = false
    super.init()
  }

  private func connect() {
    sink = .stream(connection)
    connection.setEvents(
      .init(
        didCloseReading: { [weak self] in self?.didCloseReading() },
        didCloseWriting: { [weak self] in self?.didCloseWriting() },
        didCapture: { [weak self] in self?.didCapture() },
        didFinish: { [weak self] in self?.didFinish($0) },
        wantsMore: { [weak self] in self?.wantsMore() }))
  }

  /// The request whose response the task continues; nil for a task with a host name.
  open override var originalRequest: URLRequest? { hasRequest ? super.originalRequest : nil }

  /// The request whose response the task continues; nil for a task with a host name.
  open override var currentRequest: URLRequest? { hasRequest ? super.currentRequest : nil }

  /// Starts the task, or resumes a suspended one.
  open override func resume() {
    super.resume()
    followSuspension()
  }

  /// Suspends the task. Nothing is received or sent until the same number of resumes.
  open override func suspend() {
    super.suspend()
    followSuspension()
  }

  private func followSuspension() {
    connection.isSuspended = lockedState.withLock { $0.machine.isSuspended }
  }

  // MARK: Reading

  /// Reads bytes. The handler is called on the delegate queue.
  ///
  /// - Parameters:
  ///   - minBytes: the number of bytes to wait for. It is limited to `maxBytes`, and at least 1 unless that is 0.
  ///   - maxBytes: the maximum number of bytes.
  ///   - timeout: the number of seconds after which the read fails with `URLError.timedOut`; 0 for no limit. It counts
  ///     from the call. Bytes that have arrived stay for the next read.
  ///   - completionHandler: receives the bytes, whether they are the last ones, and the error. The server may end its
  ///     side early: there are fewer bytes than `minBytes` then, possibly none.
  open func readData(
    ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval,
    completionHandler: @escaping @Sendable (Data?, Bool, (any Error)?) -> Void
  ) {
    _ = read(minBytes, maxBytes, timeout) { [self] result in
      session.callQueue.post {
        switch result {
        case .success(let (data, atEnd)): completionHandler(data, atEnd, nil)
        case .failure(let error): completionHandler(nil, false, error)
        }
      }
    }
  }

  /// Reads bytes.
  ///
  /// If the surrounding Swift task is cancelled, this throws `URLError.cancelled`. The connection stays open, and bytes
  /// that have arrived stay for the next read.
  ///
  /// - Parameters:
  ///   - minBytes: the number of bytes to wait for. It is limited to `maxBytes`, and at least 1 unless that is 0.
  ///   - maxBytes: the maximum number of bytes.
  ///   - timeout: the number of seconds after which the read fails; 0 for no limit. It counts from the call.
  /// - Returns: the bytes, and whether they are the last ones. The server may end its side early: there are fewer bytes
  ///   than `minBytes` then, possibly none.
  /// - Throws: `URLError`; `.timedOut` after the time-out.
  open func readData(
    ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval
  ) async throws -> (Data?, Bool) {
    let result = await operate { (done: @escaping @Sendable (Result<(Data, Bool), any Error>) -> Void) in
      self.read(minBytes, maxBytes, timeout, done)
    }
    let (data, atEnd) = try result.get()
    return (data, atEnd)
  }

  private func read(
    _ minBytes: Int, _ maxBytes: Int, _ timeout: TimeInterval,
    _ done: @escaping @Sendable (Result<(Data, Bool), any Error>) -> Void
  ) -> StreamConnection.Operation? {
    if let error = capturedError {
      done(.failure(error))
      return nil
    }
    return connection.read(minimum: minBytes, maximum: maxBytes, timeout: Self.limit(timeout)) { result in
      done(result.map { (Data($0.bytes), $0.atEnd) }.mapError { self.error($0) as any Error })
    }
  }

  // MARK: Writing

  /// Writes data. The handler is called on the delegate queue when the system has taken all of it.
  ///
  /// - Parameters:
  ///   - data: the bytes to write.
  ///   - timeout: the number of seconds after which the write fails with `URLError.timedOut`; 0 for no limit. It counts
  ///     from the call. If a part of the data was sent by then, nothing more can be written.
  ///   - completionHandler: receives the error, or nil.
  open func write(
    _ data: Data, timeout: TimeInterval, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    _ = write(data, timeout) { [self] error in
      session.callQueue.post { completionHandler(error) }
    }
  }

  /// Writes data. Returns when the system has taken all of it.
  ///
  /// If the surrounding Swift task is cancelled, this throws `URLError.cancelled`. If a part of the data was sent by
  /// then, nothing more can be written.
  ///
  /// - Parameters:
  ///   - data: the bytes to write.
  ///   - timeout: the number of seconds after which the write fails; 0 for no limit. It counts from the call.
  /// - Throws: `URLError`; `.timedOut` after the time-out.
  open func write(_ data: Data, timeout: TimeInterval) async throws {
    let error = await operate { (done: @escaping @Sendable ((any Error)?) -> Void) in
      self.write(data, timeout, done)
    }
    if let error { throw error }
  }

  private func write(
    _ data: Data, _ timeout: TimeInterval, _ done: @escaping @Sendable ((any Error)?) -> Void
  ) -> StreamConnection.Operation? {
    if let error = capturedError {
      done(error)
      return nil
    }
    return connection.write([UInt8](data), timeout: Self.limit(timeout)) { failure in
      done(failure.map { self.error($0) })
    }
  }

  /// Waits for an operation, and withdraws it if the surrounding Swift task is cancelled.
  private func operate<Result: Sendable>(
    _ start: @Sendable (@escaping @Sendable (Result) -> Void) -> StreamConnection.Operation?
  ) async -> Result {
    let waiting = Mutex<StreamConnection.Operation?>(nil)
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Result, Never>) in
        guard let operation = start({ continuation.resume(returning: $0) }) else { return }
        waiting.withLock { $0 = operation }
        // If the task was cancelled in the meantime, the handler found no operation.
        if Task.isCancelled { connection.cancel(operation) }
      }
    } onCancel: {
      if let operation = waiting.withLock({ $0 }) { connection.cancel(operation) }
    }
  }

  private static func limit(_ timeout: TimeInterval) -> Duration? {
    timeout > 0 ? Duration(seconds: timeout) : nil
  }

  // MARK: Closing

  /// Closes the read side after all reads that were requested before. Later reads fail.
  open func closeRead() { if capturedError == nil { connection.closeReading() } }

  /// Closes the write side after all writes that were requested before. Later writes fail. The server may continue to
  /// send: read until the end.
  open func closeWrite() { if capturedError == nil { connection.closeWriting() } }

  // MARK: TLS

  /// Starts TLS after all reads and writes that were requested before.
  ///
  /// Call it before ``URLSessionTask/resume()`` for a connection that uses TLS from its beginning. The server's
  /// certificate must name the host of the task, and is verified with the session's
  /// ``URLSessionConfiguration/trustedCertificates``, ``URLSessionConfiguration/pinnedHosts`` and client certificates. The
  /// delegate is not asked. If the handshake fails, the task fails.
  open func startSecureConnection() { if capturedError == nil { connection.startTLS() } }

  /// Has no effect: TLS cannot be disabled once it is enabled.
  @available(*, deprecated, message: "TLS cannot be disabled once it is enabled")
  open func stopSecureConnection() {}

  // MARK: Streams

  /// Turns the connection into an input stream and an output stream, after all reads and writes that were requested
  /// before.
  ///
  /// The delegate receives them with
  /// ``URLSessionStreamDelegate/urlSession(_:streamTask:didBecome:outputStream:)``. The task then ends.
  open func captureStreams() { if capturedError == nil { connection.capture() } }

  var capturedError: URLError? {
    isCaptured.load(ordering: .acquiring) ? URLError(.streamCaptured, url: nil) : nil
  }

  private func didCapture() {
    isCaptured.store(true, ordering: .releasing)
    let streams = CapturedStreams(connection)
    notifyDelegate(.didBecomeStreams, (any URLSessionStreamDelegate).self) {
      $0.urlSession(
        self.session, streamTask: self, didBecome: streams.input, outputStream: streams.output)
    }
    perform(
      lockedState.withLock { state in
        // The delegate receives nothing more.
        state.completion = nil
        state.measurements = nil
        // The rest of a response still arrives, as the streams are read.
        return state.machine.isReceiving
          ? state.machine.actionAfterTakingOver() : state.machine.sinkFinished()
      })
  }

  // MARK: The connection

  /// Uses the connection that was established. Runs on the transfer's thread.
  func begin(_ socket: ConnectedSocket) {
    if let deadline = lockedState.withLock({ $0.deadline }) {
      let timer = QuestionTimer(after: deadline.remaining) { [weak self] in
        self?.abort(URLError(.deadlinePassed, url: nil))
      }
      deadlineTimer.withLock { $0 = timer }
    }
    let port = initialRequest?.url?.port.flatMap(UInt16.init(exactly:)) ?? 0
    connection.open(
      socket, StreamTLSSettings(host: host, port: port, options: settings.clientOptions))
  }

  /// The task has ended. Operations that wait fail with its error.
  func endStream(hasFailed: Bool) {
    let timer = deadlineTimer.withLock { $0.take() }
    withExtendedLifetime(timer) {}
    if capturedError == nil {
      connection.end(.streamTaskEnded)
    } else if hasRequest, hasFailed {
      // The rest of the response never arrives.
      connection.end(.streamCutOff)
    }
  }

  private func error(_ failure: TransferFailure) -> URLError {
    guard failure == .streamTaskEnded || failure == .streamEnded else { return URLError(failure, url: nil) }
    return lockedState.withLock { $0.error as? URLError } ?? URLError(failure, url: nil)
  }

  private func didCloseReading() {
    notifyDelegate(.readClosed, (any URLSessionStreamDelegate).self) {
      $0.urlSession(self.session, readClosedFor: self)
    }
  }

  private func didCloseWriting() {
    notifyDelegate(.writeClosed, (any URLSessionStreamDelegate).self) {
      $0.urlSession(self.session, writeClosedFor: self)
    }
  }

  private func didFinish(_ failure: TransferFailure?) {
    perform(
      lockedState.withLock { state in
        // The rest of a response that nobody reads is not loaded.
        if state.machine.isReceiving { return state.machine.disconnect() }
        if state.machine.isFinishing, state.error == nil {
          state.error = failure.map { URLError($0, url: nil) }
        }
        return state.machine.sinkFinished()
      })
  }
}
#endif
