import Foundation
import Synchronization
import TestSupport

extension Stage {
  private func run(_ delegate: some NotingDelegate, queue: OperationQueue? = nil, _ path: String = "/") async
  {
    let session = session(delegate, queue: queue)
    session.dataTask(with: url(path)).resume()
    await delegate.ended.wait()
    session.invalidateAndCancel()
  }

  func delegateOrder() async -> [String] {
    let delegate = OrderDelegate(notes)
    let session = session(delegate)
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: url())
    request.httpMethod = "POST"
    session.uploadTask(with: request, from: Data("photo".utf8)).resume()
    await delegate.ended.wait()
    return notes.lines
  }

  func createdTask() async -> [String] {
    await run(CreationDelegate(notes))
    return notes.lines
  }

  func refusedResponse() async -> [String] {
    await run(DispositionDelegate(notes) { _, answer in answer(.cancel) })
    return notes.lines
  }

  func lateDisposition() async -> [String] {
    let (address, notes) = (url("/go"), notes)
    // The other load is one of the same session, whose queue must not be blocked.
    let delegate = DispositionDelegate(notes) { session, answer in
      Task {
        _ = try? await session.data(from: address)
        notes.add("other load")
        notes.add("allowed")
        answer(.allow)
      }
    }
    await run(delegate, "/first")
    return notes.lines
  }

  func becomingDownload() async throws -> [String] {
    let becomeDownload = try Library.becomeDownload()
    await run(DispositionDelegate(notes) { _, answer in answer(becomeDownload) })
    return notes.lines
  }

  func downloadDelegate() async -> [String] {
    let delegate = DownloadNotes(notes)
    let session = session(delegate)
    session.downloadTask(with: url()).resume()
    await delegate.ended.wait()
    session.invalidateAndCancel()
    let path = delegate.path
    let isRemoved = await eventually(within: .seconds(2)) { !FileManager.default.fileExists(atPath: path) }
    return notes.lines + [isRemoved ? "file removed" : "file remains"]
  }

  func informationalResponse() async -> [String] {
    await run(InformationDelegate(notes))
    return notes.lines
  }

  func delegateQueue() async -> [String] {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let delegate = QueueDelegate(notes, queue)
    let session = session(delegate, queue: queue)
    defer { session.invalidateAndCancel() }
    session.dataTask(with: url()).resume()
    await delegate.ended.wait()
    let (notes, ended) = (notes, Gate())
    let task = session.dataTask(with: url()) { [queue] _, _, _ in
      notes.add(OperationQueue.current === queue ? "handler on queue" : "handler elsewhere")
      ended.open()
    }
    task.resume()
    await ended.wait()
    return notes.lines.filter { $0 != "complete" }
  }

  func queueOrder() async -> [String] {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let notes = notes
    let delegate = DispositionDelegate(notes) { _, answer in
      queue.addOperation { notes.add("program's work") }
      answer(.allow)
    }
    await run(delegate, queue: queue)
    return notes.lines
  }
}

/// Notes the calls of an upload.
private final class OrderDelegate: NSObject, NotingDelegate, URLSessionDataDelegate {
  let notes: Notes
  let ended = Gate()

  init(_ notes: Notes) { self.notes = notes }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    notes.addOnce("sent")
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    notes.add("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    notes.addOnce("data")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    notes.add("metrics")
  }
}

/// Notes new tasks.
private final class CreationDelegate: NSObject, NotingDelegate {
  let notes: Notes
  let ended = Gate()

  init(_ notes: Notes) { self.notes = notes }

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { notes.add("created") }
}

/// Decides about a response, and notes what follows.
private final class DispositionDelegate: NSObject, NotingDelegate, URLSessionDownloadDelegate,
  URLSessionDataDelegate
{
  typealias Answer = @Sendable (URLSession.ResponseDisposition) -> Void

  let notes: Notes
  let ended = Gate()
  private let decide: @Sendable (URLSession, @escaping Answer) -> Void

  init(_ notes: Notes, _ decide: @escaping @Sendable (URLSession, @escaping Answer) -> Void) {
    self.notes = notes
    self.decide = decide
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    notes.add("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    decide(session, completionHandler)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    notes.addOnce("data")
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
  ) {
    notes.add("became download")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    notes.add("file \((try? String(contentsOf: location, encoding: .utf8)) ?? "unreadable")")
  }
}

/// Notes a download.
private final class DownloadNotes: NSObject, NotingDelegate, URLSessionDownloadDelegate {
  private struct Counts {
    var last: Int64 = 0
    var expected: Int64 = 0
    var rise = true
    var path = ""
  }

  let notes: Notes
  let ended = Gate()
  private let counts = Mutex(Counts())

  init(_ notes: Notes) { self.notes = notes }

  var path: String { counts.withLock { $0.path } }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    counts.withLock { counts in
      counts.rise = counts.rise && totalBytesWritten == counts.last + bytesWritten && bytesWritten > 0
      counts.last = totalBytesWritten
      counts.expected = totalBytesExpectedToWrite
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    let counts = counts.withLock { counts in
      counts.path = location.path
      return counts
    }
    notes.add("counts \(counts.rise ? "rise" : "jump") to \(counts.last) of \(counts.expected)")
    notes.add("file of \((try? Data(contentsOf: location).count) ?? 0)")
  }
}

/// Notes informational responses.
private final class InformationDelegate: NSObject, NotingDelegate {
  let notes: Notes
  let ended = Gate()

  init(_ notes: Notes) { self.notes = notes }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    notes.add("informational \(response.statusCode)")
  }
}

/// Notes on which queue it is called.
private final class QueueDelegate: NSObject, NotingDelegate, URLSessionDataDelegate {
  let notes: Notes
  let ended = Gate()
  private let queue: OperationQueue

  init(_ notes: Notes, _ queue: OperationQueue) {
    self.notes = notes
    self.queue = queue
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    notes.add(OperationQueue.current === queue ? "delegate on queue" : "delegate elsewhere")
  }
}
