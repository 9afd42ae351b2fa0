#if !canImport(Darwin)
  import Foundation
  import Synchronization
  import TransferEngine

  /// Loads URLs: over HTTP/1.1 and HTTP/2, with and without TLS, into memory, files and streams.
  ///
  /// A session owns its connections and applies one configuration to all its tasks. Use ``shared`` for simple loads,
  /// or make one with a ``URLSessionConfiguration``. A session with a delegate holds it until
  /// ``finishTasksAndInvalidate()`` or ``invalidateAndCancel()`` is called.
  ///
  ///     let (data, response) = try await URLSession.shared.data(from: url)
  ///     guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw FetchError.badStatus }
  public final class URLSession: Sendable {
    /// A session with the default configuration and no delegate, for the whole program. It cannot be invalidated.
    public static let shared = URLSession(configuration: .default, isShared: true)

    /// The version of this library, as in its changelog. *Beyond Apple's API.*
    public static let libraryVersion = "0.1.0"

    let settings: SessionSettings
    let mailbox: DelegateMailbox
    let credentials = CredentialCache()
    /// Whether there was a delegate to begin with: spares loads without one the question.
    let wasGivenDelegate: Bool
    private let isShared: Bool
    private let client: SessionClient
    private let registry = Mutex(SessionRegistry<URLSessionTask>())
    private let delegateReference: Mutex<(any URLSessionDelegate)?>
    private let descriptionText = Mutex<String?>(nil)

    /// What this session has loaded, for inspection, once recording is switched on. *Beyond Apple's API.*
    public let archive = TrafficArchive()

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - configuration: how it behaves; it is copied.
    ///   - delegate: receives what happens; held until the session is invalidated.
    ///   - delegateQueue: where the delegate and completion handlers are called; nil for a queue of the session's own.
    ///     One call is made at a time, whatever the queue allows.
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
      mailbox = DelegateMailbox(queue: delegateQueue)
      delegateReference = Mutex(delegate)
      client = SessionClient(settings.clientOptions)
    }

    /// A copy of the configuration the session was made with.
    public var configuration: URLSessionConfiguration { settings.configuration.snapshot }

    /// The queue on which the delegate and completion handlers are called.
    public var delegateQueue: OperationQueue { mailbox.queue }

    /// The session's delegate; nil once the session has been invalidated.
    public var delegate: (any URLSessionDelegate)? {
      wasGivenDelegate ? delegateReference.withLock { $0 } : nil
    }

    /// A text of the program's own, for debugging.
    public var sessionDescription: String? {
      get { descriptionText.withLock { $0 } }
      set { descriptionText.withLock { $0 = newValue } }
    }

    // MARK: Tasks

    func nextTaskIdentifier() -> Int { registry.withLock { $0.nextIdentifier() } }

    /// False when the session has been invalidated.
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

    // MARK: The end

    /// Lets the tasks there are come to their end, takes no new ones, then lets the delegate go.
    ///
    /// Does nothing to ``shared``.
    public func finishTasksAndInvalidate() {
      guard !isShared else { return }
      if registry.withLock({ $0.invalidate() }) { becameInvalid() }
    }

    /// Cancels all tasks, takes no new ones, then lets the delegate go.
    ///
    /// Does nothing to ``shared``.
    public func invalidateAndCancel() {
      guard !isShared else { return }
      let isDone = registry.withLock { $0.invalidate() }
      for task in registeredTasks { task.cancel() }
      if isDone { becameInvalid() }
    }

    private func becameInvalid() {
      client.close()
      guard let delegate = delegateReference.withLock({ $0.take() }) else { return }
      mailbox.post { delegate.urlSession(self, didBecomeInvalidWithError: nil) }
    }

    /// Empties the session's cookie storage, forgets the credentials that servers have accepted from this session, then
    /// calls the handler on the delegate queue.
    ///
    /// A cookie storage that other sessions share is emptied for them too.
    public func reset(completionHandler: @escaping @Sendable () -> Void) {
      settings.cookieStorage?.removeCookies(since: .distantPast)
      credentials.removeAll()
      mailbox.post(completionHandler)
    }

    /// Empties the session's cookie storage, and forgets the credentials that servers have accepted from this session.
    ///
    /// A cookie storage that other sessions share is emptied for them too.
    public func reset() async {
      settings.cookieStorage?.removeCookies(since: .distantPast)
      credentials.removeAll()
    }

    /// Calls the handler on the delegate queue: nothing is buffered that would have to be flushed.
    public func flush(completionHandler: @escaping @Sendable () -> Void) {
      mailbox.post(completionHandler)
    }
  }

  extension URLSession: Hashable {
    /// Whether both are the same session.
    public static func == (left: URLSession, right: URLSession) -> Bool { left === right }

    /// Feeds the session's identity to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
#endif
