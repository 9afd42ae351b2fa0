#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// A session answers requests from its cache.
@Suite(.timeLimit(.minutes(5))) struct SessionCacheTests {
  private static let fresh = ("Cache-Control", "max-age=60")

  private func makeSession(_ cache: URLCache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0))
    -> URLSession
  {
    URLSession.forTest { $0.urlCache = cache }
  }

  /// Makes all stored responses to a URL older.
  private func age(_ session: URLSession, _ url: URL, by seconds: TimeInterval) throws {
    let store = try #require(session.settings.cache?.store)
    for var entry in store.allEntries(for: try #require(CacheKey(url))) {
      entry.head.requestTime -= seconds
      entry.head.responseTime -= seconds
      store.store(entry)
    }
  }

  private func text(_ result: (Data, URLResponse)) -> String { String(decoding: result.0, as: UTF8.self) }

  // MARK: Fresh responses

  @Test func `a fresh response is used again without asking the server`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh, ("X-Name", "1")], text: "woof") }
    let session = makeSession()
    let first = try await session.data(from: server.url())
    let second = try await session.data(from: server.url())
    #expect(text(first) == "woof" && text(second) == "woof")
    let response = try #require(second.1 as? HTTPURLResponse)
    #expect(response.statusCode == 200 && response.value(forHTTPHeaderField: "X-Name") == "1")
    #expect(response.url == server.url() && response.expectedContentLength == 4)
    #expect(response.value(forHTTPHeaderField: "Age") != nil)
    #expect(server.requests.count == 1)
    #expect(
      session.configuration.urlCache?.cachedResponse(for: URLRequest(url: server.url()))?.data == first.0)
  }

  @Test(arguments: [("Cache-Control", "no-store"), ("Vary", "*"), ("X", "1")])
  func `a response that may not be stored is loaded again`(field: (String, String)) async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [field, ("ETag", "\"a\"")], text: "woof") }
    let session = makeSession()
    for _ in 0..<2 { #expect(try await text(session.data(from: server.url())) == "woof") }
    #expect(server.requests.count == 2)
    #expect(server.requests[1]["If-None-Match"] == (field.0 == "X" ? "\"a\"" : nil))
  }

  /// Two users of one program, whose server forgot `Vary: Authorization`.
  @Test func `a response to one user does not answer another user`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(headers: [Self.fresh], text: "for \(request["Authorization"] ?? "everyone")")
    }
    let cache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0)
    for user in ["Bearer a", "Bearer b", "Bearer a", "Bearer b", nil] {
      var request = URLRequest(url: server.url())
      request.setValue(user, forHTTPHeaderField: "Authorization")
      #expect(try await text(makeSession(cache).data(for: request)) == "for \(user ?? "everyone")")
    }
    #expect(server.requests.map { $0["Authorization"] } == ["Bearer a", "Bearer b", nil])
  }

  @Test func `a session without a cache stores nothing`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "woof") }
    let session = URLSession.forTest { $0.urlCache = nil }
    for _ in 0..<2 { _ = try await session.data(from: server.url()) }
    #expect(server.requests.count == 2)
  }

  @Test func `a body that ends early is not stored`() async throws {
    let reply = Reply(
      headers: [Self.fresh, ("Content-Length", "10"), ("Connection", "close")], body: Data("woof".utf8),
      framing: .none)
    // The connection closes when the handler returns.
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send(reply)
    }
    let session = makeSession()
    for _ in 0..<2 {
      let code = await errorCode { _ = try await session.data(from: server.url()) }
      #expect(code == .networkConnectionLost)
    }
    #expect(server.requests.count >= 2)
  }

  @Test func `a body of more than a twentieth of the capacity is not stored`() async throws {
    let body = Data(repeating: 1, count: 30_000)
    let server = try ScriptedServer.http { _ in
      Reply(headers: [Self.fresh], body: body, framing: .chunked(1000))
    }
    let session = makeSession(URLCache(memoryCapacity: 500_000, diskCapacity: 0))
    for _ in 0..<2 { #expect(try await session.data(from: server.url()).0 == body) }
    for _ in 0..<2 {
      var received = Data()
      for try await byte in try await session.bytes(from: server.url()).0 { received.append(byte) }
      #expect(received == body)
    }
    #expect(server.requests.count == 4)
  }

  @Test func `a compressed response is stored decoded`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(headers: [Self.fresh, ("Content-Encoding", "gzip")], body: CompressedFixture.gzip)
    }
    let session = makeSession()
    let first = try await session.data(from: server.url())
    let second = try await session.data(from: server.url())
    #expect(first.0 == second.0 && !first.0.isEmpty)
    #expect(second.1.expectedContentLength == -1 && server.requests.count == 1)
  }

  // MARK: Validation

  @Test func `a stale response is validated, and a 304 response updates it`() async throws {
    let server = try ScriptedServer.http { request in
      request["If-None-Match"] == "\"a\""
        ? Reply(304, headers: [Self.fresh, ("ETag", "\"a\""), ("X-Name", "2")], framing: .none)
        : Reply(headers: [Self.fresh, ("ETag", "\"a\""), ("X-Name", "1")], text: "woof")
    }
    let session = makeSession()
    _ = try await session.data(from: server.url())
    try age(session, server.url(), by: 100)
    for count in [2, 2] {
      let result = try await session.data(from: server.url())
      let response = try #require(result.1 as? HTTPURLResponse)
      #expect(text(result) == "woof" && response.statusCode == 200)
      #expect(response.value(forHTTPHeaderField: "X-Name") == "2")
      #expect(server.requests.count == count)
    }
  }

  @Test func `a stale response is replaced if the resource has changed`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(
        headers: [Self.fresh, ("ETag", "\"a\"")], text: request["If-None-Match"] == nil ? "woof" : "meow")
    }
    let session = makeSession()
    #expect(try await text(session.data(from: server.url())) == "woof")
    try age(session, server.url(), by: 100)
    for _ in 0..<2 { #expect(try await text(session.data(from: server.url())) == "meow") }
    #expect(server.requests.count == 2)
  }

  @Test func `a 304 response about another version leads to a complete response`() async throws {
    let server = try ScriptedServer.http { request in
      request["If-None-Match"] == nil
        ? Reply(headers: [Self.fresh, ("ETag", "\"a\"")], text: "woof")
        : Reply(304, headers: [("ETag", "\"b\"")], framing: .none)
    }
    let session = makeSession()
    _ = try await session.data(from: server.url())
    try age(session, server.url(), by: 100)
    #expect(try await text(session.data(from: server.url())) == "woof")
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"a\"", nil])
  }

  @Test func `a program's own condition is sent, and it gets the 304 response`() async throws {
    let server = try ScriptedServer.http { request in
      request["If-None-Match"] == nil
        ? Reply(headers: [Self.fresh, ("ETag", "\"a\"")], text: "woof") : Reply(304, framing: .none)
    }
    let session = makeSession()
    _ = try await session.data(from: server.url())
    var request = URLRequest(url: server.url())
    request.setValue("\"a\"", forHTTPHeaderField: "If-None-Match")
    let (data, response) = try await session.data(for: request)
    #expect(data.isEmpty && (response as? HTTPURLResponse)?.statusCode == 304)
  }

  // MARK: Policies

  @Test func `policies decide about the cache`() async throws {
    let count = Mutex(0)
    let server = try ScriptedServer.http { _ in
      Reply(headers: [Self.fresh], text: "\(count.withLock { $0 += 1; return $0 })")
    }
    let session = makeSession()
    func load(_ policy: URLRequest.CachePolicy) async throws -> String {
      text(try await session.data(for: URLRequest(url: server.url(), cachePolicy: policy)))
    }
    #expect(await errorCode { _ = try await load(.returnCacheDataDontLoad) } == .resourceUnavailable)
    #expect(server.requests.isEmpty)
    #expect(try await load(.returnCacheDataElseLoad) == "1")
    try age(session, server.url(), by: 1e6)
    #expect(try await load(.returnCacheDataElseLoad) == "1")
    #expect(try await load(.returnCacheDataDontLoad) == "1")
    #expect(try await load(.useProtocolCachePolicy) == "2")
    #expect(try await load(.reloadIgnoringLocalCacheData) == "3")
    #expect(try await load(.useProtocolCachePolicy) == "3")
    #expect(try await load(.reloadIgnoringLocalAndRemoteCacheData) == "4")
    #expect(server.requests.last?["Cache-Control"] == "no-cache")
    #expect(try await load(.reloadRevalidatingCacheData) == "5")
  }

  @Test func `the configuration's policy applies to requests with the default one`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "woof") }
    let session = URLSession.forTest { $0.requestCachePolicy = .reloadIgnoringLocalCacheData }
    for _ in 0..<2 { _ = try await session.data(from: server.url()) }
    #expect(server.requests.count == 2)
    let offline = URLSession.forTest { $0.requestCachePolicy = .returnCacheDataDontLoad }
    #expect(await errorCode { _ = try await offline.data(from: server.url()) } == .resourceUnavailable)
  }

  @Test func `only-if-cached in a request forbids the network`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "woof") }
    let session = makeSession()
    var request = URLRequest(url: server.url())
    request.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
    #expect(await errorCode { _ = try await session.data(for: request) } == .resourceUnavailable)
    _ = try await session.data(from: server.url())
    #expect(try await text(session.data(for: request)) == "woof")
    #expect(server.requests.count == 1)
  }

  // MARK: Methods, variants and ranges

  @Test(arguments: [(412, "If-Match", "\"b\""), (416, "Range", "bytes=100-")])
  func `a refused condition or range answers no other request`(
    status: Int, name: String, value: String
  ) async throws {
    let server = try ScriptedServer.http { request in
      request[name] == nil
        ? Reply(headers: [Self.fresh, ("ETag", "\"a\"")], text: "woof")
        : Reply(status, headers: [Self.fresh, ("ETag", "\"a\"")], text: "refused")
    }
    let session = makeSession()
    var request = URLRequest(url: server.url())
    request.setValue(value, forHTTPHeaderField: name)
    #expect(try await text(session.data(for: request)) == "refused")
    #expect(try await text(session.data(from: server.url())) == "woof")
    if status == 412 { #expect(try await text(session.data(for: request)) == "refused") }
    #expect(try await text(session.data(from: server.url())) == "woof")
    #expect(server.requests.count == (status == 412 ? 3 : 2))
  }

  @Test func `a successful POST removes the stored response`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(
        request.method == "POST" && request.path == "/fail" ? 500 : 200, headers: [Self.fresh], text: "woof")
    }
    let session = makeSession()
    var post = URLRequest(url: server.url("/a"))
    post.httpMethod = "POST"
    post.httpBody = Data("x".utf8)
    _ = try await session.data(from: server.url("/a"))
    _ = try await session.data(for: post)
    _ = try await session.data(from: server.url("/a"))
    #expect(server.requests.map(\.method) == ["GET", "POST", "GET"])
  }

  @Test func `responses that vary by a field are stored side by side`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(headers: [Self.fresh, ("Vary", "Accept-Language")], text: request["Accept-Language"] ?? "none")
    }
    let session = makeSession()
    for _ in 0..<2 {
      for language in ["en", "de"] {
        var request = URLRequest(url: server.url())
        request.setValue(language, forHTTPHeaderField: "Accept-Language")
        #expect(try await text(session.data(for: request)) == language)
      }
    }
    #expect(server.requests.count == 2)
  }

  @Test func `a range is taken from a complete stored response`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh], text: "0123456789") }
    let session = makeSession()
    _ = try await session.data(from: server.url())
    var request = URLRequest(url: server.url())
    request.setValue("bytes=2-4", forHTTPHeaderField: "Range")
    let result = try await session.data(for: request)
    let response = try #require(result.1 as? HTTPURLResponse)
    #expect(text(result) == "234" && response.statusCode == 206)
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes 2-4/10")
    #expect(server.requests.count == 1)
  }

  @Test func `partial content is not stored as a complete response`() async throws {
    let server = try ScriptedServer.http { request in
      request["Range"] == nil
        ? Reply(headers: [Self.fresh], text: "0123456789")
        : Reply(206, headers: [Self.fresh, ("Content-Range", "bytes 0-1/10")], text: "01")
    }
    let session = makeSession()
    var request = URLRequest(url: server.url())
    request.setValue("bytes=0-1", forHTTPHeaderField: "Range")
    #expect(try await text(session.data(for: request)) == "01")
    #expect(try await text(session.data(from: server.url())) == "0123456789")
  }

  @Test func `HEAD is answered by a stored response to GET`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [Self.fresh, ("X-Name", "1")], text: "woof") }
    let session = makeSession()
    _ = try await session.data(from: server.url())
    var request = URLRequest(url: server.url())
    request.httpMethod = "HEAD"
    let (data, response) = try await session.data(for: request)
    #expect(data.isEmpty && (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Name") == "1")
    #expect(server.requests.count == 1)
  }

  // MARK: Stale responses

  @Test func `a stale response is used while it is revalidated in the background`() async throws {
    let count = Mutex(0)
    let server = try ScriptedServer.http { _ in
      Reply(
        headers: [("Cache-Control", "max-age=60, stale-while-revalidate=600")],
        text: "\(count.withLock { $0 += 1; return $0 })")
    }
    let session = makeSession()
    #expect(try await text(session.data(from: server.url())) == "1")
    try age(session, server.url(), by: 100)
    #expect(try await text(session.data(from: server.url())) == "1")
    let isRenewed = try await eventually { () async throws in
      try await text(session.data(from: server.url())) == "2"
    }
    #expect(isRenewed && server.requests.count == 2)
  }

  @Test func `no delegate and no list of tasks knows of a request in the background`() async throws {
    let release = Gate()
    defer { release.open() }
    let count = Mutex(0)
    let server = try ScriptedServer.http { _ in
      let number = count.withLock {
        $0 += 1; return $0
      }
      if number == 2 { release.waitBlocking() }
      return Reply(headers: [("Cache-Control", "max-age=60, stale-while-revalidate=600")], text: "\(number)")
    }
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate) {
      $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
    }
    _ = try await session.data(from: server.url())
    try age(session, server.url(), by: 100)
    #expect(try await text(session.data(from: server.url())) == "1")
    #expect(await eventually { server.requests.count == 2 })
    #expect(await session.allTasks.isEmpty)
    release.open()
    let isRenewed = try await eventually { () async throws in
      try await text(session.data(from: server.url())) == "2"
    }
    #expect(isRenewed)
    #expect(server.requests.count == 2)
  }

  @Test func `the answer to a GET with a body answers no other request`() async throws {
    let server = try ScriptedServer.http { Reply(headers: [Self.fresh], text: "\($0.text)!") }
    let session = makeSession()
    var request = URLRequest(url: server.url())
    for body in ["rex", "bella", "rex"] {
      request.httpBody = Data(body.utf8)
      #expect(try await text(session.data(for: request)) == "\(body)!")
    }
    request.httpBody = nil
    #expect(try await text(session.data(for: request)) == "!")
    #expect(server.requests.count == 4)
    request.httpBody = Data("rex".utf8)
    request.cachePolicy = .returnCacheDataDontLoad
    #expect(await errorCode { _ = try await session.data(for: request) } == .resourceUnavailable)
  }

  @Test(arguments: [true, false], [true, false])
  func `a stale response replaces an error if the server allows it`(closes: Bool, hasTag: Bool) async throws {
    let isBroken = Mutex(false)
    let server = try ScriptedServer.http { _ in
      guard isBroken.withLock({ $0 }) else {
        return Reply(
          headers: [
            ("Cache-Control", "max-age=60, stale-if-error=600, no-cache=\"X-Secret\""), ("X-Secret", "a"),
          ]
            + (hasTag ? [("ETag", "\"a\"")] : []),
          text: "woof")
      }
      return Reply(503, text: "no")
    }
    let session = makeSession()
    _ = try await session.data(from: server.url())
    try age(session, server.url(), by: 100)
    isBroken.withLock { $0 = true }
    if closes { server.stop() }
    let result = try await session.data(from: server.url())
    let response = try #require(result.1 as? HTTPURLResponse)
    #expect(text(result) == "woof" && response.statusCode == 200)
    #expect(response.value(forHTTPHeaderField: "X-Secret") == nil)
    let statedAge = try #require(response.value(forHTTPHeaderField: "Age").flatMap { Int($0) })
    #expect(100..<600 ~= statedAge)
    try age(session, server.url(), by: 1000)
    if closes {
      #expect(await errorCode { _ = try await session.data(from: server.url()) } == .cannotConnectToHost)
    } else {
      #expect((try await session.data(from: server.url()).1 as? HTTPURLResponse)?.statusCode == 503)
    }
  }

  @Test(arguments: [true, false])
  func `a stale response replaces an idle time-out, not that of the resource`(isIdle: Bool) async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try ScriptedServer.http { request in
      if request["If-None-Match"] != nil { gate.waitBlocking() }
      return Reply(
        headers: [("Cache-Control", "max-age=60, stale-if-error=600"), ("ETag", "\"a\"")], text: "woof")
    }
    let cache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0)
    let session = makeSession(cache)
    _ = try await session.data(from: server.url())
    try age(session, server.url(), by: 100)
    var request = URLRequest(url: server.url())
    if isIdle {
      request.timeoutInterval = 0.5
      #expect(try await text(session.data(for: request)) == "woof")
    } else {
      let session = URLSession.forTest {
        $0.urlCache = cache
        $0.timeoutIntervalForResource = 0.5
      }
      #expect(await errorCode { _ = try await session.data(for: request) } == .timedOut)
    }
  }

  @Test func `a stale response without a validator is loaded again if the server answers`() async throws {
    let count = Mutex(0)
    let server = try ScriptedServer.http { _ in
      let number = count.withLock {
        $0 += 1; return $0
      }
      return Reply(
        number == 3 ? 304 : 200, headers: [("Cache-Control", "max-age=60, stale-if-error=600")],
        text: number == 3 ? "" : "\(number)", framing: number == 3 ? .none : .contentLength)
    }
    let session = makeSession()
    for number in ["1", "2"] {
      #expect(try await text(session.data(from: server.url())) == number)
      try age(session, server.url(), by: 100)
    }
    // The server was not asked about the stored response, so this is an answer like any other.
    #expect((try await session.data(from: server.url()).1 as? HTTPURLResponse)?.statusCode == 304)
    #expect(server.requests.count == 3)
  }

  @Test func `an error of the server is reported to a request that demands a validation`() async throws {
    let isBroken = Mutex(false)
    let server = try ScriptedServer.http { _ in
      isBroken.withLock { $0 }
        ? Reply(503, text: "no") : Reply(headers: [Self.fresh, ("ETag", "\"a\"")], text: "woof")
    }
    let session = makeSession()
    _ = try await session.data(from: server.url())
    isBroken.withLock { $0 = true }
    let request = URLRequest(url: server.url(), cachePolicy: .reloadRevalidatingCacheData)
    #expect((try await session.data(for: request).1 as? HTTPURLResponse)?.statusCode == 503)
    server.stop()
    #expect(await errorCode { _ = try await session.data(for: request) } == .cannotConnectToHost)
    #expect(try await text(session.data(from: server.url())) == "woof")
  }

  @Test func `a response that varies by the accepted encodings answers only requests with the same ones`()
    async throws
  {
    let server = try ScriptedServer.http { request in
      Reply(
        headers: [Self.fresh, ("Vary", "Accept-Encoding")],
        text: request["Accept-Encoding"] == "compress" ? "packed" : "plain")
    }
    let session = makeSession()
    var request = URLRequest(url: server.url())
    request.setValue("compress", forHTTPHeaderField: "Accept-Encoding")
    for _ in 0..<2 {
      #expect(try await text(session.data(for: request)) == "packed")
      #expect(try await text(session.data(from: server.url())) == "plain")
    }
    #expect(server.requests.count == 2)
    #expect(session.configuration.urlCache?.cachedResponse(for: request)?.data == Data("packed".utf8))
  }
}
#endif
