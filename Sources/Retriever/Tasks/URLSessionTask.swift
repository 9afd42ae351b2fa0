#if !canImport(Darwin)
  import Foundation
  import Synchronization
  import TransferEngine

  /// One load. Made suspended by a ``URLSession``; nothing is sent before ``resume()``.
  public class URLSessionTask: @unchecked Sendable {
    // Unchecked because of two variables. `sink` is set before the first transfer starts and never again. `loop`
    // is touched by the transfer's thread while a transfer runs, and by whoever completes the task after the last
    // transfer has ended; never by two threads at a time.

    /// The number of the task within its session.
    public let taskIdentifier: Int

    /// The request the task was made with.
    public let originalRequest: URLRequest?

    let session: URLSession
    let inner: Mutex<TaskState>
    var sink = BodySink.memory
    var loop = LoopState()

    /// What the transfer's thread notes for itself.
    struct LoopState {
      var collected = Data()
      var discardedBytes = 0
      /// What the head says the consumer will get; -1 when it does not say.
      var announcedLength: Int64 = -1
      /// The request of the transfer that runs, when it began, and the head that answered it.
      var exchange: (request: URLRequest, start: Date, response: HTTPURLResponse?)?
    }

    /// - Parameter sent: what is sent when it is not the request itself.
    init(
      session: URLSession, request: URLRequest, sent: URLRequest? = nil, uploadBody: UploadBody? = nil
    ) {
      self.session = session
      taskIdentifier = session.nextTaskIdentifier()
      originalRequest = request
      inner = Mutex(TaskState(request: sent ?? request, uploadBody: uploadBody))
    }

    /// Makes ready where the body goes, before the first request is sent.
    func prepareSink() throws(URLError) {}

    // MARK: Life

    /// Starts the task, or lets a suspended one go on.
    ///
    /// A task is made suspended once, and each ``suspend()`` adds one: it goes on after as many resumes. Resuming a task
    /// that runs does nothing.
    public func resume() { start(for: nil) }

    /// Holds the task back: an unstarted one does not start, a running one receives nothing more for now.
    ///
    /// Suspensions are counted: each needs a ``resume()`` of its own. A connection that is held for long may be closed by
    /// its server.
    public func suspend() { inner.withLock { $0.machine.suspend() } }

    /// Ends the task with `URLError.cancelled`. The transfer stops at once, whatever it was doing.
    public func cancel() { abort(URLError.cancelled(currentRequest?.url)) }

    /// Where in its life a task is.
    public enum State: Int, Sendable {
      /// Receiving or sending, or ready to.
      case running = 0
      /// Not started, or held back.
      case suspended = 1
      /// Asked to end, which takes a moment when somebody wants to know the measurements.
      case canceling = 2
      /// Over, with or without an error.
      case completed = 3
    }

    /// Where in its life the task is now.
    public var state: State {
      inner.withLock { inner in
        if inner.machine.phase == .completed { return .completed }
        if inner.machine.phase == .aborting { return .canceling }
        return inner.machine.isSuspended ? .suspended : .running
      }
    }

    // MARK: What is known

    /// The request as it is sent now: after redirects, and for an upload that was made of a GET, another one than
    /// ``originalRequest``.
    public var currentRequest: URLRequest? { inner.withLock { $0.currentRequest } }

    /// The response, once its head has arrived.
    public var response: URLResponse? { inner.withLock { $0.response } }

    /// Why the task failed; nil before its end and after success.
    public var error: (any Error)? { inner.withLock { $0.error } }

    /// The delegate of this task alone, asked before the session's. Never returns the session's.
    ///
    /// Set it before the task is resumed; it is held until the task completes.
    public var delegate: (any URLSessionTaskDelegate)? {
      get { inner.withLock { $0.delegate } }
      set {
        var other = newValue
        inner.withLock { inner in
          if inner.machine.phase != .completed { swap(&inner.delegate, &other) }
        }
        // The one before goes out here: what its end sets off may ask this task.
        _ = other
      }
    }

    /// How many bytes of the request's body were handed to the connection.
    public var countOfBytesSent: Int64 { inner.withLock { $0.sentBytes } }

    /// How many bytes of the response's body have arrived, after decoding.
    public var countOfBytesReceived: Int64 { inner.withLock { $0.receivedBytes } }

    /// The length of the request's body; 0 without one, `NSURLSessionTransferSizeUnknown` when it is not known.
    public var countOfBytesExpectedToSend: Int64 { inner.withLock { $0.expectedToSend } }

    /// The length the response announced; `NSURLSessionTransferSizeUnknown` when it did not.
    public var countOfBytesExpectedToReceive: Int64 { inner.withLock { $0.expectedToReceive } }

    // MARK: What the program sets

    /// The priority of a task that was given none.
    public static let defaultPriority: Float = 0.5
    /// A low priority.
    public static let lowPriority: Float = 0.25
    /// A high priority.
    public static let highPriority: Float = 0.75

    /// The priority of the task, from 0 to 1; values outside are moved to the nearest bound.
    ///
    /// Of the requests that wait for a connection to the same host, those with a higher priority start first. A request
    /// that waits already keeps the priority with which it began to wait. Servers do not see the priority.
    public var priority: Float {
      get { inner.withLock { $0.face.priority } }
      set { inner.withLock { $0.face.priority = min(max(newValue, 0), 1) } }
    }

    /// A text of the program's own.
    public var taskDescription: String? {
      get { inner.withLock { $0.face.taskDescription } }
      set { inner.withLock { $0.face.taskDescription = newValue } }
    }

    /// When a background task may begin. Kept for source compatibility.
    public var earliestBeginDate: Date? {
      get { inner.withLock { $0.face.earliestBeginDate } }
      set { inner.withLock { $0.face.earliestBeginDate = newValue } }
    }

    /// The program's own guess of what will be sent. Kept for source compatibility.
    public var countOfBytesClientExpectsToSend: Int64 {
      get { inner.withLock { $0.face.clientExpectsToSend } }
      set { inner.withLock { $0.face.clientExpectsToSend = newValue } }
    }

    /// The program's own guess of what will be received. Kept for source compatibility.
    public var countOfBytesClientExpectsToReceive: Int64 {
      get { inner.withLock { $0.face.clientExpectsToReceive } }
      set { inner.withLock { $0.face.clientExpectsToReceive = newValue } }
    }
  }

  extension URLSessionTask: Hashable {
    /// Whether both are the same task.
    public static func == (left: URLSessionTask, right: URLSessionTask) -> Bool { left === right }

    /// Feeds the task's identity to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// A task that delivers its response in memory, to a delegate or as a stream of bytes.
  public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

  /// A task that sends a body.
  public class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
#endif
