#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The methods with a completion handler.
@Suite(.timeLimit(.minutes(5))) struct SessionHandlerTests {
  private let session = URLSession.forTest()

  private typealias DataResult = (data: Data?, response: URLResponse?, error: (any Error)?)

  /// Resumes the task that `make` creates, and waits until its handler has been called, which happens once.
  private func result(
    _ make: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
  ) async throws -> DataResult {
    let calls = Log<(Data?, URLResponse?, (any Error)?)>()
    let called = Gate()
    let task = make {
      calls.add(($0, $1, $2))
      called.open()
    }
    #expect(task.state == .suspended)
    task.resume()
    try #require(await called.wait(within: .seconds(90)))
    #expect(await eventually { await session.allTasks.isEmpty })
    #expect(calls.all.count == 1)
    return try #require(calls.all.first)
  }

  private static func echo() throws -> ScriptedServer {
    try ScriptedServer.http { Reply(headers: [("X-Method", $0.method)], body: $0.body) }
  }

  @Test func `data tasks pass body and response to their handlers`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.path) }
    let byURL = try await result { session.dataTask(with: server.url("/url"), completionHandler: $0) }
    #expect(byURL.data == Data("/url".utf8))
    #expect(byURL.error == nil)
    let request = URLRequest(url: server.url("/request"))
    let byRequest = try await result { session.dataTask(with: request, completionHandler: $0) }
    #expect(byRequest.data == Data("/request".utf8))
    #expect((byRequest.response as? HTTPURLResponse)?.statusCode == 200)
  }

  @Test func uploadTasksSendDataAndFiles() async throws {
    let server = try Self.echo()
    let request = URLRequest(url: server.url())
    let data = try await result {
      session.uploadTask(with: request, from: Data("data".utf8), completionHandler: $0)
    }
    #expect(data.data == Data("data".utf8))
    let nothing = try await result { session.uploadTask(with: request, from: nil, completionHandler: $0) }
    #expect(nothing.data?.isEmpty == true)
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("file".utf8), to: "body")
    let fromFile = try await result {
      session.uploadTask(with: request, fromFile: file, completionHandler: $0)
    }
    #expect(fromFile.data == Data("file".utf8))
  }

  @Test func `an error status is not an error`() async throws {
    let server = try ScriptedServer.http { _ in Reply(500, text: "broken") }
    let result = try await result { session.dataTask(with: server.url(), completionHandler: $0) }
    #expect(result.error == nil)
    #expect(result.data == Data("broken".utf8))
  }

  @Test func `a failed task passes an error and no data to its handler`() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
    ])
    let result = try await result { session.dataTask(with: server.url(), completionHandler: $0) }
    #expect((result.error as? URLError)?.code == .networkConnectionLost)
    #expect(result.data == nil)
  }

  @Test func aBadRequestCallsTheHandlerToo() async throws {
    let url = try #require(URL(string: "ftp://example.com/"))
    let result = try await result { session.dataTask(with: url, completionHandler: $0) }
    #expect((result.error as? URLError)?.code == .unsupportedURL)
    #expect(result.response == nil)
  }

  @Test func cancellingCallsTheHandlerOnce() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    let calls = Log<(any Error)?>()
    let called = Gate()
    let task = session.dataTask(with: server.url()) { _, _, error in
      calls.add(error)
      called.open()
    }
    task.resume()
    for _ in 0..<3 { task.cancel() }
    #expect(await called.wait(within: .seconds(90)))
    #expect(await eventually { task.state == .completed })
    task.resume()
    task.cancel()
    try await session.expectUsable()
    #expect(calls.all.count == 1)
    #expect((calls.all.first.flatMap { $0 } as? URLError)?.code == .cancelled)
    #expect((task.error as? URLError)?.code == .cancelled)
  }

  @Test func cancellingATaskThatWasNeverResumedCallsTheHandler() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let called = Gate()
    let task = session.dataTask(with: server.url()) { _, _, error in
      if (error as? URLError)?.code == .cancelled { called.open() }
    }
    task.cancel()
    #expect(await called.wait(within: .seconds(90)))
    #expect(server.connectionCount == 0)
    #expect(await eventually { await session.allTasks.isEmpty })
  }

  @Test func handlersRunOnTheDelegateQueueOneAtATime() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 8
    let session = URLSession(configuration: .ephemeral, delegateQueue: queue)
    #expect(session.delegateQueue === queue)
    let running = Log<Int>()
    let overlaps = Log<Int>()
    let done = Gate()
    for _ in 0..<50 {
      let task = session.dataTask(with: server.url()) { _, _, _ in
        let began = running.all.count
        running.add(1)
        if OperationQueue.current !== queue { overlaps.add(-1) }
        if running.all.count != began + 1 { overlaps.add(began) }
        if running.all.count == 50 { done.open() }
      }
      task.resume()
    }
    #expect(await done.wait(within: .seconds(90)))
    #expect(overlaps.all.isEmpty)
  }

  @Test func tasksAreListedUntilTheyEnd() async throws {
    let gate = Gate()
    let server = try ScriptedServer([.readRequest, .waitFor(gate), .send(Reply(text: "end"))])
    let ended = Gate()
    let data = session.dataTask(with: server.url()) { _, _, _ in }
    let upload = session.uploadTask(with: URLRequest(url: server.url()), from: Data()) { _, _, _ in }
    let download = session.downloadTask(with: server.url()) { _, _, _ in ended.open() }
    #expect(await session.allTasks == [data, upload, download])
    let (dataTasks, uploadTasks, downloadTasks) = await session.tasks
    #expect(dataTasks == [data] && uploadTasks == [upload] && downloadTasks == [download])
    #expect(Set([data, upload, download].map(\.taskIdentifier)).count == 3)

    let counts = Log<Int>()
    let reported = Gate()
    session.getAllTasks { counts.add($0.count) }
    session.getTasksWithCompletionHandler {
      counts.add($0.count + $1.count + $2.count)
      reported.open()
    }
    #expect(await reported.wait(within: .seconds(90)))
    #expect(counts.all == [3, 3])

    gate.open()
    data.cancel()
    upload.cancel()
    download.resume()
    #expect(await ended.wait(within: .seconds(90)))
    #expect(await eventually { await session.allTasks.isEmpty })
  }

  @Test func `the properties that the program sets are kept`() throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let task = session.dataTask(with: url) { _, _, _ in }
    #expect(task.priority == URLSessionTask.defaultPriority)
    task.priority = 7
    #expect(task.priority == 1)
    task.priority = -1
    #expect(task.priority == 0)
    task.taskDescription = "mine"
    #expect(task.taskDescription == "mine")
    #expect(task.originalRequest?.url == url)
    #expect(task.currentRequest?.url == url)
    #expect(task.response == nil)
    #expect(task.error == nil)
    task.cancel()
  }

  @Test func `a completed task does not keep its body`() async throws {
    let server = try ScriptedServer.http { _ in Reply(body: Data(count: 1000)) }
    let lengths = Log<Int?>()
    let done = Gate()
    let task = session.dataTask(with: server.url()) { data, _, _ in
      lengths.add(data?.count)
      done.open()
    }
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(lengths.all == [1000])
    #expect(await eventually { await session.allTasks.isEmpty })
    #expect(task.transferState.collected.isEmpty)
  }

  @Test func `the deinitializer of a replaced delegate may access the task`() throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let task = session.dataTask(with: url) { _, _, _ in }
    let states = Log<URLSessionTask.State>()
    task.delegate = StateRecordingDelegate(task, states)
    task.delegate = SilentDelegate()
    #expect(states.all == [.suspended])
    task.cancel()
  }

  private final class StateRecordingDelegate: NSObject, URLSessionTaskDelegate {
    private let task: WeakReference<URLSessionTask>
    private let states: Log<URLSessionTask.State>

    init(_ task: URLSessionTask, _ states: Log<URLSessionTask.State>) {
      self.task = WeakReference(task)
      self.states = states
    }

    deinit { if let task = task.object { states.add(task.state) } }
  }
}
#endif
