#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct UploadResumptionTests {
  /// How a test reaches its server.
  enum Connection: CaseIterable {
    case http1, tls

    func request(to server: ResumableUploadServer, _ path: String = "/photos") throws -> URLRequest {
      var request = URLRequest(url: server.url(path))
      if self == .tls {
        let port = try TLSRelay.shared().forward(to: server.server.port)
        request.url = URL(string: "https://localhost:\(port)\(path)")
      }
      request.httpMethod = "POST"
      request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
      request.setValue("red", forHTTPHeaderField: "X-Colour")
      return request
    }

    func session(delegate: (any URLSessionDelegate)? = nil) throws -> URLSession {
      let authority = try TestAuthority.shared().authorityFile
      return .forTest(delegate: delegate) { $0.trustedCertificates = .file(authority) }
    }
  }

  /// What an upload sends.
  enum Source: CaseIterable {
    case data, file
  }

  private static let body = Data.pattern(count: 3_000_000)
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func task(_ source: Source, _ request: URLRequest, in session: URLSession) throws
    -> URLSessionUploadTask
  {
    switch source {
    case .data: session.uploadTask(with: request, from: Self.body) { _, _, _ in }
    case .file:
      session.uploadTask(with: request, fromFile: try directory.write(Self.body, to: "photo")) { _, _, _ in }
    }
  }

  /// Waits until the task has read the server's offer. The body may arrive at the server before.
  private static func canResume(_ task: URLSessionTask) async -> Bool {
    await eventually(within: .seconds(90)) {
      task.lockedState.withLock { $0.upload?.machine.resumption != nil }
    }
  }

  /// Starts an upload that stops after a million bytes, and cancels it there.
  private func interrupted(
    _ source: Source = .data, _ connection: Connection = .http1, at count: Int = 1_000_000,
    isOffered: Bool = true, _ change: (inout ResumableUploadServer.Behavior) -> Void = { _ in }
  ) async throws -> (ResumableUploadServer, Data?) {
    let reached = Gate()
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.stall(after: count, reached: reached)]
    change(&behavior)
    let server = try ResumableUploadServer(behavior)
    let task = try task(source, connection.request(to: server), in: connection.session())
    task.resume()
    #expect(await reached.wait(within: .seconds(90)))
    if isOffered { #expect(await Self.canResume(task)) }
    return (server, await task.cancelByProducingResumeData())
  }

  @Test(arguments: Source.allCases, Connection.allCases)
  func `a cancelled upload continues at the server's offset`(
    _ source: Source, _ connection: Connection
  ) async throws {
    let (server, resumeData) = try await interrupted(source, connection)
    let data = try #require(resumeData)
    let (text, response) = try await connection.session().upload(resumeFrom: data)
    #expect(String(decoding: text, as: UTF8.self) == "3000000")
    #expect((response as? HTTPURLResponse)?.statusCode == 201)
    #expect(server.uploads.count == 1)
    #expect(server.uploads.first?.isComplete == true)
    #expect(difference(server.uploads.first?.bytes ?? Data(), Self.body) == nil)
    #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
    let (head, patch) = (server.requests[1], server.requests[2])
    #expect(head["Upload-Draft-Interop-Version"] == "6")
    #expect(head["Upload-Complete"] == nil && head["Upload-Offset"] == nil)
    #expect(patch["Upload-Draft-Interop-Version"] == "6")
    #expect(patch["Upload-Offset"] == "1000000")
    #expect(patch["Upload-Complete"] == "?1")
    #expect(patch["Content-Length"] == "2000000")
    #expect(patch["Content-Type"] == "application/partial-upload")
    #expect(head["X-Colour"] == "red" && patch["X-Colour"] == "red")
  }

  @Test func `a task with a handler and one with a delegate can be resumed`() async throws {
    let (server, resumeData) = try await interrupted()
    let data = try #require(resumeData)
    let (texts, done) = (Log<Data?>(), Gate())
    URLSession.forTest().uploadTask(withResumeData: data) { text, _, error in
      #expect(error == nil)
      texts.add(text)
      done.open()
    }.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(texts.all == [Data("3000000".utf8)])
    #expect(difference(server.uploads[0].bytes, Self.body) == nil)

    let (other, otherData) = try await interrupted(.file)
    let delegate = HandlerDelegate()
    let task = URLSession.forTest(delegate: delegate).uploadTask(withResumeData: try #require(otherData))
    #expect(task.originalRequest?.httpMethod == "POST")
    #expect(task.originalRequest?.url == other.url("/photos"))
    #expect(task.countOfBytesExpectedToSend == 3_000_000)
    task.resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    let log = delegate.log.current
    #expect(log.error == nil)
    #expect(log.body == Data("3000000".utf8))
    #expect(log.sent.map(\.0).reduce(0, +) == 2_000_000)
    #expect(log.sent.allSatisfy { $0.1 > 1_000_000 && $0.2 == 3_000_000 })
    #expect(log.sent.last?.1 == 3_000_000)
    #expect(task.countOfBytesSent == 3_000_000)
    #expect(difference(other.uploads[0].bytes, Self.body) == nil)
  }

  @Test(arguments: Source.allCases, Connection.allCases)
  func `an upload whose connection is lost continues by itself`(
    _ source: Source, _ connection: Connection
  ) async throws {
    let delegate = HandlerDelegate()
    var behavior = ResumableUploadServer.Behavior()
    // Without the server's offer, there is nothing to resume.
    behavior.receptions = [
      .cut(after: 700_000, when: delegate.informed), .cut(after: 1), .cut(after: 0), .cut(after: 900_000),
    ]
    let server = try ResumableUploadServer(behavior)
    let session = try connection.session(delegate: delegate)
    let request = try connection.request(to: server)
    let task =
      switch source {
      case .data: session.uploadTask(with: request, from: Self.body)
      case .file: session.uploadTask(with: request, fromFile: try directory.write(Self.body, to: "photo"))
      }
    task.resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.error == nil)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
    #expect(difference(server.uploads[0].bytes, Self.body) == nil)
    #expect(server.uploads.count == 1)
    #expect(
      server.requests.compactMap { $0["Upload-Offset"] } == ["700000", "700001", "700001", "1600001"])
    #expect(delegate.log.current.informational == [104])
    // What is reported only grows, although bytes were sent twice.
    let totals = delegate.log.current.sent.map(\.1)
    #expect(totals == totals.sorted() && totals.last == 3_000_000)
    #expect(delegate.log.current.metrics.first?.transactionMetrics.count == 9)
  }

  @Test func `a reset in the middle of the body is resumed`() async throws {
    let offered = Gate()
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.reset(after: 500_000, when: offered)]
    let server = try ResumableUploadServer(behavior)
    final class Listener: NSObject, URLSessionTaskDelegate {
      let offered: Gate
      init(_ offered: Gate) { self.offered = offered }
      func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
      ) { offered.open() }
    }
    let (text, _) = try await URLSession.forTest().upload(
      for: Connection.http1.request(to: server), from: Self.body, delegate: Listener(offered))
    #expect(text == Data("3000000".utf8))
    #expect(difference(server.uploads[0].bytes, Self.body) == nil)
  }

  @Test func `a server that is lost again and again ends the upload with resume data`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 10)] + Array(repeating: .cut(after: 0), count: 5)
    let server = try ResumableUploadServer(behavior)
    let session = URLSession.forTest()
    do {
      _ = try await session.upload(for: Connection.http1.request(to: server), from: Self.body)
      Issue.record("The upload succeeded")
    } catch let error as URLError {
      #expect(error.code == .networkConnectionLost)
      let data = try #require(error.uploadTaskResumeData)
      #expect(error.userInfo[NSURLSessionUploadTaskResumeData] as? Data == data)
      // The first question for the offset makes progress, and three do not.
      #expect(server.requests.count { $0.method == "HEAD" } == 4)
      let (text, _) = try await session.upload(resumeFrom: data)
      #expect(text == Data("3000000".utf8))
      #expect(difference(server.uploads[0].bytes, Self.body) == nil)
    }
  }

  @Test func `an idempotent upload over a reused connection is resumed, and not sent again`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 400_000)]
    behavior.refusal = { $0.path == "/hello" ? Reply(text: "hello") : nil }
    let server = try ResumableUploadServer(behavior)
    let session = URLSession.forTest()
    _ = try await session.data(from: server.url("/hello"))
    var request = try Connection.http1.request(to: server)
    request.httpMethod = "PUT"
    let (text, _) = try await session.upload(for: request, from: Self.body)
    #expect(text == Data("3000000".utf8))
    #expect(server.requests.map(\.method) == ["GET", "PUT", "HEAD", "PATCH"])
    #expect(server.requests[0].connection == server.requests[1].connection)
    #expect(difference(server.uploads[0].bytes, Self.body) == nil)
  }

  @Test func `an upload can be resumed several times`() async throws {
    let second = Gate()
    let (server, first) = try await interrupted(.file) {
      $0.receptions.append(.stall(after: 500_000, reached: second))
    }
    let task = URLSession.forTest().uploadTask(withResumeData: try #require(first)) { _, _, _ in }
    task.resume()
    #expect(await second.wait(within: .seconds(90)))
    let again = try #require(await task.cancelByProducingResumeData())
    _ = try await URLSession.forTest().upload(resumeFrom: again)
    #expect(server.requests.compactMap { $0["Upload-Offset"] } == ["1000000", "1500000"])
    #expect(difference(server.uploads[0].bytes, Self.body) == nil)
  }

  @Test func `an upload that was complete gives the answer to the question for the offset`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.loseResponse]
    let server = try ResumableUploadServer(behavior)
    let (text, response) = try await URLSession.forTest().upload(
      for: Connection.http1.request(to: server), from: Self.body)
    #expect(text.isEmpty)
    #expect((response as? HTTPURLResponse)?.statusCode == 204)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Upload-Complete") == "?1")
    #expect(difference(server.uploads[0].bytes, Self.body) == nil)
    #expect(server.requests.map(\.method) == ["POST", "HEAD"])
  }

  @Test func `a short upload that was cut before its response is completed`() async throws {
    for count in [0, 3, 5] {
      var behavior = ResumableUploadServer.Behavior()
      behavior.receptions = [.cut(after: count), .cut(after: 0)]
      let server = try ResumableUploadServer(behavior)
      let (text, _) = try await URLSession.forTest().upload(
        for: Connection.http1.request(to: server), from: Data("short".utf8))
      #expect(text == Data("5".utf8))
      #expect(server.uploads.map(\.bytes) == [Data("short".utf8)])
      #expect(server.requests.last?["Content-Length"] == "\(5 - count)")
    }
  }

  @Test(arguments: Source.allCases)
  func `connections that are cut at any byte lose and repeat nothing`(_ source: Source) async throws {
    for seed in UInt64(0)..<25 {
      var random = SeededRandom(seed)
      // Shorter than what is sent together with the head, and longer.
      let length = Int.random(in: 1...200_000, using: &random)
      let body = Data.pattern(count: length)
      var behavior = ResumableUploadServer.Behavior()
      var left = length
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let count = Int.random(in: 0...left, using: &random)
        behavior.receptions.append(.cut(after: count))
        // Without progress, a task gives up.
        if count == 0 { break }
        left -= count
      }
      if seed % 5 == 0 { behavior.receptions.append(.loseResponse) }
      let server = try ResumableUploadServer(behavior)
      let request = try Connection.http1.request(to: server)
      let session = URLSession.forTest()
      let (_, response) =
        switch source {
        case .data: try await session.upload(for: request, from: body)
        case .file:
          try await session.upload(for: request, fromFile: directory.write(body, to: "photo-\(seed)"))
        }
      #expect([201, 204].contains((response as? HTTPURLResponse)?.statusCode))
      #expect(server.uploads.count == 1 && server.uploads[0].isComplete)
      #expect(difference(server.uploads[0].bytes, body) == nil)
    }
  }

  @Test func `an upload that is cancelled at any moment is resumed or was complete`() async throws {
    for count in stride(from: 0, to: 60, by: 1) {
      let server = try ResumableUploadServer()
      let session = URLSession.forTest()
      let done = Gate()
      let task = session.uploadTask(
        with: try Connection.http1.request(to: server), from: Self.body
      ) { _, _, _ in done.open() }
      task.resume()
      // A moment that differs from run to run.
      for _ in 0..<count * 20 { await Task.yield() }
      let data = await task.cancelByProducingResumeData()
      #expect(await done.wait(within: .seconds(90)))
      guard let data else { continue }
      _ = try await session.upload(resumeFrom: data)
      #expect(server.uploads.count == 1 && server.uploads[0].isComplete)
      #expect(difference(server.uploads[0].bytes, Self.body) == nil)
    }
  }

  @Test func `the delegate provides the rest of a stream`() async throws {
    for isAsync in [false, true] {
      for states in [false, true] {
        let reached = Gate()
        var behavior = ResumableUploadServer.Behavior()
        behavior.receptions = [.stall(after: 40_000, reached: reached), .cut(after: 10_000)]
        let server = try ResumableUploadServer(behavior)
        let body = Data.pattern(count: 400_000)
        let delegate: any StreamProvider =
          isAsync ? AsyncStreamProvider(body) : HandlerStreamProvider(body)
        let session = URLSession.forTest(delegate: delegate)
        var request = try Connection.http1.request(to: server)
        if states { request.setValue("400000", forHTTPHeaderField: "Content-Length") }
        let task = session.uploadTask(withStreamedRequest: request)
        task.resume()
        #expect(await reached.wait(within: .seconds(90)))
        #expect(await Self.canResume(task))
        let data = try #require(await task.cancelByProducingResumeData())
        #expect(await delegate.completed[0].wait(within: .seconds(90)))
        session.uploadTask(withResumeData: data).resume()
        #expect(await delegate.completed[1].wait(within: .seconds(90)))
        #expect(delegate.offsets.all == [0, 40_000, 50_000])
        #expect(difference(server.uploads[0].bytes, body) == nil)
        #expect(server.requests.last?["Content-Length"] == (states ? "350000" : nil))
      }
    }
  }

  @Test func `a delegate without the rest of a stream fails the upload, which can be resumed later`()
    async throws
  {
    let reached = Gate()
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.stall(after: 40_000, reached: reached)]
    let server = try ResumableUploadServer(behavior)
    let body = Data.pattern(count: 400_000)
    let delegate = HandlerStreamProvider(body)
    let task = URLSession.forTest(delegate: delegate)
      .uploadTask(withStreamedRequest: try Connection.http1.request(to: server))
    task.resume()
    #expect(await reached.wait(within: .seconds(90)))
    #expect(await Self.canResume(task))
    let data = try #require(await task.cancelByProducingResumeData())
    do {
      _ = try await URLSession.forTest().upload(resumeFrom: data)
      Issue.record("The upload succeeded")
    } catch let error as URLError {
      #expect(error.code == .requestBodyStreamExhausted)
      let later = try #require(error.uploadTaskResumeData)
      _ = try await URLSession.forTest().upload(resumeFrom: later, delegate: delegate)
      #expect(difference(server.uploads[0].bytes, body) == nil)
    }
  }

  @Test func `a stream that continues at its beginning is the one of every upload`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 0)]
    let server = try ResumableUploadServer(behavior)
    let body = Data.pattern(count: 400_000)
    // This delegate has no method for a stream that begins at an offset.
    let delegate = HandlerDelegate(.init(newStream: { InputStream(data: body) }))
    URLSession.forTest(delegate: delegate)
      .uploadTask(withStreamedRequest: try Connection.http1.request(to: server)).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.error == nil)
    #expect(delegate.log.events.count { $0 == "stream" } == 2)
    #expect(difference(server.uploads[0].bytes, body) == nil)
  }

  @Test func `there is no resume data without the server's offer`() async throws {
    let (_, data) = try await interrupted(isOffered: false) { $0.interims = { _ in [] } }
    #expect(data == nil)
    let (_, other) = try await interrupted(isOffered: false) {
      $0.interims = { [$0.replacingOccurrences(of: "Version: 6", with: "Version: 7")] }
    }
    #expect(other == nil)
    let session = URLSession.forTest()
    let server = try ResumableUploadServer()
    let idle = try task(.data, Connection.http1.request(to: server), in: session)
    #expect(await idle.cancelByProducingResumeData() == nil)
    let done = Gate()
    let over = session.uploadTask(with: try Connection.http1.request(to: server), from: Self.body) {
      _, _, _ in
      done.open()
    }
    over.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(await over.cancelByProducingResumeData() == nil)
  }

  @Test func `a time-out gives resume data`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.stall(after: 100_000, reached: Gate())]
    let server = try ResumableUploadServer(behavior)
    var request = try Connection.http1.request(to: server)
    request.timeoutInterval = 1
    do {
      _ = try await URLSession.forTest().upload(for: request, from: Data.pattern(count: 64 << 20))
      Issue.record("The upload succeeded")
    } catch let error as URLError {
      #expect(error.code == .timedOut)
      #expect(error.uploadTaskResumeData != nil)
    }
  }

  @Test func `a plain cancellation has no resume data`() async throws {
    let reached = Gate()
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.stall(after: 1000, reached: reached)]
    let server = try ResumableUploadServer(behavior)
    let request = try Connection.http1.request(to: server)
    let upload = Task { try await URLSession.forTest().upload(for: request, from: Self.body) }
    #expect(await reached.wait(within: .seconds(90)))
    upload.cancel()
    do {
      _ = try await upload.value
      Issue.record("The upload succeeded")
    } catch let error as URLError {
      #expect(error.code == .cancelled)
      #expect(error.uploadTaskResumeData == nil)
    }
    #expect(server.requests.map(\.method) == ["POST"])
  }
}

/// Provides the parts of a body as streams, and records their offsets.
private protocol StreamProvider: URLSessionTaskDelegate {
  var offsets: Log<Int64> { get }
  var completed: [Gate] { get }
}

private final class HandlerStreamProvider: NSObject, StreamProvider {
  let body: Data
  let offsets = Log<Int64>()
  let completed = [Gate(), Gate()]
  init(_ body: Data) { self.body = body }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    offsets.add(0)
    completionHandler(InputStream(data: body))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    offsets.add(offset)
    completionHandler(InputStream(data: Data(body.dropFirst(Int(offset)))))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) { completed.first { !$0.isOpen }?.open() }
}

private final class AsyncStreamProvider: NSObject, StreamProvider {
  let body: Data
  let offsets = Log<Int64>()
  let completed = [Gate(), Gate()]
  init(_ body: Data) { self.body = body }

  func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async
    -> InputStream?
  {
    offsets.add(0)
    return InputStream(data: body)
  }

  func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
  ) async -> InputStream? {
    offsets.add(offset)
    await Task.yield()
    return InputStream(data: Data(body.dropFirst(Int(offset))))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) { completed.first { !$0.isOpen }?.open() }
}
#endif
