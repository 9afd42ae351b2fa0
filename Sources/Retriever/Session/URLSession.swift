#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// A session loads URLs into memory, files and streams, over HTTP/1.1 and HTTP/2, with and without TLS.
///
/// A session owns its connections and applies one configuration to all its tasks. Use ``shared`` for simple loads, or
/// create a session with a ``URLSessionConfiguration``. A session keeps a strong reference to its delegate until
/// ``finishTasksAndInvalidate()`` or ``invalidateAndCancel()`` is called.
///
///     let (data, response) = try await URLSession.shared.data(from: url)
///     guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw FetchError.badStatus }
public final class URLSession: Sendable {
  /// A session with the default configuration and no delegate, for the entire program. It cannot be invalidated.
  public static let shared = URLSession(configuration: .default, isShared: true)

  /// The version of this library, as in its changelog. *Beyond Apple's API.*
  public static let libraryVersion = ProjectVersion.current

  let settings: SessionSettings
  let callQueue: DelegateCallQueue
  let credentials = CredentialCache()
  /// Whether the session was created with a delegate. Loads without one avoid the lock.
  let wasGivenDelegate: Bool
  private let isShared: Bool
  private let client: SessionClient
  private let registry = Mutex(SessionRegistry<URLSessionTask>())
  private let delegateReference: Mutex<(any URLSessionDelegate)?>
  private let descriptionText = Mutex<String?>(nil)

  /// The archive of this session's transactions. Recording is off by default. *Beyond Apple's API.*
  public let archive = TrafficArchive()

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - configuration: the session's configuration, which is copied.
  ///   - delegate: the session's delegate, retained until the session is invalidated.
  ///   - delegateQueue: the queue on which the delegate and completion handlers are called; nil for the session's own
  ///     queue. Calls are made one at a time, even if the queue allows more.
  public convenience init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue: OperationQueue? = nil
  ) {
    self.init(
      configuration: configuration, delegate: delegate, delegateQueue: delegateQueue, isShared: false)
  }

  private init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue: OperationQueue? = nil, isShared: Bool
  ) {
    self.isShared = isShared
    settings = SessionSettings(configuration)
    wasGivenDelegate = delegate != nil
    callQueue = DelegateCallQueue(queue: delegateQueue)
    delegateReference = Mutex(delegate)
    client = SessionClient(settings.clientOptions)
  }

  /// A copy of the configuration that the session was created with.
  public var configuration: URLSessionConfiguration { settings.configuration.snapshot }

  /// The queue on which the delegate and completion handlers are called.
  public var delegateQueue: OperationQueue { callQueue.queue }

  /// The session's delegate; nil after the session has been invalidated.
  public var delegate: (any URLSessionDelegate)? {
    wasGivenDelegate ? delegateReference.withLock { $0 } : nil
  }

  /// A description for debugging, which the program can set.
  public var sessionDescription: String? {
    get { descriptionText.withLock { $0 } }
    set { descriptionText.withLock { $0 = newValue } }
  }

  // MARK: Tasks

  func nextTaskIdentifier() -> Int { registry.withLock { $0.nextIdentifier() } }

  /// Adds a task. Returns false if the session has been invalidated.
  func register(_ task: URLSessionTask) -> Bool {
    registry.withLock { $0.add(task, identifier: task.taskIdentifier) }
  }

  func unregister(_ task: URLSessionTask) {
    if registry.withLock({ $0.remove(task.taskIdentifier) }) { becameInvalid() }
  }

  func transferClient() throws(TransferFailure) -> TransferClient { try client.take() }

  var registeredTasks: [URLSessionTask] {
    registry.withLock { $0.all }.sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  // MARK: Invalidation

  /// Lets existing tasks finish, takes no new ones, and then releases the delegate.
  ///
  /// Has no effect on ``shared``.
  public func finishTasksAndInvalidate() {
    guard !isShared else { return }
    if registry.withLock({ $0.invalidate() }) { becameInvalid() }
  }

  /// Cancels all tasks, takes no new ones, and then releases the delegate.
  ///
  /// Has no effect on ``shared``.
  public func invalidateAndCancel() {
    guard !isShared else { return }
    let isDone = registry.withLock { $0.invalidate() }
    for task in registeredTasks { task.cancel() }
    if isDone { becameInvalid() }
  }

  private func becameInvalid() {
    client.close()
    guard let delegate = delegateReference.withLock({ $0.take() }) else { return }
    callQueue.post { delegate.urlSession(self, didBecomeInvalidWithError: nil) }
  }

  /// Empties the session's cookie storage and removes the credentials that servers have accepted from this session.
  /// Then calls the handler on the delegate queue.
  ///
  /// If other sessions share the cookie storage, it is emptied for them too.
  public func reset(completionHandler: @escaping @Sendable () -> Void) {
    settings.cookieStorage?.removeCookies(since: .distantPast)
    credentials.removeAll()
    callQueue.post(completionHandler)
  }

  /// Empties the session's cookie storage and removes the credentials that servers have accepted from this session.
  ///
  /// If other sessions share the cookie storage, it is emptied for them too.
  public func reset() async {
    settings.cookieStorage?.removeCookies(since: .distantPast)
    credentials.removeAll()
  }

  /// Calls the handler on the delegate queue. There are no buffers to flush.
  public func flush(completionHandler: @escaping @Sendable () -> Void) {
    callQueue.post(completionHandler)
  }
}

extension URLSession: Hashable {
  /// Whether both sessions are the same object.
  public static func == (left: URLSession, right: URLSession) -> Bool { left === right }

  /// Adds the session's identity to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
