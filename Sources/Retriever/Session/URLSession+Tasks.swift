#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Creating and registering tasks.
extension URLSession {
  func delegateUploadTask(with request: URLRequest, _ body: UploadBody) -> URLSessionUploadTask {
    let task = makeUploadTask(request, body)
    task.sink = .delegate(DelegateBody())
    return admit(task, .delegate)
  }

  func makeUploadTask(
    _ request: URLRequest, _ body: UploadBody, identifier: Int? = nil
  ) -> URLSessionUploadTask {
    var sent = request
    // Apple's upload tasks also turn a GET into a POST, because a GET has no body.
    if sent.httpMethod == nil || sent.httpMethod == "GET" { sent.httpMethod = "POST" }
    return URLSessionUploadTask(
      session: self, request: request, sent: sent, uploadBody: body, identifier: identifier)
  }

  func makeUploadTask(
    _ resumeData: Data, _ completion: TaskCompletion?, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionUploadTask {
    let resume = UploadResumeData(resumeData)
    let task = URLSessionUploadTask(session: self, resuming: resume)
    if case .delegate = completion { task.sink = .delegate(DelegateBody()) }
    _ = admit(task, completion, delegate: delegate)
    if resume == nil {
      task.abort(
        URLError(
          .unsupportedURL,
          message: "The resume data is damaged or does not come from an upload of this library.",
          suggestion: "Upload the body from the beginning."))
    }
    return task
  }

  func makeDownloadTask(
    _ request: URLRequest, resuming resume: ResumeData?, _ completion: TaskCompletion?,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDownloadTask {
    let task = URLSessionDownloadTask(session: self, request: request)
    if let resume {
      task.lockedState.withLock { state in
        state.resume = resume
        state.startURL = resume.start
      }
    }
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

  func makeWebSocketTask(_ request: URLRequest, _ protocols: [String]) -> URLSessionWebSocketTask {
    var sent = request
    sent.url = request.url.map { URLRequest.httpURL(forWebSocket: $0) }
    sent.httpMethod = "GET"
    sent.httpBody = nil
    let task = URLSessionWebSocketTask(session: self, request: request, sent: sent, subprotocols: protocols)
    return admit(task, .delegate)
  }

  // MARK: Registering

  func nextTaskIdentifier() -> Int {
    reopenBackgroundStore()
    return registry.withLock { $0.nextIdentifier() }
  }

  /// Adds a task. Returns false if the session has been invalidated.
  func register(_ task: URLSessionTask) -> Bool {
    registry.withLock { $0.add(task, identifier: task.identifier) }
  }

  /// Puts a task in the place of the one that it takes over.
  func register(replacement task: URLSessionTask) {
    registry.withLock { $0.replace(task.identifier, with: task) }
  }

  func unregister(_ task: URLSessionTask) {
    if registry.withLock({ $0.remove(task.identifier) }) { becameInvalid() }
  }

  var registeredTasks: [URLSessionTask] {
    registry.withLock { $0.all }.sorted { $0.identifier < $1.identifier }
  }

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
    if let background = task.background, let problem = store(task, completion, in: background) {
      task.abort(problem)
      return task
    }
    if ofTask != nil || currentDelegate != nil {
      // Called synchronously, not on the delegate queue: the delegate may set up the task before anyone else has it.
      task.notifyDelegateNow(.didCreateTask, (any URLSessionTaskDelegate).self) {
        $0.urlSession(self, didCreateTask: task)
      }
    }
    return task
  }

  /// The tasks that have not ended. A task stays registered after its end until its delegate or handler has been
  /// called.
  var listedTasks: [URLSessionTask] {
    registeredTasks.filter { task in
      !task.isInternal && (task.currentState == .running || task.currentState == .suspended)
    }
  }

  var tasksByKind: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    let all = listedTasks
    return (
      all.filter { !($0 is URLSessionUploadTask) }.compactMap { $0 as? URLSessionDataTask },
      all.compactMap { $0 as? URLSessionUploadTask }, all.compactMap { $0 as? URLSessionDownloadTask }
    )
  }
}

extension URLSessionTask {
  /// The configuration of the task's session, for `RetrieverTesting`. It must not be changed.
  package var sessionConfiguration: URLSessionConfiguration { session.settings.configuration }
}
#endif
