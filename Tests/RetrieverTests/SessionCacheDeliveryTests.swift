#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// Stored responses reach every kind of receiver.
@Suite(.timeLimit(.minutes(5))) struct SessionCacheDeliveryTests {
  private static let fresh = ("Cache-Control", "max-age=60")
  private static let body = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  /// Records the calls for data tasks, and decides what is stored.
  private final class Recorder: NSObject, URLSessionDataDelegate, Sendable {
    let words = Log<String>()
    let body = Mutex(Data())
    let fetchTypes = Log<URLSessionTaskMetrics.ResourceFetchType>()
    let completed = Gate()
    let answer: @Sendable (CachedURLResponse) -> CachedURLResponse?

    init(answer: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse? = { $0 }) {
      self.answer = answer
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
      words.add("response")
      return .allow
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      body.withLock { $0 += data }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask,
      willCacheResponse proposedResponse: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      words.add("cache \(proposedResponse.data.count)")
      completionHandler(answer(proposedResponse))
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      for transaction in metrics.transactionMetrics { fetchTypes.add(transaction.resourceFetchType) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      words.add(error == nil ? "complete" : "failed")
      completed.open()
    }
  }

  private func makeSession(
    _ delegate: (any URLSessionDelegate)? = nil,
    _ cache: URLCache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0)
  ) -> URLSession {
    URLSession.forTest(delegate: delegate) { $0.urlCache = cache }
  }

  private func makeServer() throws -> ScriptedServer {
    try ScriptedServer.http { _ in Reply(headers: [Self.fresh], body: Self.body) }
  }

  @Test func `a delegate receives a stored response as it would receive a new one`() async throws {
    let server = try makeServer()
    let cache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0)
    for words in [["response", "cache 1500000", "complete"], ["response", "complete"]] {
      let recorder = Recorder()
      let session = makeSession(recorder, cache)
      session.dataTask(with: server.url()).resume()
      #expect(await recorder.completed.wait())
      #expect(recorder.words.all == words)
      #expect(recorder.body.withLock { $0 == Self.body })
      session.finishTasksAndInvalidate()
    }
    #expect(server.requests.count == 1)
  }

  @Test func `a delegate changes what is stored, or prevents it`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "woof") }
    let changing = makeSession(
      Recorder { CachedURLResponse(response: $0.response, data: Data("meow".utf8), storagePolicy: .allowed) })
    #expect(try await changing.data(from: server.url()).0 == Data("woof".utf8))
    #expect(try await changing.data(from: server.url()).0 == Data("meow".utf8))
    #expect(server.requests.count == 1)
    let refusing = makeSession(Recorder { _ in nil })
    for _ in 0..<2 { #expect(try await refusing.data(from: server.url()).0 == Data("woof".utf8)) }
    #expect(server.requests.count == 3)
  }

  @Test func `measurements name the cache`() async throws {
    let server = try ScriptedServer.http { request in
      request["If-None-Match"] == nil
        ? Reply(headers: [Self.fresh, ("ETag", "\"a\"")], text: "woof")
        : Reply(304, headers: [Self.fresh], framing: .none)
    }
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
    func types(_ policy: URLRequest.CachePolicy) async throws -> [URLSessionTaskMetrics.ResourceFetchType] {
      let recorder = Recorder()
      let session = makeSession(recorder, cache)
      _ = try await session.data(for: URLRequest(url: server.url(), cachePolicy: policy))
      return recorder.fetchTypes.all
    }
    #expect(try await types(.useProtocolCachePolicy) == [.networkLoad])
    #expect(try await types(.useProtocolCachePolicy) == [.localCache])
    #expect(try await types(.reloadRevalidatingCacheData) == [.networkLoad, .localCache])
  }

  @Test func `bytes and lines of a stored response are read`() async throws {
    let server = try makeServer()
    let session = makeSession()
    for _ in 0..<3 {
      var received = Data()
      for try await chunk in try await session.bytes(from: server.url()).0.chunks { received += chunk }
      #expect(received == Self.body)
    }
    #expect(server.requests.count == 1)
  }

  @Test func `a stored response is downloaded to a file`() async throws {
    let server = try makeServer()
    let session = makeSession()
    _ = try await session.data(from: server.url())
    let (file, response) = try await session.download(from: server.url())
    #expect(try Data(contentsOf: file) == Self.body && (response as? HTTPURLResponse)?.statusCode == 200)
    try FileManager.default.removeItem(at: file)
    #expect(server.requests.count == 1)
  }

  @Test func `a completion handler receives a stored response`() async throws {
    let server = try makeServer()
    let session = makeSession()
    for _ in 0..<2 {
      let data = await withCheckedContinuation { continuation in
        session.dataTask(with: server.url()) { data, _, _ in continuation.resume(returning: data) }.resume()
      }
      #expect(data == Self.body)
    }
    #expect(server.requests.count == 1)
  }

  @Test func `a reader that stops early cancels the delivery`() async throws {
    let server = try makeServer()
    let session = makeSession()
    _ = try await session.data(from: server.url())
    let (bytes, _) = try await session.bytes(from: server.url())
    for try await _ in bytes { break }
    bytes.task.cancel()
    let isEnded = await eventually { await session.allTasks.isEmpty }
    #expect(isEnded)
  }

  @Test func `a suspended task receives a stored response after it is resumed`() async throws {
    let server = try makeServer()
    let cache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0)
    _ = try await makeSession(nil, cache).data(from: server.url())
    let recorder = Recorder()
    let task = makeSession(recorder, cache).dataTask(with: server.url())
    task.suspend()
    task.resume()
    #expect(task.state == .suspended)
    task.resume()
    #expect(await recorder.completed.wait())
    #expect(recorder.body.withLock { $0.count } == Self.body.count)
  }

  @Test func `many requests for one URL at the same time get complete responses`() async throws {
    let server = try makeServer()
    let session = makeSession()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 { group.addTask { try await session.data(from: server.url()).0 == Self.body } }
      for try await isComplete in group { #expect(isComplete) }
    }
    let count = server.requests.count
    _ = try await session.data(from: server.url())
    #expect(server.requests.count == count)
  }

  @Test func `a redirect leads to a stored response`() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/a" ? .redirect(to: "/b") : Reply(headers: [Self.fresh], text: "woof")
    }
    let session = makeSession()
    for _ in 0..<2 {
      let (data, response) = try await session.data(from: server.url("/a"))
      #expect(data == Data("woof".utf8) && response.url?.path == "/b")
    }
    #expect(server.requests.map(\.path) == ["/a", "/b", "/a"])
  }

  @Test func `a stored response is read from disk by another session`() async throws {
    let folder = try TemporaryDirectory()
    let server = try makeServer()
    for round in 0..<3 {
      let cache = URLCache(memoryCapacity: 0, diskCapacity: 64 << 20, directory: folder.file("cache"))
      let session = makeSession(nil, cache)
      #expect(try await session.data(from: server.url()).0 == Self.body)
      if round == 0 {
        await withCheckedContinuation { continuation in cache.store.disk?.flush { continuation.resume() } }
      }
    }
    #expect(server.requests.count == 1)
  }

  @Test func `responses that may identify the user are not written to disk`() async throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "woof") }
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: folder.file("cache"))
    var request = URLRequest(url: server.url())
    request.setValue("Basic YTpi", forHTTPHeaderField: "Authorization")
    let session = makeSession(nil, cache)
    for _ in 0..<2 { _ = try await session.data(for: request) }
    await withCheckedContinuation { continuation in cache.store.disk?.flush { continuation.resume() } }
    #expect(server.requests.count == 1 && cache.currentDiskUsage == 0)
  }

  @Test func `a task's own response is stored and looked up by the task`() async throws {
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
    let url = try #require(URL(string: "http://cache.test/"))
    let task = makeSession(nil, cache).dataTask(with: url)
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 4, textEncodingName: nil)
    let stored = CachedURLResponse(response: response, data: Data("woof".utf8))
    cache.storeCachedResponse(stored, for: task)
    func find() async -> CachedURLResponse? {
      await withCheckedContinuation { continuation in
        cache.getCachedResponse(for: task) { continuation.resume(returning: $0) }
      }
    }
    #expect(await find() == stored)
    cache.removeCachedResponse(for: task)
    #expect(await find() == nil)
  }
}
#endif
