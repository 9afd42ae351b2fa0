#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// A single load. A ``URLSession`` creates it suspended; nothing is sent before ``resume()``.
public class URLSessionTask: @unchecked Sendable {
  // Unchecked because of two variables. `sink` is set before the first transfer starts and never again.
  // `transferState` is used by the transfer's thread while a transfer runs, and by the code that completes the task
  // after the last transfer has ended. Two threads never use it at the same time.

  /// The number of the task within its session.
  public let taskIdentifier: Int

  /// The request that the task was created with.
  public let originalRequest: URLRequest?

  let session: URLSession
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
  }

  /// - Parameter sent: the request to send if it differs from `request`.
  init(
    session: URLSession, request: URLRequest, sent: URLRequest? = nil, uploadBody: UploadBody? = nil
  ) {
    self.session = session
    taskIdentifier = session.nextTaskIdentifier()
    originalRequest = request
    lockedState = Mutex(TaskState(request: sent ?? request, uploadBody: uploadBody))
  }

  /// Prepares the destination of the body, before the first request is sent.
  func prepareSink() throws(URLError) {}

  // MARK: Life cycle

  /// Starts the task, or resumes a suspended one.
  ///
  /// A task is created with one suspension, and each ``suspend()`` adds one. It continues after the same number of
  /// resumes. Resuming a running task has no effect.
  public func resume() { start(for: nil) }

  /// Suspends the task. A task that has not started does not start, and a running one receives no more bytes.
  ///
  /// Suspensions are counted: each one needs its own ``resume()``. A server may close a connection that is suspended
  /// for a long time.
  public func suspend() {
    perform(lockedState.withLock { $0.machine.suspend() })
  }

  /// Cancels the task with `URLError.cancelled`. The transfer stops immediately.
  public func cancel() { abort(URLError.cancelled(currentRequest?.url)) }

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
  public var state: State {
    lockedState.withLock { state in
      if state.machine.isCompleted { return .completed }
      if state.machine.isAborting { return .canceling }
      return state.machine.isSuspended ? .suspended : .running
    }
  }

  // MARK: Requests, response and counts

  /// The request that is currently sent. It differs from ``originalRequest`` after redirects, and for an upload that
  /// was created from a GET.
  public var currentRequest: URLRequest? { lockedState.withLock { $0.currentRequest } }

  /// The response; nil until its head has arrived.
  public var response: URLResponse? { lockedState.withLock { $0.response } }

  /// The error of a failed task; nil before its end and after success.
  public var error: (any Error)? { lockedState.withLock { $0.error } }

  /// The delegate of this task only, called before the session's delegate. It never returns the session's delegate.
  ///
  /// Set it before the task is resumed. The task retains it until it completes.
  public var delegate: (any URLSessionTaskDelegate)? {
    get { lockedState.withLock { $0.delegate } }
    set {
      var other = newValue
      lockedState.withLock { state in
        if !state.machine.isCompleted { swap(&state.delegate, &other) }
      }
      // The previous delegate is released outside the lock, because its deinitializer may access this task.
      _ = other
    }
  }

  /// The number of bytes of the request body that were passed to the connection.
  public var countOfBytesSent: Int64 { lockedState.withLock { $0.counts.sent } }

  /// The number of bytes of the response body that have arrived, after decoding.
  public var countOfBytesReceived: Int64 { lockedState.withLock { $0.counts.received } }

  /// The length of the request body; 0 without a body, `NSURLSessionTransferSizeUnknown` if it is unknown.
  public var countOfBytesExpectedToSend: Int64 { lockedState.withLock { $0.expectedToSend } }

  /// The length of the response body; `NSURLSessionTransferSizeUnknown` if the server did not announce it.
  public var countOfBytesExpectedToReceive: Int64 { lockedState.withLock { $0.counts.expected } }

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
  public var priority: Float {
    get { lockedState.withLock { $0.attributes.priority } }
    set { lockedState.withLock { $0.attributes.priority = min(max(newValue, 0), 1) } }
  }

  /// A description that the program can set.
  public var taskDescription: String? {
    get { lockedState.withLock { $0.attributes.taskDescription } }
    set { lockedState.withLock { $0.attributes.taskDescription = newValue } }
  }

  /// The earliest start of a background task. Kept for source compatibility.
  public var earliestBeginDate: Date? {
    get { lockedState.withLock { $0.attributes.earliestBeginDate } }
    set { lockedState.withLock { $0.attributes.earliestBeginDate = newValue } }
  }

  /// The program's estimate of the number of bytes to send. Kept for source compatibility.
  public var countOfBytesClientExpectsToSend: Int64 {
    get { lockedState.withLock { $0.attributes.clientExpectsToSend } }
    set { lockedState.withLock { $0.attributes.clientExpectsToSend = newValue } }
  }

  /// The program's estimate of the number of bytes to receive. Kept for source compatibility.
  public var countOfBytesClientExpectsToReceive: Int64 {
    get { lockedState.withLock { $0.attributes.clientExpectsToReceive } }
    set { lockedState.withLock { $0.attributes.clientExpectsToReceive = newValue } }
  }
}

extension URLSessionTask: Hashable {
  /// Whether both tasks are the same object.
  public static func == (left: URLSessionTask, right: URLSessionTask) -> Bool { left === right }

  /// Adds the task's identity to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A task that delivers its response in memory, to a delegate, or as a stream of bytes.
public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a body.
public class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
#endif
