#if !canImport(Darwin)
import Foundation
import Synchronization

// Tasks for delegates and completion handlers.
extension URLSession {
  // MARK: Data

  /// Creates a task that loads a URL and reports to the delegate.
  public func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

  /// Creates a task that loads a request and reports to the delegate.
  public func dataTask(with request: URLRequest) -> URLSessionDataTask {
    let task = URLSessionDataTask(session: self, request: request)
    task.sink = .delegate(DelegateBody())
    return admit(task, .delegate)
  }

  /// Creates a task that loads a URL and passes the complete result to a handler, on the delegate queue.
  public func dataTask(
    with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that loads a request and passes the complete result to a handler, on the delegate queue.
  public func dataTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    admit(URLSessionDataTask(session: self, request: request), .dataHandler(completionHandler))
  }

  // MARK: Upload

  /// Creates a task that sends data and reports to the delegate.
  public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    uploadTask(with: request, .data(bodyData))
  }

  /// Creates a task that sends a file in pieces and reports to the delegate.
  public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    uploadTask(with: request, .file(fileURL))
  }

  /// Creates a task that asks its delegate for a stream and sends it.
  public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
    uploadTask(with: request, .streamFromDelegate)
  }

  private func uploadTask(with request: URLRequest, _ body: UploadBody) -> URLSessionUploadTask {
    let task = makeUploadTask(request, body)
    task.sink = .delegate(DelegateBody())
    return admit(task, .delegate)
  }

  /// Creates a task that sends data and passes the complete result to a handler, on the delegate queue.
  public func uploadTask(
    with request: URLRequest, from bodyData: Data?,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    admit(makeUploadTask(request, .data(bodyData ?? Data())), .dataHandler(completionHandler))
  }

  /// Creates a task that sends a file in pieces and passes the complete result to a handler, on the delegate queue.
  public func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    admit(makeUploadTask(request, .file(fileURL)), .dataHandler(completionHandler))
  }

  func makeUploadTask(_ request: URLRequest, _ body: UploadBody) -> URLSessionUploadTask {
    var sent = request
    // Apple's upload tasks also turn a GET into a POST, because a GET has no body.
    if sent.httpMethod == nil || sent.httpMethod == "GET" { sent.httpMethod = "POST" }
    return URLSessionUploadTask(session: self, request: request, sent: sent, uploadBody: body)
  }

  // MARK: Download

  /// Creates a task that loads a URL into a file and reports to the delegate.
  public func downloadTask(with url: URL) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url))
  }

  /// Creates a task that loads a request into a file and reports to the delegate.
  public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
    makeDownloadTask(request, resuming: nil, .delegate)
  }

  /// Creates a task that resumes an interrupted download and reports to the delegate.
  public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    makeDownloadTask(resumeData, .delegate)
  }

  /// Creates a task that loads a URL into a file. The file is removed when the handler returns: move or open it
  /// there.
  public func downloadTask(
    with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that loads a request into a file. The file is removed when the handler returns: move or open it
  /// there.
  public func downloadTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    makeDownloadTask(request, resuming: nil, .downloadHandler(completionHandler))
  }

  /// Creates a task that resumes an interrupted download. The file is removed when the handler returns.
  public func downloadTask(
    withResumeData resumeData: Data,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    makeDownloadTask(resumeData, .downloadHandler(completionHandler))
  }

  func makeDownloadTask(
    _ request: URLRequest, resuming resume: ResumeData?, _ completion: TaskCompletion?,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDownloadTask {
    let task = URLSessionDownloadTask(session: self, request: request)
    task.lockedState.withLock { $0.resume = resume }
    return admit(task, completion, delegate: delegate)
  }

  func makeDownloadTask(
    _ resumeData: Data, _ completion: TaskCompletion?, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDownloadTask {
    if let resume = ResumeData(resumeData) {
      return makeDownloadTask(resume.request, resuming: resume, completion, delegate: delegate)
    }
    var request = URLRequest(url: URL(fileURLWithPath: "/"))
    request.url = nil
    let task = admit(URLSessionDownloadTask(session: self, request: request), completion)
    task.abort(
      URLError(
        .unsupportedURL,
        message: "The resume data is damaged or does not come from this library. "
          + "Download the file from the beginning."))
    return task
  }

  // MARK: All tasks

  /// Adds a task to the session. If the session has been invalidated, the task fails immediately.
  func admit<Task: URLSessionTask>(
    _ task: Task, _ completion: TaskCompletion?, delegate ofTask: (any URLSessionTaskDelegate)? = nil
  ) -> Task {
    if completion != nil || ofTask != nil {
      task.lockedState.withLock { state in
        state.completion = completion
        state.delegate = ofTask
      }
    }
    guard register(task) else {
      task.abort(
        URLError(.cancelled, message: "The session has been invalidated and takes no new tasks."))
      return task
    }
    if ofTask != nil || delegate != nil {
      // Called synchronously, not on the delegate queue: the delegate may set up the task before anyone else has it.
      task.notifyDelegateNow(.didCreateTask, (any URLSessionTaskDelegate).self) {
        $0.urlSession(self, didCreateTask: task)
      }
    }
    return task
  }

  /// Calls the handler on the delegate queue with the tasks that have not ended, by kind.
  public func getTasksWithCompletionHandler(
    _ completionHandler:
      @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
  ) {
    callQueue.post {
      let (data, upload, download) = self.tasksByKind
      completionHandler(data, upload, download)
    }
  }

  /// Calls the handler on the delegate queue with all tasks that have not ended.
  public func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
    callQueue.post { completionHandler(self.listedTasks) }
  }

  /// All tasks that have not ended.
  public var allTasks: [URLSessionTask] { get async { listedTasks } }

  /// The tasks that have not ended, by kind.
  public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async { tasksByKind }
  }

  /// The tasks that have not ended. A task stays registered after its end until its delegate or handler has been
  /// called.
  private var listedTasks: [URLSessionTask] {
    registeredTasks.filter { $0.state == .running || $0.state == .suspended }
  }

  private var tasksByKind: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    let all = listedTasks
    return (
      all.filter { !($0 is URLSessionUploadTask) }.compactMap { $0 as? URLSessionDataTask },
      all.compactMap { $0 as? URLSessionUploadTask }, all.compactMap { $0 as? URLSessionDownloadTask }
    )
  }
}
#endif
