#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// A data task whose delegate wants a task of another kind.
@Suite(.timeLimit(.minutes(5))) struct TaskBecomingTests {
  /// Turns data tasks into download tasks.
  private final class Delegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    let log = Log<String>()
    let content = Mutex<Data?>(nil)
    let error = Mutex<(any Error)?>(nil)
    let newTask = Mutex<URLSessionDownloadTask?>(nil)
    let metrics = Mutex<[URLSessionTaskMetrics]>([])
    let completed = Gate()
    private let onBecoming: @Sendable (URLSessionDownloadTask) -> Void

    init(onBecoming: @escaping @Sendable (URLSessionDownloadTask) -> Void = { _ in }) {
      self.onBecoming = onBecoming
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
      log.add("response")
      return .becomeDownload
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) {
      log.add("became")
      newTask.withLock { $0 = downloadTask }
      onBecoming(downloadTask)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      log.add("data")
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
      log.add("file")
      content.withLock { $0 = try? Data(contentsOf: location) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      self.metrics.withLock { $0.append(metrics) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      log.add(task is URLSessionDownloadTask ? "completed" : "data task completed")
      self.error.withLock { $0 = error }
      completed.open()
    }
  }

  @Test func `the body goes to the file of the download task`() async throws {
    let body = Data.pattern(count: 3 << 20)
    let server = try ScriptedServer.http { _ in Reply(body: body) }
    let delegate = Delegate()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.dataTask(with: server.url())
    task.taskDescription = "report"
    task.priority = 0.75
    let progress = task.progress
    task.resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["response", "became", "file", "completed"])
    #expect(delegate.content.withLock { $0 } == body)
    #expect(delegate.error.withLock { $0 == nil })
    let download = try #require(delegate.newTask.withLock { $0 })
    #expect(download.taskIdentifier == task.taskIdentifier)
    #expect(download.taskDescription == "report" && download.priority == 0.75)
    #expect(download.originalRequest?.url == server.url() && download.currentRequest?.url == server.url())
    #expect((download.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(download.countOfBytesReceived == Int64(body.count))
    #expect(download.countOfBytesExpectedToReceive == Int64(body.count))
    #expect(progress.isFinished && download.progress === progress)
    #expect(task.state == .completed && task.error == nil)
    #expect(delegate.metrics.withLock { $0.map(\.transactionMetrics.count) } == [1])
    #expect(await session.allTasks.isEmpty)
  }

  @Test func `a response without a body becomes an empty file`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "") }
    let delegate = Delegate()
    URLSession.forTest(delegate: delegate).dataTask(with: server.url()).resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["response", "became", "file", "completed"])
    #expect(delegate.content.withLock { $0 } == Data())
  }

  @Test func `a body that is cut off fails the download task`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
    }
    let delegate = Delegate()
    URLSession.forTest(delegate: delegate).dataTask(with: server.url()).resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["response", "became", "completed"])
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == .networkConnectionLost)
  }

  @Test func `the download task is cancelled while the body arrives`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
      try connection.wait(for: gate)
    }
    let delegate = Delegate(onBecoming: { $0.cancel() })
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    gate.open()
    #expect(delegate.log.all == ["response", "became", "completed"])
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == .cancelled)
    // The session's other loads are not affected.
    try await session.expectUsable()
  }

  @Test func `cancelling the data task after it became another one has no effect`() async throws {
    let body = Data.pattern(count: 100_000)
    let server = try ScriptedServer.http { _ in Reply(body: body) }
    let former = Mutex<URLSessionDataTask?>(nil)
    let delegate = Delegate(onBecoming: { _ in former.withLock { $0 }?.cancel() })
    let task = URLSession.forTest(delegate: delegate).dataTask(with: server.url())
    former.withLock { $0 = task }
    task.resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["response", "became", "file", "completed"])
    #expect(delegate.content.withLock { $0 } == body)
    former.withLock { $0 = nil }
  }

  @Test func `a session becomes invalid after the download task`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
      try connection.wait(for: gate)
      try connection.send("hello")
    }
    let delegate = Delegate(onBecoming: { _ in gate.open() })
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    session.finishTasksAndInvalidate()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.content.withLock { $0 } == Data("hello".utf8))
    #expect(await eventually { session.delegate == nil })
  }

  @Test func `a suspended task continues as a download when it is resumed`() async throws {
    let body = Data.pattern(count: 100_000)
    let server = try ScriptedServer.http { _ in Reply(body: body) }
    let became = Gate()
    let delegate = Delegate(onBecoming: { task in
      task.suspend()
      became.open()
    })
    URLSession.forTest(delegate: delegate).dataTask(with: server.url()).resume()
    #expect(await became.wait(within: .seconds(90)))
    let download = try #require(delegate.newTask.withLock { $0 })
    #expect(download.state == .suspended || download.state == .completed)
    download.resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.content.withLock { $0 } == body)
  }

  @Test func `a response of a protocol also becomes a download`() async throws {
    let delegate = Delegate()
    let url = try #require(URL(string: "data:text/plain,hello"))
    URLSession.forTest(delegate: delegate).dataTask(with: url).resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["response", "became", "file", "completed"])
    #expect(delegate.content.withLock { $0 } == Data("hello".utf8))
  }

  @Test func `a load with a handler ignores the delegate's disposition`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let delegate = Delegate()
    let (data, _) = try await URLSession.forTest(delegate: delegate).data(from: server.url())
    #expect(data == Data("hello".utf8))
    #expect(!delegate.log.all.contains("became"))
  }

  // MARK: The machine

  private typealias Machine = TaskStateMachine<Int, String>

  @Test func `only a task whose response is being decided hands over`() {
    var machine = Machine()
    #expect(machine.handover == nil)
    _ = machine.resume()
    #expect(machine.handover == nil)
    _ = machine.send(1)
    #expect(machine.handover == nil)
    machine.ask()
    _ = machine.suspend()
    let handover = machine.handOver()
    #expect(handover?.transfer == 1 && handover?.suspensions == 1)
    #expect(machine.isCompleted)
    let second = machine.handOver()
    #expect(second == nil)
    #expect(machine.abort(awaitsTransfer: true) == .none)
  }

  @Test func `the new task continues with the transfer, or finishes`() throws {
    var old = Machine()
    _ = old.resume()
    _ = old.send(1)
    old.ask()
    var new = Machine()
    let handover = old.handOver()
    new.takeOver(try #require(handover))
    #expect(new.actionAfterTakingOver() == .release(1))
    #expect(new.transferEnded(failed: false) == .finishSink)

    var ended = Machine()
    _ = ended.resume()
    _ = ended.send(1)
    ended.ask()
    _ = ended.transferEnded(failed: false)
    var finishing = Machine()
    let rest = ended.handOver()
    finishing.takeOver(try #require(rest))
    #expect(finishing.actionAfterTakingOver() == .finishSink)
    #expect(finishing.sinkFinished() == .complete)
  }
}
#endif
