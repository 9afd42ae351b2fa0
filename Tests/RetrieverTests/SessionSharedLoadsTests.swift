#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// Loads of one URL that miss at the same time wait for one response.
@Suite(.timeLimit(.minutes(5))) struct SessionSharedLoadsTests {
  private static let fresh = ("Cache-Control", "max-age=60")

  private func makeSession(_ cache: URLCache? = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0))
    -> URLSession
  {
    let session = URLSession.forTest {
      $0.urlCache = cache
      $0.httpMaximumConnectionsPerHost = 64
    }
    // Beside a busy processor, a server may answer late.
    session.sharedLoads.limits = SharedLoads.Limits(head: .seconds(60), total: .seconds(120))
    return session
  }

  /// Starts a load, and waits until `count` loads follow another one.
  private func start(
    _ session: URLSession, _ request: URLRequest, followers count: Int
  ) async -> Task<String, any Error> {
    let task = Task { String(decoding: try await session.data(for: request).0, as: UTF8.self) }
    let loads = session.sharedLoads
    #expect(await eventually { loads.followerCount == count })
    return task
  }

  /// A server that holds its first response back.
  private func makeServer(_ gate: Gate, _ reply: @escaping @Sendable (ScriptedRequest, Int) -> Reply) throws
    -> ScriptedServer
  {
    let count = Mutex(0)
    return try ScriptedServer.http { request in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 1 { gate.waitBlocking() }
      return reply(request, number)
    }
  }

  /// Starts the load whose response the server holds back.
  private func startFirst(
    _ server: ScriptedServer, _ fields: [String: String]? = nil
  ) async -> (session: URLSession, request: URLRequest, task: Task<String, any Error>) {
    let session = makeSession()
    var request = URLRequest(url: server.url())
    request.allHTTPHeaderFields = fields
    let task = await start(session, request, followers: 0)
    await firstRequest(server)
    return (session, request, task)
  }

  private func startTwo(_ session: URLSession, _ request: URLRequest) async -> [Task<String, any Error>] {
    [await start(session, request, followers: 1), await start(session, request, followers: 2)]
  }

  private func firstRequest(_ server: ScriptedServer) async {
    #expect(await eventually { server.requests.count == 1 })
  }

  @Test func `loads that miss at the same time share one request`() async throws {
    let gate = Gate()
    let server = try makeServer(gate) { _, number in Reply(headers: [Self.fresh], text: "\(number)") }
    let (session, request, first) = await startFirst(server)
    var others: [Task<String, any Error>] = []
    for count in 1...10 { others.append(await start(session, request, followers: count)) }
    gate.open()
    #expect(try await first.value == "1")
    for other in others { #expect(try await other.value == "1") }
    #expect(server.requests.count == 1 && session.sharedLoads.followerCount == 0)
  }

  @Test(arguments: [("Cache-Control", "no-store"), ("Cache-Control", "no-cache"), ("Vary", "*"), ("X", "1")])
  func `loads ask the server themselves if the response is for one request only`(field: (String, String))
    async throws
  {
    let gate = Gate()
    let body = Gate()
    let server = try ScriptedServer { connection in
      while try connection.nextRequest() != nil {
        let reply = Reply(headers: [field, ("ETag", "\"a\"")], text: "woof")
        if connection.index > 0 {
          try connection.send(reply.bytes)
        } else {
          gate.waitBlocking()
          try connection.send(reply.head)
          // The others must not wait for the end of the body.
          body.waitBlocking()
          try connection.send(reply.body)
        }
      }
    }
    let (session, request, first) = await startFirst(server)
    let others = await startTwo(session, request)
    gate.open()
    for other in others { #expect(try await other.value == "woof") }
    body.open()
    #expect(try await first.value == "woof")
    #expect(server.requests.count == 3)
  }

  @Test func `a load whose fields select another response does not wait for the body`() async throws {
    let gate = Gate()
    let server = try makeServer(gate) { request, _ in
      Reply(headers: [Self.fresh, ("Vary", "Accept-Language")], text: request["Accept-Language"] ?? "")
    }
    let (session, english, first) = await startFirst(server, ["Accept-Language": "en"])
    let same = await start(session, english, followers: 1)
    var german = english
    german.setValue("de", forHTTPHeaderField: "Accept-Language")
    let other = await start(session, german, followers: 2)
    gate.open()
    #expect(try await first.value == "en")
    #expect(try await same.value == "en")
    #expect(try await other.value == "de")
    #expect(server.requests.count == 2)
  }

  @Test func `a response that was requested before a POST answers no request after it`() async throws {
    let gate = Gate()
    let server = try makeServer(gate) { _, number in Reply(headers: [Self.fresh], text: "\(number)") }
    let (session, request, first) = await startFirst(server)
    let other = await start(session, request, followers: 1)
    var post = request
    post.httpMethod = "POST"
    #expect(try await session.data(for: post).0 == Data("2".utf8))
    // The load that waited asks the server, and its response is stored.
    #expect(try await other.value == "3")
    #expect(try await session.data(for: request).0 == Data("3".utf8))
    gate.open()
    #expect(try await first.value == "1")
    #expect(try await session.data(for: request).0 == Data("3".utf8))
  }

  @Test(arguments: [true, false])
  func `a response that was requested before the cache was emptied is not stored`(resets: Bool) async throws {
    let gate = Gate()
    let server = try makeServer(gate) { _, number in Reply(headers: [Self.fresh], text: "\(number)") }
    let (session, request, first) = await startFirst(server)
    if resets { await session.reset() } else { session.configuration.urlCache?.removeAllCachedResponses() }
    gate.open()
    #expect(try await first.value == "1")
    for _ in 0..<2 { #expect(try await session.data(for: request).0 == Data("2".utf8)) }
  }

  @Test func `a load that is cancelled does not fail the others`() async throws {
    let gate = Gate()
    let server = try makeServer(gate) { _, number in Reply(headers: [Self.fresh], text: "\(number)") }
    let (session, request, first) = await startFirst(server)
    let others = await startTwo(session, request)
    first.cancel()
    #expect(await errorCode { _ = try await first.value } == .cancelled)
    for other in others { #expect(try await other.value == "2") }
    // One of the others has led the rest.
    #expect(server.requests.count == 2)
    gate.open()
  }

  @Test func `a load that waits is cancelled immediately`() async throws {
    let gate = Gate()
    let server = try makeServer(gate) { _, _ in Reply(headers: [Self.fresh], text: "woof") }
    let (session, request, first) = await startFirst(server)
    let other = await start(session, request, followers: 1)
    other.cancel()
    #expect(await errorCode { _ = try await other.value } == .cancelled)
    let loads = session.sharedLoads
    #expect(await eventually { loads.followerCount == 0 })
    gate.open()
    #expect(try await first.value == "woof")
  }

  @Test func `concurrent validations send one conditional request`() async throws {
    let gate = Gate()
    let count = Mutex(0)
    let server = try ScriptedServer.http { request in
      guard request["If-None-Match"] != nil else {
        return Reply(headers: [Self.fresh, ("ETag", "\"a\"")], text: "woof")
      }
      count.withLock { $0 += 1 }
      gate.waitBlocking()
      return Reply(304, headers: [Self.fresh, ("ETag", "\"a\"")], framing: .none)
    }
    let session = makeSession()
    let request = URLRequest(url: server.url())
    _ = try await session.data(for: request)
    let store = try #require(session.settings.cache?.store)
    for var entry in store.allEntries(for: try #require(CacheKey(request))) {
      entry.head.requestTime -= 100
      entry.head.responseTime -= 100
      store.store(entry)
    }
    let first = await start(session, request, followers: 0)
    #expect(await eventually { count.withLock { $0 } == 1 })
    let others = await startTwo(session, request)
    gate.open()
    #expect(try await first.value == "woof")
    for other in others { #expect(try await other.value == "woof") }
    #expect(server.requests.count == 2)
  }

  @Test func `requests of other users, with directives or for ranges do not wait`() async throws {
    let gate = Gate()
    let server = try makeServer(gate) { _, number in Reply(headers: [Self.fresh], text: "\(number)") }
    let (session, request, first) = await startFirst(server)
    for (name, value) in [
      ("Authorization", "Bearer a"), ("Range", "bytes=0-1"), ("Cache-Control", "no-cache"),
      ("Pragma", "no-cache"), ("If-None-Match", "\"b\""),
    ] {
      var own = request
      own.setValue(value, forHTTPHeaderField: name)
      _ = try await session.data(for: own)
    }
    var bypassing = request
    bypassing.cachePolicy = .reloadIgnoringLocalCacheData
    _ = try await session.data(for: bypassing)
    #expect(server.requests.count == 7)
    gate.open()
    #expect(try await first.value == "1")
  }

  @Test func `a server that holds its response back delays the others for a bounded time`() async throws {
    let gate = Gate()
    let server = try makeServer(gate) { _, number in Reply(headers: [Self.fresh], text: "\(number)") }
    let session = makeSession()
    session.sharedLoads.limits = SharedLoads.Limits(head: .milliseconds(50), total: .milliseconds(100))
    let request = URLRequest(url: server.url())
    let first = Task { try await session.data(for: request).0 }
    await firstRequest(server)
    // The first response is still held back.
    #expect(try await session.data(for: request).0 == Data("2".utf8))
    gate.open()
    #expect(try await first.value == Data("1".utf8))
  }

  @Test func `a body that is not read releases the others`() async throws {
    let body = Data.pattern(count: 2_000_000)
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], body: body) }
    let session = makeSession()
    let (bytes, _) = try await session.bytes(from: server.url())
    #expect(try await session.data(from: server.url()).0 == body)
    #expect(server.requests.count == 2)
    _ = bytes
  }

  @Test func `many loads over few connections end`() async throws {
    let server = try ScriptedServer.http { request in
      let isShared = request.path.hasSuffix("0")
      return Reply(headers: isShared ? [Self.fresh] : [], text: request.path)
    }
    let session = URLSession.forTest {
      $0.urlCache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0)
      $0.httpMaximumConnectionsPerHost = 1
    }
    let texts = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        let path = "/\(number % 20)"
        group.addTask {
          try await session.data(from: server.url(path)).0 == Data(path.utf8)
        }
      }
      return try await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(texts.count == 200 && texts.allSatisfy { $0 })
    #expect(session.sharedLoads.followerCount == 0)
  }

  @Test func `without a cache each load has its own request`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "woof") }
    let session = makeSession(nil)
    async let first = session.data(from: server.url())
    async let second = session.data(from: server.url())
    _ = try await (first, second)
    #expect(server.requests.count == 2)
  }
}
#endif
