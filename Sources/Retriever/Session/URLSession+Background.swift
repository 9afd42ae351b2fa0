#if !canImport(Darwin)
import Foundation
import Synchronization

// Background sessions: storing tasks, and taking up those that an earlier run of the program left.
extension URLSession {
  /// Opens the session's journal, and continues the tasks in it. If another session uses the journal, this session has no
  /// tasks, and reports the reason when it is asked for one.
  func takeUpBackgroundTasks() {
    guard let background, let (left, last) = try? background.open(takesUp: true) else { return }
    registry.withLock { $0.reserve(upTo: last) }
    let tasks = left.compactMap { left in
      if let task = restore(left) { return (task, left) }
      background.note(.removed(left.task.identifier))
      return nil
    }
    background.expectEvents(
      of: Set(tasks.filter { $1.action.isOver || !$1.task.isSuspended }.map { $1.task.identifier }))
    for (task, _) in tasks { _ = register(task) }
    for (task, left) in tasks { task.takeUp(left) }
  }

  /// Tries again to open the journal, because the session that used it may be invalid now.
  func reopenBackgroundStore() {
    guard let background, let (_, last) = try? background.open(takesUp: false) else { return }
    registry.withLock { $0.reserve(upTo: last) }
  }

  private func restore(_ left: BackgroundStore.Left) -> URLSessionTask? {
    let record = left.task
    guard let request = record.request.request else { return nil }
    let task: URLSessionTask
    var resume: ResumeData?
    switch record.kind {
    case .upload(let path):
      task = makeUploadTask(
        request, .file(URL(fileURLWithPath: path)), identifier: record.identifier)
      task.sink = .delegate(DelegateBody())
    case .download:
      var sent = request
      if case .resume(let offset, let validator) = left.action, let url = request.url, let file = left.file {
        let data = ResumeData(
          url: url, validator: validator,
          entityTag: record.partial?.response?.response?.value(forHTTPHeaderField: "ETag"), offset: offset,
          fileName: file.lastPathComponent)
        sent.setValue(data.request.value(forHTTPHeaderField: "Range"), forHTTPHeaderField: "Range")
        sent.setValue(validator, forHTTPHeaderField: "If-Range")
        resume = data
      } else if case .start = left.action, record.partial?.isTemporary == false, let file = left.file {
        unlink(file.path)
      }
      task = URLSessionDownloadTask(
        session: self, request: request, sent: sent, identifier: record.identifier)
    }
    task.lockedState.withLock { state in
      state.completion = .delegate
      state.resume = resume
      state.attributes = TaskState.Attributes(record.attributes)
    }
    return task
  }

  /// Stores a new task of a background session. Returns an error if such a session does not support the task, or if it
  /// cannot be stored.
  func store(
    _ task: URLSessionTask, _ completion: TaskCompletion?, in background: BackgroundStore
  ) -> URLError? {
    guard case .delegate = completion else {
      return Self.unsupported(
        "Completion handlers and async methods are not supported in background sessions. ")
    }
    guard task is URLSessionDownloadTask || task is URLSessionUploadTask else { return nil }
    let (resume, body, resumedUpload) = task.lockedState.withLock { ($0.resume, $0.uploadBody, $0.upload) }
    guard resumedUpload == nil else {
      return Self.unsupported(
        "Background sessions do not resume uploads of other sessions. Upload the file again. ")
    }
    let kind: BackgroundTaskRecord.Kind
    switch body {
    case .file(let url): kind = .upload(path: url.absoluteURL.path)
    case nil: kind = .download
    default:
      return Self.unsupported(
        "Background sessions upload files only. Write the body to a file, and upload that. ")
    }
    // A request without a URL fails anyway.
    guard var request = task.initialRequest, request.url != nil else { return nil }
    if resume != nil {
      // They are made again from the file.
      request.setValue(nil, forHTTPHeaderField: "Range")
      request.setValue(nil, forHTTPHeaderField: "If-Range")
    }
    guard let stored = StoredRequest(request), (request.httpBody?.count ?? 0) <= StoredRequest.maximumBody
    else {
      return Self.unsupported(
        "The body of the request is a stream, or longer than \(StoredRequest.maximumBody >> 20) MiB. "
          + "Background sessions upload such a body from a file only. ")
    }
    do throws(URLError) {
      // Reports why the session has no journal.
      _ = try background.open(takesUp: false)
      var record = BackgroundTaskRecord(
        identifier: task.identifier, kind: kind, request: stored, attributes: task.storedAttributes)
      record.partial = resume.map {
        .init(name: $0.fileName, isTemporary: true, validator: $0.validator, boot: BackgroundDirectory.boot)
      }
      try background.add(record)
      return nil
    } catch {
      return error
    }
  }

  private static func unsupported(_ sentence: String) -> URLError {
    URLError(.resourceUnavailable, message: sentence + "Use a task that reports to the session's delegate.")
  }

  /// Removes a task whose delegate has received everything from the journal. After the last event of an earlier run,
  /// informs the delegate.
  func finishBackgroundTask(_ task: URLSessionTask, in background: BackgroundStore) {
    guard background.delivered(task.identifier), let delegate = currentDelegate else { return }
    callQueue.post { delegate.urlSessionDidFinishEvents(forBackgroundURLSession: self) }
  }
}

extension TaskState.Attributes {
  fileprivate init(_ stored: BackgroundTaskRecord.Attributes) {
    priority = stored.priority
    taskDescription = stored.taskDescription
    earliestBeginDate = stored.earliestBeginDate
    clientExpectsToSend = stored.clientExpectsToSend
    clientExpectsToReceive = stored.clientExpectsToReceive
  }
}
#endif
