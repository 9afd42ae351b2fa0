#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// A single load. A ``URLSession`` creates it suspended; nothing is sent before ``resume()``.
///
/// A program's tests may subclass a task of any kind, and override its methods and properties. The session itself never
/// uses an overridden property.
open class URLSessionTask: NSObject, NSCopying, ProgressReporting, @unchecked Sendable {
  // Unchecked because of two variables. `sink` is set before the first transfer starts and never again.
  // `transferState` is used by the transfer's thread while a transfer runs, and by the code that completes the task
  // after the last transfer has ended. Two threads never use it at the same time. Subclasses must protect what they
  // add.

  /// The number of the task within its session.
  open var taskIdentifier: Int { identifier }

  /// The request that the task was created with.
  open var originalRequest: URLRequest? { initialRequest }

  let identifier: Int
  let initialRequest: URLRequest?
  let session: URLSession
  // The parts of the session that every task uses.
  let settings: SessionSettings
  let background: BackgroundStore?
  let lockedState: Mutex<TaskState>
  var sink = BodySink.memory
  var transferState = TransferThreadState()

  /// The state that only the transfer's thread uses.
  struct TransferThreadState {
    var collected = Data()
    var discardedBytes = 0
    /// The length that the head announces to the consumer; -1 if it is unknown.
    var announcedLength: Int64 = -1
    /// The request of the current transfer, its start time, and the response to it.
    var exchange: (request: URLRequest, start: Date, response: HTTPURLResponse?)?
    /// The part of the cache in the current transfer; nil if there is none.
    var cacheExchange: CacheExchange?
    /// The stored beginning of the body, whose rest arrives from the server; nil if there is none or it was delivered.
    var prefix: Data?
    /// What a protocol allows to be stored; nil if nothing is.
    var protocolResponse: ProtocolResponse?
    /// The socket of a stream task, before the task uses it.
    var socket: ConnectedSocket?
    /// Whether the current transfer belongs to an upload that may be resumed.
    var isResumableUpload = false
    /// How the cache takes part in the next transfer.
    var cacheInstruction = CacheInstruction.lookUp
  }

  /// Whether the session itself made the task, so that neither the program nor a delegate knows of it. Set before the start.
  var isInternal = false

  /// - Parameters:
  ///   - sent: the request to send if it differs from `request`.
  ///   - identifier: the number of the task that this one takes over; nil for a new number.
  init(
    session: URLSession, request: URLRequest, sent: URLRequest? = nil, uploadBody: UploadBody? = nil,
    identifier: Int? = nil
  ) {
    self.session = session
    settings = session.settings
    background = session.background
    self.identifier = identifier ?? session.nextTaskIdentifier()
    initialRequest = request
    // Without an initializer of its own, the state is made in its place, and never copied.
    lockedState = Mutex(TaskState())
    super.init()
    lockedState.withLock { state in
      state.currentRequest = sent ?? request
      state.uploadBody = uploadBody
    }
  }

  /// Creates a task that belongs to no session and has no request, for subclasses that replace its methods.
  ///
  /// If such a task is resumed without replacing ``resume()``, it fails with `URLError.unsupportedURL`.
  public override init() {
    session = URLSession.shared
    settings = session.settings
    background = nil
    identifier = 0
    initialRequest = nil
    lockedState = Mutex(TaskState())
    super.init()
  }

  /// Returns the task itself, because a task is never copied.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Prepares the destination of the body, before the first request is sent.
  func prepareSink() throws(URLError) {}

  // MARK: Life cycle

  /// Starts the task, or resumes a suspended one.
  ///
  /// A task is created with one suspension, and each ``suspend()`` adds one. It continues after the same number of
  /// resumes. Resuming a running task has no effect.
  open func resume() {
    noteResume()
    start(for: nil)
  }

  /// Suspends the task. A task that has not started does not start. A running one sends no more of a long body, receives
  /// no more bytes, and is not ended by ``URLRequest/timeoutInterval``.
  ///
  /// Suspensions are counted: each one needs its own ``resume()``. A server may close a connection that is suspended
  /// for a long time.
  open func suspend() {
    perform(lockedState.withLock { $0.machine.suspend() })
    noteSuspension()
  }

  /// Cancels the task with `URLError.cancelled`. The transfer stops immediately.
  open func cancel() {
    noteCancellation()
    abort(URLError.cancelled(sentRequest?.url))
  }

  /// The states of a task.
  public enum State: Int, Sendable {
    /// Sending or receiving, or ready to do so.
    case running = 0
    /// Not started, or suspended.
    case suspended = 1
    /// Being cancelled, which takes a moment if metrics are collected.
    case canceling = 2
    /// Completed, with or without an error.
    case completed = 3
  }

  /// The current state of the task.
  open var state: State { currentState }

  /// The current state, regardless of what a subclass returns.
  var currentState: State {
    lockedState.withLock { state in
      if state.machine.isCompleted { return .completed }
      if state.machine.isAborting { return .canceling }
      return state.machine.isSuspended ? .suspended : .running
    }
  }

  // MARK: Requests, response and counts

