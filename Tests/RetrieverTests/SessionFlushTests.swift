#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// `flush` and `reset`: later loads use new connections, and what a session remembers is gone.
@Suite(.timeLimit(.minutes(5))) struct SessionFlushTests {
  private func isReused(_ url: URL, _ session: URLSession) async throws -> Bool {
    let collector = TransactionCollector()
    _ = try await session.data(from: url, delegate: collector)
    return try #require(collector.transactions.all.last).isReusedConnection
  }

  @Test func `later loads use a new connection, and share it again`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "dog") }
    let session = URLSession.forTest()
    for round in 0..<20 {
      #expect(try await isReused(server.url("/a"), session) == false)
      #expect(try await isReused(server.url("/b"), session))
      if round.isMultiple(of: 2) {
        await session.flush()
      } else {
        await withCheckedContinuation { continuation in session.flush { continuation.resume() } }
      }
    }
    #expect(server.connectionCount == 20)
  }

  @Test func `a load that is running keeps its connection, also over HTTP/2`() async throws {
    let nginx = try NginxServer()
    let session = try URLSession.trustingTestAuthority { $0.urlCache = nil }
    // The first load finds out that the delegate decides about no servers. Later ones share the session's connections.
    _ = try await isReused(nginx.http2URL(), session)
    let (bytes, _) = try await session.bytes(from: nginx.http2URL())
    await session.flush()
    #expect(try await isReused(nginx.http2URL(), session) == false)
    var count = 0
    for try await _ in bytes { count += 1 }
    #expect(count == 1024)
    #expect(try await isReused(nginx.http2URL(), session))
  }

  @Test func `loads that start together after a flush find no old connection`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.target) }
    let session = URLSession.forTest()
    func load(_ round: Int) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<12 {
          let url = server.url("/\(round)/\(index)")
          group.addTask {
            let text = try await session.text(from: url)
            #expect(text == url.path)
          }
        }
        try await group.waitForAll()
      }
    }
    try await load(0)
    let before = server.connectionCount
    await session.flush()
    try await load(1)
    #expect(server.connectionCount > before)
    #expect(server.connectionCount <= before + 12)
    try await load(2)
  }

  @Test func `a reset empties the cache and the cookies, and later loads use a new connection`() async throws
  {
    let server = try ScriptedServer.http {
      Reply(
        headers: [("Cache-Control", "max-age=1000"), ("Set-Cookie", "dog=rex")], text: $0["Cookie"] ?? "none")
    }
    let session = URLSession.forTest {
      $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
      $0.httpCookieStorage = HTTPCookieStorage()
    }
    let url = server.url("/a")
    #expect(try await session.text(from: url) == "none")
    #expect(try await session.text(from: url) == "none")
    #expect(server.requests.count == 1)
    await session.reset()
    #expect(try await isReused(url, session) == false)
    #expect(server.requests.map { $0["Cookie"] } == [nil, nil])
  }
}
#endif
