#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// A session asks a subclass of `URLCache`.
@Suite(.timeLimit(.minutes(5))) struct SessionCacheSubclassTests {
  private static let fresh = ("Cache-Control", "max-age=60")

  /// Has its own storage, and none of the cache.
  private final class OwnStorage: URLCache, @unchecked Sendable {
    // The invariant: all properties are constants of Sendable types.
    let responses = Mutex<[URL: CachedURLResponse]>([:])
    let words = Log<String>()

    init() { super.init(memoryCapacity: 0, diskCapacity: 0, directory: nil) }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
      words.add("look up")
      return request.url.flatMap { url in responses.withLock { $0[url] } }
    }

    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
      words.add("store")
      guard let url = request.url else { return }
      responses.withLock { $0[url] = cachedResponse }
    }

    override func removeCachedResponse(for request: URLRequest) {
      words.add("remove")
      guard let url = request.url else { return }
      responses.withLock { $0[url] = nil }
    }
  }

  /// Overrides the methods for tasks.
  private final class ForTasks: URLCache, @unchecked Sendable {
    // The invariant: all properties are constants of Sendable types.
    let words = Log<String>()

    override func getCachedResponse(
      for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      words.add("look up \(dataTask.currentRequest?.url?.path ?? "")")
      super.getCachedResponse(for: dataTask, completionHandler: completionHandler)
    }

    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
      super.storeCachedResponse(cachedResponse, for: dataTask)
      words.add("store \(cachedResponse.data.count)")
    }
  }

  private func session(_ cache: URLCache) -> URLSession { URLSession.forTest { $0.urlCache = cache } }

  private func text(_ result: (Data, URLResponse)) -> String { String(decoding: result.0, as: UTF8.self) }

  @Test func `a subclass with its own storage answers and stores`() async throws {
    let count = Mutex(0)
    let server = try ScriptedServer.http { _ in
      Reply(headers: [Self.fresh], text: "\(count.withLock { $0 += 1; return $0 })")
    }
    let cache = OwnStorage()
    let session = session(cache)
    let first = try await session.data(from: server.url())
    #expect(await eventually { cache.words.all == ["look up", "store"] })
    #expect(try await text(first) == text(session.data(from: server.url())))
    #expect(server.requests.count == 1 && cache.words.all == ["look up", "store", "look up"])
    let (file, _) = try await session.download(from: server.url())
    #expect(try String(contentsOf: file, encoding: .utf8) == "1" && server.requests.count == 1)
    try FileManager.default.removeItem(at: file)
  }

  @Test func `a response that a subclass makes is used by HTTP's rules`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "server") }
    let cache = OwnStorage()
    let session = session(cache)
    func put(_ fields: [String: String]) throws {
      let response = try #require(
        HTTPURLResponse(url: server.url(), statusCode: 200, httpVersion: nil, headerFields: fields))
      cache.responses.withLock {
        $0[server.url()] = CachedURLResponse(response: response, data: Data("own".utf8))
      }
    }
    try put(["Cache-Control": "max-age=60"])
    #expect(try await text(session.data(from: server.url())) == "own")
    try put(["Cache-Control": "max-age=60", "Date": httpDate(Date(timeIntervalSinceNow: -100))])
    #expect(try await text(session.data(from: server.url())) == "server")
    try put([:])
    #expect(try await text(session.data(from: server.url())) == "server")
    let offline = URLRequest(url: server.url(), cachePolicy: .returnCacheDataDontLoad)
    #expect(try await text(session.data(for: offline)) == "own")
  }

  @Test func `the methods for tasks are called, and the age of a response is kept`() async throws {
    let server = try ScriptedServer.http { request in
      request["If-None-Match"] == nil
        ? Reply(headers: [Self.fresh, ("ETag", "\"a\"")], text: "woof")
        : Reply(304, headers: [Self.fresh, ("ETag", "\"a\"")], framing: .none)
    }
    let cache = ForTasks(memoryCapacity: 64 << 20, diskCapacity: 0)
    let session = session(cache)
    _ = try await session.data(from: server.url("/a"))
    #expect(await eventually { cache.words.all == ["look up /a", "store 4"] })
    for var entry in cache.store.allEntries(for: try #require(CacheKey(server.url("/a")))) {
      entry.head.requestTime -= 100
      entry.head.responseTime -= 100
      cache.store.store(entry)
    }
    #expect(try await text(session.data(from: server.url("/a"))) == "woof")
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"a\""])
    // The second load looks up again if the first one had not quite ended.
    #expect(await eventually { cache.words.all.count { $0 == "store 4" } == 2 })
    #expect(try await text(session.data(from: server.url("/a"))) == "woof")
    #expect(server.requests.count == 2)
  }

  @Test func `a successful POST asks the subclass to remove the response`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "woof") }
    let cache = OwnStorage()
    let session = session(cache)
    _ = try await session.data(from: server.url())
    #expect(await eventually { cache.words.all == ["look up", "store"] })
    var post = URLRequest(url: server.url())
    post.httpMethod = "POST"
    _ = try await session.data(for: post)
    #expect(await eventually { cache.words.all == ["look up", "store", "remove"] })
  }

  @Test func `a subclass that never answers its first handler does not hold the load up`() async throws {
    // The invariant: there are no properties.
    final class Silent: URLCache, @unchecked Sendable {
      override func getCachedResponse(
        // adopt:ignore never - the test is about a subclass without an answer
        for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
      ) {}
    }
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "woof") }
    let session = session(Silent(memoryCapacity: 1 << 20, diskCapacity: 0))
    #expect(try await text(session.data(from: server.url())) == "woof")
  }

  @Test func `only a subclass pays for its methods`() {
    #expect(session(OwnStorage()).settings.cacheIsSubclass)
    #expect(!session(URLCache(memoryCapacity: 1, diskCapacity: 0)).settings.cacheIsSubclass)
  }
}
#endif
