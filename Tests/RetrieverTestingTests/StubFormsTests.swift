import Foundation
import Retriever
import RetrieverTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StubFormsTests {
  private let stubs = HTTPStubs()

  private func post(_ path: String) throws -> URLRequest {
    var request = URLRequest(url: try .test(path))
    request.httpMethod = "POST"
    return request
  }

  @Test func `uploads from data, files and streams arrive with their body`() async throws {
    let folder = try TemporaryDirectory()
    let content = Data.pattern(count: 200_000)
    let file = try folder.write(content, to: "photo")
    stubs.when("POST /photos", answer: .status(201))
    let session = stubs.session()
    _ = try await session.upload(for: post("/photos"), from: content)
    _ = try await session.upload(for: post("/photos"), fromFile: file)
    var streamed = try post("/photos")
    streamed.httpBodyStream = InputStream(data: content)
    _ = try await session.data(for: streamed)
    #expect(stubs.requests.count == 3)
    for request in stubs.requests {
      #expect(request.method == "POST" && request.bodyLength == 200_000)
      #expect(difference(request.body, content) == nil)
    }
  }

  @Test func `a download is a file`() async throws {
    stubs.when("/photo", answer: .data(Data.pattern(count: 100_000), type: "image/png"))
    let (file, response) = try await stubs.session().download(from: .test("/photo"))
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try difference(Data(contentsOf: file), Data.pattern(count: 100_000)) == nil)
    #expect(response.mimeType == "image/png")
  }

  @Test func `completion handlers get the response`() async throws {
    stubs.when("/dogs", answer: .text("woof"))
    let session = stubs.session()
    let url = try URL.test("/dogs")
    let text = await withCheckedContinuation { continuation in
      session.dataTask(with: url) { data, response, error in
        let isComplete = error == nil && (response as? HTTPURLResponse)?.statusCode == 200
        continuation.resume(returning: isComplete ? data.map { String(decoding: $0, as: UTF8.self) } : nil)
      }.resume()
    }
    #expect(text == "woof")
  }

  private final class Log: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let events = Mutex<[String]>([])
    let completed = Gate()
    var all: [String] { events.withLock { $0 } }

    private func add(_ event: String) { events.withLock { $0.append(event) } }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
      add("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
      return .allow
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      add("data \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
      add("file \((try? Data(contentsOf: location).count) ?? -1)")
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      let transactions = metrics.transactionMetrics.map { transaction in
        "\(transaction.request.httpMethod ?? "") "
          + "\((transaction.response as? HTTPURLResponse)?.statusCode ?? 0)"
      }
      add("metrics \(transactions) \(metrics.redirectCount)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      add(error == nil ? "complete" : "failed")
      completed.open()
    }
  }

  @Test func `a session's delegate gets everything in order, with metrics`() async throws {
    stubs.when("/old", answer: .redirect(to: "/dogs"))
    stubs.when("/dogs", answer: .text("woof"))
    let log = Log()
    let session = stubs.session(delegate: log)
    session.dataTask(with: try .test("/old")).resume()
    #expect(await log.completed.wait(within: .seconds(90)))
    #expect(
      log.all == ["response 200", "data woof", #"metrics ["GET 302", "GET 200"] 1"#, "complete"])
    session.finishTasksAndInvalidate()
    let files = Log()
    let downloading = stubs.session(delegate: files)
    downloading.downloadTask(with: try .test("/dogs")).resume()
    #expect(await files.completed.wait(within: .seconds(90)))
    #expect(files.all.contains("file 4"))
    downloading.finishTasksAndInvalidate()
  }

  @Test func `the progress of a task counts the bytes of the answer`() async throws {
    let clock = ManualClock()
    let stubs = HTTPStubs(clock: clock)
    stubs.when("/slow", answer: .data(Data(count: 100)).inPieces(of: 25, every: .seconds(1)))
    let session = stubs.session()
    let task = session.dataTask(with: try .test("/slow")) { _, _, _ in }
    let progress = task.progress
    task.resume()
    for count in 1...3 {
      #expect(await eventually { task.countOfBytesReceived == 25 * count })
      clock.advance(by: .seconds(1))
    }
    #expect(await eventually { task.state == .completed })
    #expect(task.countOfBytesExpectedToReceive == 100 && task.countOfBytesReceived == 100)
    #expect(progress.isFinished)
  }

  @Test func `lines are read as they arrive`() async throws {
    stubs.when("/lines", answer: .text("one\ntwo\nthree"))
    let (bytes, _) = try await stubs.session().bytes(from: .test("/lines"))
    var lines: [String] = []
    for try await line in bytes.lines { lines.append(line) }
    #expect(lines == ["one", "two", "three"])
  }

  @Test func `a suspended task sends no request to the stubs`() async throws {
    stubs.when("/dogs", answer: .text("woof"))
    let task = stubs.session().dataTask(with: try .test("/dogs"))
    #expect(stubs.requests.isEmpty)
    task.resume()
    #expect(await eventually { task.state == .completed })
    #expect(stubs.requests.count == 1)
  }
}
