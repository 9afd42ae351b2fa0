import Foundation
import Synchronization
import TestSupport

extension Stage {
  func suspendingTwice() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let (task, ended) = noting(session, "/held")
    let steps: [(URLSessionTask) -> () -> Void] = [
      URLSessionTask.resume, URLSessionTask.suspend, URLSessionTask.suspend, URLSessionTask.resume,
      URLSessionTask.resume,
    ]
    for step in steps {
      step(task)()
      notes.add(task.state.word)
    }
    _ = await text(session, "/go")
    await ended.wait()
    return notes.lines
  }

  func states() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let (task, ended) = noting(session, "/go")
    var lines = [task.state.word]
    task.resume()
    await ended.wait()
    _ = await eventually(within: .seconds(2)) { task.state == .completed }
    lines.append(task.state.word)
    let (other, otherEnded) = noting(session, "/go")
    other.resume()
    other.cancel()
    await otherEnded.wait()
    _ = await eventually(within: .seconds(2)) { other.state == .completed }
    return lines + [other.state.word]
  }

  func allTasks() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let tasks = (0..<3).map { _ in noting(session, "/held") }
    for (task, _) in tasks { task.resume() }
    let before = await count(session)
    for (task, _) in tasks { task.cancel() }
    for (_, ended) in tasks { await ended.wait() }
    return ["\(before) tasks", "\(await count(session)) tasks"]
  }

  private func count(_ session: URLSession) async -> Int {
    await withCheckedContinuation { continuation in
      session.getAllTasks { continuation.resume(returning: $0.count) }
    }
  }

  func tasksByKind() async -> [String] {
    let session = session()
    let tasks = [
      session.dataTask(with: url("/held")),
      session.uploadTask(with: URLRequest(url: url("/held")), from: Data("photo".utf8)),
      session.downloadTask(with: url("/held")),
    ]
    for task in tasks { task.resume() }
    let lines = await withCheckedContinuation { continuation in
      session.getTasksWithCompletionHandler { data, uploads, downloads in
        continuation.resume(
          returning: ["\(data.count) data", "\(uploads.count) upload", "\(downloads.count) download"])
      }
    }
    session.invalidateAndCancel()
    return lines
  }

  func identifiers() -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let identifiers = (0..<100).map { _ in
      session.dataTask(with: URL(fileURLWithPath: "/dev/null")).taskIdentifier
    }
    return [Set(identifiers).count == 100 ? "different" : "equal"]
  }

  func uploadRequest() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let ended = Gate()
    let notes = notes
    let task = session.uploadTask(with: URLRequest(url: url()), from: Data("photo".utf8)) { _, response, _ in
      notes.add("status \((response as? HTTPURLResponse)?.statusCode ?? 0)")
      ended.open()
    }
    task.resume()
    await ended.wait()
    return [task.originalRequest?.httpMethod ?? "none"] + notes.lines
  }

  func redirectedRequest() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let (task, ended) = noting(session, "/from")
    task.resume()
    await ended.wait()
    return [task.originalRequest?.url?.path ?? "none", task.currentRequest?.url?.path ?? "none"]
  }

  func taskProperties() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let (task, ended) = noting(session, "/")
    task.taskDescription = "dog"
    task.priority = URLSessionTask.highPriority
    var lines = ["\(task.taskDescription ?? "none") \(task.priority)"]
    task.resume()
    await ended.wait()
    lines.append("\(task.taskDescription ?? "none") \(task.priority)")
    return lines
  }

  func progress() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: url())
    request.httpMethod = "POST"
    let ended = Gate()
    let task = session.uploadTask(with: request, from: Data("photo".utf8)) { _, _, _ in ended.open() }
    task.resume()
    await ended.wait()
    return [
      "fraction \(task.progress.fractionCompleted)",
      "sent \(task.countOfBytesSent) of \(task.countOfBytesExpectedToSend)",
      "received \(task.countOfBytesReceived) of \(task.countOfBytesExpectedToReceive)",
    ]
  }

  func earliestBegin() async throws -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let (task, ended) = noting(session, "/")
    let begin = Date(timeIntervalSinceNow: 0.4)
    try Library.begin(task, at: begin)
    task.resume()
    await ended.wait()
    return [Date() >= begin ? "later" : "earlier"] + notes.lines
  }

  func delayedRequest() async throws -> [String] {
    let delegate = DelayingDelegate(notes, changed: url("/changed"))
    let session = session(delegate)
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: url())
    try Library.begin(task, at: Date(timeIntervalSinceNow: 0.1))
    task.resume()
    await delegate.ended.wait()
    return notes.lines.filter { $0 != "complete" }
      + ["status \((task.response as? HTTPURLResponse)?.statusCode ?? 0)"]
  }

  func configurationCopies() -> [String] {
    configuration.timeoutIntervalForRequest = 30
    let session = session()
    defer { session.invalidateAndCancel() }
    configuration.timeoutIntervalForRequest = 40
    session.configuration.timeoutIntervalForRequest = 50
    return ["\(session.configuration.timeoutIntervalForRequest)"]
  }

  func sharedSession() async -> [String] {
    URLSession.shared.invalidateAndCancel()
    URLSession.shared.finishTasksAndInvalidate()
    return [await text(.shared)]
  }

  func finishingTasks() async -> [String] {
    let delegate = InvalidationDelegate(notes)
    let session = session(delegate)
    let (task, _) = noting(session, "/")
    task.resume()
    session.finishTasksAndInvalidate()
    await delegate.ended.wait()
    return notes.lines
  }

  func throughProxy() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let (task, ended) = noting(session, "/")
    task.resume()
    await ended.wait()
    return notes.lines
  }
}

/// Changes the request of a task that was delayed.
private final class DelayingDelegate: NSObject, NotingDelegate {
  let notes: Notes
  let ended = Gate()
  private let changed: URL

  init(_ notes: Notes, changed: URL) {
    self.notes = notes
    self.changed = changed
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    notes.add("asked")
    completionHandler(.useNewRequest, URLRequest(url: changed))
  }
}

/// Notes the end of a session.
private final class InvalidationDelegate: NSObject, URLSessionDelegate {
  let notes: Notes
  let ended = Gate()

  init(_ notes: Notes) { self.notes = notes }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    notes.add(error == nil ? "invalid" : "invalid with an error")
    ended.open()
  }
}
