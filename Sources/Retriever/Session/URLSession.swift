#if !canImport(Darwin)
import Foundation
import HTTPSyntax
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
///
/// A program's tests may subclass a session, and override the methods that create tasks.
// Unchecked because a subclass may add properties, and because of `givenParts`. The invariant for this class: only an
// initializer sets `givenParts`, and every other stored property is a constant of a Sendable type. Subclasses must follow
// the same rule.
open class URLSession: NSObject, @unchecked Sendable {
  /// A session with the default configuration and no delegate, for the entire program. It cannot be invalidated.
  open class var shared: URLSession { sharedSession }
  private static let sharedSession = URLSession(SessionParts(.default, isShared: true))

  /// The version of this library, as in its changelog. *Beyond Apple's API.*
  public static let libraryVersion = ProjectVersion.current

  /// Nil for a session that was created without a configuration.
  private var givenParts: SessionParts?
  private let defaultParts = Mutex<SessionParts?>(nil)
  let credentials = CredentialCache()
  /// The URLs whose stored responses are being validated in the background.
  let revalidations = Mutex<Set<CacheKey>>([])
  /// The loads that wait for the response to another one.
  let sharedLoads = SharedLoads()
  let registry = Mutex(SessionRegistry<URLSessionTask>())
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
    self.init(SessionParts(configuration, delegate: delegate, delegateQueue: delegateQueue))
  }

  /// Creates a session without a delegate.
  ///
  /// - Parameter configuration: the session's configuration, which is copied.
  public convenience init(configuration: URLSessionConfiguration) {
    self.init(SessionParts(configuration))
  }

  /// Creates a session with the default configuration and no delegate, for subclasses that replace its tasks.
  public override init() { super.init() }

  private convenience init(_ parts: SessionParts) {
    self.init()
    givenParts = parts
    if parts.background != nil { takeUpBackgroundTasks() }
  }

  private var parts: SessionParts {
    if let givenParts { return givenParts }
    return defaultParts.withLock { parts in
      let used = parts ?? SessionParts(.default)
      parts = used
      return used
    }
  }

  var settings: SessionSettings { parts.settings }
  var callQueue: DelegateCallQueue { parts.callQueue }
  var client: SessionClient { parts.client }
  var delegateClients: DelegateClients { parts.delegateClients }
  /// The tasks on disk; nil if this is not a background session.
  var background: BackgroundStore? { parts.background }

  /// A copy of the configuration that the session was created with.
  open var configuration: URLSessionConfiguration { settings.configuration.snapshot }

  /// The queue on which the delegate and completion handlers are called.
  open var delegateQueue: OperationQueue { callQueue.queue }

  /// The session's delegate; nil after the session has been invalidated.
  open var delegate: (any URLSessionDelegate)? { currentDelegate }

  /// The delegate, regardless of what a subclass returns.
  var currentDelegate: (any URLSessionDelegate)? {
    let parts = parts
    return parts.wasGivenDelegate ? parts.delegate.withLock { $0 } : nil
  }

  /// A description for debugging, which the program can set.
  open var sessionDescription: String? {
    get { descriptionText.withLock { $0 } }
    set { descriptionText.withLock { $0 = newValue } }
  }

  // MARK: Data tasks

  /// Creates a task that loads a URL and reports to the delegate.
  open func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

  /// Creates a task that loads a request and reports to the delegate.
  open func dataTask(with request: URLRequest) -> URLSessionDataTask {
    let task = URLSessionDataTask(session: self, request: request)
    task.sink = .delegate(DelegateBody())
    return admit(task, .delegate)
  }

  /// Creates a task that loads a URL and passes the complete result to a handler, on the delegate queue.
  open func dataTask(
    with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that loads a request and passes the complete result to a handler, on the delegate queue.
  open func dataTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    admit(URLSessionDataTask(session: self, request: request), .dataHandler(completionHandler))
  }

  // MARK: Upload tasks

  /// Creates a task that sends data and reports to the delegate.
  open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    delegateUploadTask(with: request, .data(bodyData))
  }

  /// Creates a task that sends a file in pieces and reports to the delegate.
  open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    delegateUploadTask(with: request, .file(fileURL))
  }

  /// Creates a task that asks its delegate for a stream and sends it.
  open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
    delegateUploadTask(with: request, .streamFromDelegate)
  }

  /// Creates a task that sends data and passes the complete result to a handler, on the delegate queue.
  open func uploadTask(
    with request: URLRequest, from bodyData: Data?,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    admit(makeUploadTask(request, .data(bodyData ?? Data())), .dataHandler(completionHandler))
  }

  /// Creates a task that sends a file in pieces and passes the complete result to a handler, on the delegate queue.
  open func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    admit(makeUploadTask(request, .file(fileURL)), .dataHandler(completionHandler))
  }

  /// Creates a task that resumes an interrupted upload and reports to the delegate.
  ///
  /// The server's offset decides which bytes are sent again. An uploaded file must still exist and must not have changed.
  /// If the body is a stream, the delegate provides its rest
  /// (``URLSessionTaskDelegate/urlSession(_:task:needNewBodyStreamFrom:completionHandler:)``). A task with invalid resume data
  /// fails with `URLError.unsupportedURL`, and one whose upload the server no longer has with
  /// `URLError.resourceUnavailable`.
  ///
  /// - Parameter resumeData: the data of ``URLSessionUploadTask/cancel(byProducingResumeData:)``, or of an error's
  ///   `uploadTaskResumeData`.
  open func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
    makeUploadTask(resumeData, .delegate)
  }

  /// Creates a task that resumes an interrupted upload and passes the complete result to a handler, on the delegate
  /// queue.
  ///
  /// - Parameters:
  ///   - resumeData: the data of ``URLSessionUploadTask/cancel(byProducingResumeData:)``, or of an error's
  ///     `uploadTaskResumeData`.
  ///   - completionHandler: receives the result. ``uploadTask(withResumeData:)`` lists the errors.
  open func uploadTask(
    withResumeData resumeData: Data,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    makeUploadTask(resumeData, .dataHandler(completionHandler))
  }

  // MARK: Download tasks

  /// Creates a task that loads a URL into a file and reports to the delegate.
  open func downloadTask(with url: URL) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url))
  }

  /// Creates a task that loads a request into a file and reports to the delegate.
  open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
    makeDownloadTask(request, resuming: nil, .delegate)
  }

  /// Creates a task that resumes an interrupted download and reports to the delegate.
  open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    makeDownloadTask(resumeData, .delegate)
  }

  /// Creates a task that loads a URL into a file. The file is removed when the handler returns: move or open it
  /// there.
  open func downloadTask(
    with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that loads a request into a file. The file is removed when the handler returns: move or open it
  /// there.
  open func downloadTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    makeDownloadTask(request, resuming: nil, .downloadHandler(completionHandler))
  }

  /// Creates a task that resumes an interrupted download. The file is removed when the handler returns.
  open func downloadTask(
    withResumeData resumeData: Data,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    makeDownloadTask(resumeData, .downloadHandler(completionHandler))
  }

  // MARK: WebSocket

  /// Creates a task that opens a WebSocket connection to a URL with the scheme `ws` or `wss`.
  open func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
    webSocketTask(with: url, protocols: [])
  }

  /// Creates a task that opens a WebSocket connection and offers subprotocols, in the order of preference.
  open func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
    makeWebSocketTask(URLRequest(url: url), protocols)
  }

  /// Creates a task that opens a WebSocket connection with a request's URL and header fields.
  ///
  /// The field `Sec-WebSocket-Protocol` offers subprotocols. The other fields of the handshake cannot be set.
  open func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
    let subprotocols = request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol")
    return makeWebSocketTask(request, subprotocols.map { ASCII.listMembers($0) } ?? [])
  }

  // MARK: Streams

  /// Creates a task that reads from and writes to a TCP connection.
  ///
  /// If the host name or the port is invalid, the task fails with `URLError.badURL`.
  ///
  /// - Parameters:
  ///   - hostname: the name or the address of the server.
  ///   - port: the port of the server.
  open func streamTask(withHostName hostname: String, port: Int) -> URLSessionStreamTask {
    admit(URLSessionStreamTask(session: self, host: hostname, port: port), .delegate)
  }

  // MARK: All tasks

  /// Calls the handler on the delegate queue with the tasks that have not ended, by kind.
  open func getTasksWithCompletionHandler(
    _ completionHandler:
      @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
  ) {
    callQueue.post {
      let (data, upload, download) = self.tasksByKind
      completionHandler(data, upload, download)
    }
  }

  /// Calls the handler on the delegate queue with all tasks that have not ended.
  open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
    callQueue.post { completionHandler(self.listedTasks) }
  }

  /// All tasks that have not ended.
  open var allTasks: [URLSessionTask] { get async { listedTasks } }

  /// The tasks that have not ended, by kind.
  open var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async { tasksByKind }
  }

  // MARK: Invalidation

  /// Lets existing tasks finish, takes no new ones, and then releases the delegate.
  ///
  /// Has no effect on ``shared``.
  open func finishTasksAndInvalidate() {
    guard !parts.isShared else { return }
    if registry.withLock({ $0.invalidate() }) { becameInvalid() }
  }

  /// Cancels all tasks, takes no new ones, and then releases the delegate.
  ///
  /// A background session also removes its tasks from the disk. Has no effect on ``shared``.
  open func invalidateAndCancel() {
    guard !parts.isShared else { return }
    background?.removeAll()
    let isDone = registry.withLock { $0.invalidate() }
    for task in registeredTasks { task.cancel() }
    if isDone { becameInvalid() }
  }

  func becameInvalid() {
    client.close()
    delegateClients.close()
    background?.close()
    guard let delegate = parts.delegate.withLock({ $0.take() }) else { return }
    callQueue.post { delegate.urlSession(self, didBecomeInvalidWithError: nil) }
  }

  /// Returns whether the server of a URL has accepted a credential in this session. Responses may then be private.
  package func hasSignedIn(to url: URL) -> Bool { credentials.hasEntry(for: url) }

  /// Empties the session's cookie storage and cache, removes the credentials that servers have accepted from this
  /// session, forgets the decisions of delegates about servers, and lets later loads use new connections.
  ///
  /// If other sessions share the cookie storage or the cache, they are emptied for them too.
  open func reset(completionHandler: @escaping @Sendable () -> Void) {
    forgetEverything()
    callQueue.post(completionHandler)
  }

  /// Empties the session's cookie storage and cache, removes the credentials that servers have accepted from this
  /// session, forgets the decisions of delegates about servers, and lets later loads use new connections.
  ///
  /// If other sessions share the cookie storage or the cache, they are emptied for them too.
  open func reset() async { forgetEverything() }

  private func forgetEverything() {
    settings.cookieStorage?.removeCookies(since: .distantPast)
    settings.cache?.removeAllCachedResponses()
    credentials.removeAll()
    delegateClients.reset()
    client.retireConnections()
  }

  /// Lets later loads use new connections, for example after the network has changed. Running loads keep theirs. Then
  /// calls the handler on the delegate queue.
  open func flush(completionHandler: @escaping @Sendable () -> Void) {
    renewConnections()
    callQueue.post(completionHandler)
  }

  /// Lets later loads use new connections, for example after the network has changed. Running loads keep theirs.
  open func flush() async { renewConnections() }

  private func renewConnections() {
    client.retireConnections()
    delegateClients.retireConnections()
  }
}

#endif