  /// The request that is currently sent. It differs from ``originalRequest`` after redirects, for an upload that was
  /// created from a GET, and for one that is resumed.
  open var currentRequest: URLRequest? { sentRequest }

  /// The current request, regardless of what a subclass returns.
  var sentRequest: URLRequest? { lockedState.withLock { $0.currentRequest } }

  /// The response; nil until its head has arrived.
  open var response: URLResponse? { lockedState.withLock { $0.response } }

  /// The error of a failed task; nil before its end and after success.
  open var error: (any Error)? { lockedState.withLock { $0.error } }

  /// The delegate of this task only, called before the session's delegate. It never returns the session's delegate.
  ///
  /// Set it before the task is resumed. The task retains it until it completes. Setting it has no effect on a task of a
  /// background session.
  open var delegate: (any URLSessionTaskDelegate)? {
    get { lockedState.withLock { $0.delegate } }
    set {
      guard background == nil else { return }
      var other = newValue
      lockedState.withLock { state in
        if !state.machine.isCompleted { swap(&state.delegate, &other) }
      }
      // The previous delegate is released outside the lock, because its deinitializer may access this task.
      _ = other
    }
  }

  /// The number of bytes of the request body that were passed to the connection.
  open var countOfBytesSent: Int64 { lockedState.withLock { $0.counts.sent } }

  /// The number of bytes of the response body that have arrived, after decoding.
  open var countOfBytesReceived: Int64 { lockedState.withLock { $0.counts.received } }

  /// The length of the request body; 0 without a body, `NSURLSessionTransferSizeUnknown` if it is unknown.
  open var countOfBytesExpectedToSend: Int64 { lockedState.withLock { $0.expectedToSend } }

  /// The length of the response body; `NSURLSessionTransferSizeUnknown` if the server did not announce it.
  open var countOfBytesExpectedToReceive: Int64 { lockedState.withLock { $0.counts.expected } }

  /// The task's progress, in bytes sent and received. Cancelling it cancels the task.
  ///
  /// Created on first access, so that it costs nothing for other loads.
  open var progress: Progress {
    let (progress, isNew) = lockedState.withLock { state in
      if let progress = state.progress { return (progress, false) }
      let progress = Progress(totalUnitCount: -1)
      state.progress = progress
      return (progress, true)
    }
    if isNew {
      progress.isCancellable = true
      progress.cancellationHandler = { [weak self] in self?.cancel() }
      reportProgress()
    }
    return progress
  }

  // MARK: Properties that the program sets

  /// The default priority.
  public static let defaultPriority: Float = 0.5
  /// A low priority.
  public static let lowPriority: Float = 0.25
  /// A high priority.
  public static let highPriority: Float = 0.75

  /// The priority of the task, from 0 to 1. Other values are changed to the nearest bound.
  ///
  /// Requests that wait for a connection to the same host start in the order of priority, the highest first. A
  /// request that is already waiting keeps the priority with which it began to wait. The priority is not sent to
  /// servers.
  open var priority: Float {
    get { lockedState.withLock { $0.attributes.priority } }
    set { change { $0.priority = min(max(newValue, 0), 1) } }
  }

  /// Whether a delegate gets the body in parts, as they arrive (default: true).
  ///
  /// With false, it gets up to 1 MiB at a time, and a shorter body in one call at its end.
  open var prefersIncrementalDelivery: Bool {
    get { lockedState.withLock { $0.attributes.prefersIncrementalDelivery } }
    set { lockedState.withLock { $0.attributes.prefersIncrementalDelivery = newValue } }
  }

  /// A description that the program can set.
  open var taskDescription: String? {
    get { lockedState.withLock { $0.attributes.taskDescription } }
    set { change { $0.taskDescription = newValue } }
  }

  /// The date before which the load does not begin; nil to begin when the task is resumed.
  ///
  /// Set it before the task is resumed. When the load is about to begin, the delegate is asked
  /// (``URLSessionTaskDelegate/urlSession(_:task:willBeginDelayedRequest:completionHandler:)``).
  /// ``URLSessionConfiguration/timeoutIntervalForResource`` counts from then. On Apple's platforms, only tasks of
  /// background sessions wait.
  open var earliestBeginDate: Date? {
    get { lockedState.withLock { $0.attributes.earliestBeginDate } }
    set { change { $0.earliestBeginDate = newValue } }
  }

  /// The program's estimate of the number of bytes to send. Kept for source compatibility.
  open var countOfBytesClientExpectsToSend: Int64 {
    get { lockedState.withLock { $0.attributes.clientExpectsToSend } }
    set { change { $0.clientExpectsToSend = newValue } }
  }

  /// The program's estimate of the number of bytes to receive. Kept for source compatibility.
  open var countOfBytesClientExpectsToReceive: Int64 {
    get { lockedState.withLock { $0.attributes.clientExpectsToReceive } }
    set { change { $0.clientExpectsToReceive = newValue } }
  }
}

extension URLSessionTask {
  /// Changes a property that the program sets. A background session stores it.
  private func change(_ change: (inout TaskState.Attributes) -> Void) {
    lockedState.withLock { change(&$0.attributes) }
    noteAttributes()
  }
}

/// A task that delivers its response in memory, to a delegate, or as a stream of bytes.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
#endif
