#if !canImport(Darwin)
  import Foundation
  import Synchronization

  // Tasks for delegates and completion handlers.
  extension URLSession {
    // MARK: Data

    /// A task that loads a URL and reports to the delegate.
    public func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    /// A task that loads a request and reports to the delegate.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
      let task = URLSessionDataTask(session: self, request: request)
      task.sink = .delegate(DelegateBody())
      return admit(task, .delegate)
    }

    /// A task that loads a URL and hands the whole result to a handler, on the delegate queue.
    public func dataTask(
      with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
      dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// A task that loads a request and hands the whole result to a handler, on the delegate queue.
    public func dataTask(
      with request: URLRequest,
      completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
      admit(URLSessionDataTask(session: self, request: request), .dataHandler(completionHandler))
    }

    // MARK: Upload

    /// A task that sends data and reports to the delegate.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
      uploadTask(with: request, .data(bodyData))
    }

    /// A task that sends a file, piece by piece, and reports to the delegate.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
      uploadTask(with: request, .file(fileURL))
    }

    /// A task that sends the stream it asks its delegate for.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
      uploadTask(with: request, .streamFromDelegate)
    }

    private func uploadTask(with request: URLRequest, _ body: UploadBody) -> URLSessionUploadTask {
      let task = makeUploadTask(request, body)
      task.sink = .delegate(DelegateBody())
      return admit(task, .delegate)
    }

    /// A task that sends data and hands the whole result to a handler, on the delegate queue.
    public func uploadTask(
      with request: URLRequest, from bodyData: Data?,
      completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
      admit(makeUploadTask(request, .data(bodyData ?? Data())), .dataHandler(completionHandler))
    }

    /// A task that sends a file, piece by piece, and hands the whole result to a handler, on the delegate queue.
    public func uploadTask(
      with request: URLRequest, fromFile fileURL: URL,
      completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
      admit(makeUploadTask(request, .file(fileURL)), .dataHandler(completionHandler))
    }

    func makeUploadTask(_ request: URLRequest, _ body: UploadBody) -> URLSessionUploadTask {
      var sent = request
      // A body belongs to a method that has one; Apple's upload tasks turn a GET into a POST as well.
      if sent.httpMethod == nil || sent.httpMethod == "GET" { sent.httpMethod = "POST" }
      return URLSessionUploadTask(session: self, request: request, sent: sent, uploadBody: body)
    }

    // MARK: Download

    /// A task that loads a URL into a file and reports to the delegate.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
      downloadTask(with: URLRequest(url: url))
    }

    /// A task that loads a request into a file and reports to the delegate.
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
      makeDownloadTask(request, resuming: nil, .delegate)
    }

    /// A task that goes on with a download that was cut off, and reports to the delegate.
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
      makeDownloadTask(resumeData, .delegate)
    }

    /// A task that loads a URL into a file. The file is removed when the handler returns: move or open it there.
    public func downloadTask(
      with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
      downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// A task that loads a request into a file. The file is removed when the handler returns: move or open it there.
    public func downloadTask(
      with request: URLRequest,
      completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
      makeDownloadTask(request, resuming: nil, .downloadHandler(completionHandler))
    }

    /// A task that goes on with a download that was cut off. The file is removed when the handler returns.
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
      task.inner.withLock { $0.resume = resume }
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
          sentence: "The resume data is not from a download of this library, or is damaged. "
            + "Load the file from its beginning."))
      return task
    }

    // MARK: All of them

    /// Takes a task into the session; one that has been invalidated lets it fail at once.
    func admit<Task: URLSessionTask>(
      _ task: Task, _ completion: TaskCompletion?, delegate ofTask: (any URLSessionTaskDelegate)? = nil
    ) -> Task {
      if completion != nil || ofTask != nil {
        task.inner.withLock { inner in
          inner.completion = completion
          inner.delegate = ofTask
        }
      }
      guard register(task) else {
        task.abort(
          URLError(.cancelled, sentence: "The session has been invalidated and takes no more tasks."))
        return task
      }
      if ofTask != nil || delegate != nil {
        // Here and now, not on the delegate queue: a delegate may still set the task up before anybody has it.
        task.tellNow(.didCreateTask, (any URLSessionTaskDelegate).self) {
          $0.urlSession(self, didCreateTask: task)
        }
      }
      return task
    }

    /// Calls the handler with the tasks that have not ended, by kind, on the delegate queue.
    public func getTasksWithCompletionHandler(
      _ completionHandler:
        @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
    ) {
      mailbox.post {
        let (data, upload, download) = self.tasksByKind
        completionHandler(data, upload, download)
      }
    }

    /// Calls the handler with all tasks that have not ended, on the delegate queue.
    public func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
      mailbox.post { completionHandler(self.listedTasks) }
    }

    /// All tasks that have not ended.
    public var allTasks: [URLSessionTask] { get async { listedTasks } }

    /// The tasks that have not ended, by kind.
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
      get async { tasksByKind }
    }

    /// A task that has ended, or is about to, stays registered until its delegate or handler knows.
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
