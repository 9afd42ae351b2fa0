#if !canImport(Darwin)
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct DelegateOrderTests {
  @Test func `a data task calls its delegate in order`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.order == ["created", "response", "data", "metrics", "completed"])
    #expect(delegate.log.current.body == Data("body".utf8))
    #expect(delegate.log.current.error == nil)
  }

  @Test(arguments: [4, 300_000])
  func `an upload task reports sent bytes before the response`(size: Int) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "taken") }
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.uploadTask(with: URLRequest(url: server.url()), from: Data(count: size)).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.order == ["created", "sent", "response", "data", "metrics", "completed"])
  }

  @Test func `a download task calls its delegate in order`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.downloadTask(with: server.url()).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    let order = delegate.log.order
    #expect(order.prefix(2) == ["created", "written"])
    #expect(Set(order.dropFirst(2)) == ["file", "metrics", "completed"])
    #expect(order.last == "completed")
  }

  @Test func redirectsAndChallengesComeBeforeTheResponse() async throws {
    let server = try ScriptedServer.http { request in
      switch (request.path, request["Authorization"]) {
      case ("/", _): .redirect(to: "/private")
      case (_, nil): Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
      default: Reply(text: "in")
      }
    }
    let delegate = HandlerDelegate(
      .init(challenge: { _ in
        (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
      }))
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(
      delegate.log.order == [
        "created", "redirect", "challenge", "response", "data", "metrics", "completed",
      ])
    #expect(delegate.log.current.metrics.first?.redirectCount == 1)
    #expect(delegate.log.current.metrics.first?.transactionMetrics.count == 3)
  }

  @Test func `interim responses are reported to the delegate`() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"),
      .send(Reply(text: "end")),
    ])
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.informational == [103, 102])
    #expect(delegate.log.order.prefix(3) == ["created", "informational", "response"])
  }

  enum End: CaseIterable { case success, failure, cancellation }

  @Test(arguments: End.allCases)
  func `metrics are reported once, regardless of how a task ends`(end: End) async throws {
    let reached = Gate()
    let server = try ScriptedServer([
      .readRequest, .open(reached),
      end == .success ? .send(Reply(text: "x")) : end == .failure ? .reset : .hold,
    ])
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.dataTask(with: server.url())
    task.resume()
    #expect(await reached.wait(within: .seconds(90)))
    if end == .cancellation { task.cancel() }
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.events.suffix(2) == ["metrics", "completed"])
    let metrics = delegate.log.current.metrics
    #expect(metrics.count == 1)
    #expect(metrics.first?.transactionMetrics.count == 1)
    #expect((delegate.log.current.error == nil) == (end == .success))
  }

  @Test func `an async load reports its metrics before it returns`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    let delegate = HandlerDelegate()
    _ = try await URLSession.forTest().data(from: server.url(), delegate: delegate)
    #expect(delegate.log.current.metrics.count == 1)
    let transaction = delegate.log.current.metrics.first?.transactionMetrics.first
    #expect((transaction?.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(transaction?.networkProtocolName == "http/1.1")
  }

  @Test func `a stream ends after its delegate has received the metrics`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let delegate = WaitingMetricsDelegate()
    let (bytes, _) = try await URLSession.forTest().bytes(from: server.url(), delegate: delegate)
    var count = 0
    for try await _ in bytes { count += 1 }
    delegate.readerHasEnded.signal()
    #expect(count == 4)
    #expect(delegate.wasFirst.withLock { $0 } == true)
  }

  @Test func `a new task is reported before the method that creates it returns`() throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.dataTask(with: url)
    #expect(delegate.log.events == ["created"])
    task.cancel()
  }

  @Test func `the body waits for the response disposition`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let delegate = PendingAnswerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.dataTask(with: server.url())
    task.resume()
    #expect(await delegate.asked.wait(within: .seconds(90)))
    #expect(task.countOfBytesReceived == 0)
    #expect(!delegate.gotData.isOpen)
    delegate.answer(.allow)
    #expect(await delegate.gotData.wait(within: .seconds(90)))
  }

  @Test func aResponseThatIsDeclinedCancelsTheTask() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    for delegate in [
      HandlerDelegate(.init(disposition: { _ in .cancel })) as any URLSessionDataDelegate & LoggingDelegate,
      AsyncDelegate(.init(disposition: { _ in .cancel })),
    ] {
      let session = URLSession.forTest(delegate: delegate)
      session.dataTask(with: server.url()).resume()
      #expect(await delegate.log.completed.wait(within: .seconds(90)))
      #expect((delegate.log.current.error as? URLError)?.code == .cancelled)
      #expect(!delegate.log.events.contains("data"))
    }
  }

  @Test func `only the first call of a completion handler has an effect`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let delegate = PendingAnswerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.dataTask(with: server.url())
    task.resume()
    #expect(await delegate.asked.wait(within: .seconds(90)))
    delegate.answer(.allow)
    delegate.answer(.cancel)
    #expect(await delegate.gotData.wait(within: .seconds(90)))
    #expect(await eventually { task.state == .completed })
    #expect(task.error == nil)
  }

  @Test func `cancelling while the delegate decides ends the task`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let delegate = PendingAnswerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.dataTask(with: server.url())
    task.resume()
    #expect(await delegate.asked.wait(within: .seconds(90)))
    task.cancel()
    #expect(await eventually { task.state == .completed })
    delegate.answer(.allow)
    #expect((task.error as? URLError)?.code == .cancelled)
    try await session.expectUsable()
  }

  @Test func theResourceTimeOutDoesNotWaitForADelegate() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let delegate = PendingAnswerDelegate()
    let session = URLSession.forTest(delegate: delegate) { $0.timeoutIntervalForResource = 0.3 }
    let task = session.dataTask(with: server.url())
    task.resume()
    #expect(await eventually { task.state == .completed })
    #expect((task.error as? URLError)?.code == .timedOut)
  }

  @Test(arguments: [UploadBody.streamFromDelegate, .restFromDelegate(from: 5, length: nil)])
  func `the resource time-out does not wait for a body stream`(body: UploadBody) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "body") }
    let delegate = PendingStreamDelegate()
    let session = URLSession.forTest(delegate: delegate) { $0.timeoutIntervalForResource = 0.3 }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let task = session.uploadTask(withStreamedRequest: request)
    task.lockedState.withLock { $0.uploadBody = body }
    task.resume()
    #expect(await eventually { task.state == .completed })
    #expect((task.error as? URLError)?.code == .timedOut)
    // An answer after the end has no effect.
    #expect(await delegate.asked.wait(within: .seconds(90)))
    delegate.answer(InputStream(data: Data("late".utf8)))
    #expect(server.requests.isEmpty)
  }

  @Test func `receiving pauses while a delegate lags behind`() async throws {
    let pieces = Log<Int>()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(100 << 20)\r\n\r\n")
      let piece = Data(count: 1 << 20)
      for number in 0..<100 {
        try connection.send(piece)
        pieces.add(number)
      }
    }
    let delegate = BlockingDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.dataTask(with: server.url()).resume()
    #expect(await delegate.reached.wait(within: .seconds(90)))
    #expect(
      await eventually {
        pieces.all.count == 100 || ConnectionTable.hasStalledSender(port: server.port)
      })
    #expect(pieces.all.count < 40)
    delegate.resume.open()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.received == 100 << 20)
  }

  /// Gives a reader enough time to end before the metrics are available.
  private final class WaitingMetricsDelegate: NSObject, URLSessionTaskDelegate {
    let readerHasEnded = DispatchSemaphore(value: 0)
    let wasFirst = Mutex<Bool?>(nil)

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      let result = readerHasEnded.wait(timeout: .now() + .milliseconds(500))
      wasFirst.withLock { $0 = result == .timedOut }
    }
  }

  /// Stores the completion handler of the response.
  private final class PendingAnswerDelegate: NSObject, URLSessionDataDelegate {
    let asked = Gate()
    let gotData = Gate()
    private let handler = Mutex<(@Sendable (URLSession.ResponseDisposition) -> Void)?>(nil)

    func answer(_ disposition: URLSession.ResponseDisposition) { handler.withLock { $0 }?(disposition) }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      handler.withLock { $0 = completionHandler }
      asked.open()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      gotData.open()
    }
  }

  /// Stores the completion handler of a question about the body.
  private final class PendingStreamDelegate: NSObject, URLSessionTaskDelegate {
    let asked = Gate()
    private let handler = Mutex<(@Sendable (InputStream?) -> Void)?>(nil)

    func answer(_ stream: InputStream?) { handler.withLock { $0 }?(stream) }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      handler.withLock { $0 = completionHandler }
      asked.open()
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
      completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      handler.withLock { $0 = completionHandler }
      asked.open()
    }
  }

  /// Waits in its first call with data until the test lets it continue.
  private final class BlockingDelegate: NSObject, URLSessionDataDelegate {
    let (reached, resume, completed) = (Gate(), Gate(), Gate())
    private let count = Mutex(0)
    var received: Int { count.withLock { $0 } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      count.withLock { $0 += data.count }
      reached.open()
      resume.waitBlocking()
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { completed.open() }
  }
}

protocol LoggingDelegate: AnyObject { var log: DelegateLog { get } }
extension HandlerDelegate: LoggingDelegate {}
extension AsyncDelegate: LoggingDelegate {}
#endif
