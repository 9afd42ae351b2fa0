#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Sessions and delegates share a cache, but not what they trust.
@Suite(.timeLimit(.minutes(5))) struct TrustCacheTests {
  @Test func `a server that was accepted by another spelling of its name fills no cache`() async throws {
    let server = try SecureServer(.selfSigned) { request in
      let reuse = request.path == "/stored" ? "max-age=1000" : "no-store"
      return Reply(headers: [("Cache-Control", reuse)], text: "hello")
    }
    let session = try URLSession.trustingTestAuthority()
    let lenient = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(try await session.text(from: server.url("/first"), delegate: lenient) == "hello")
    let other = server.url("/stored", host: "LOCALHOST")
    #expect(try await session.text(from: other, delegate: lenient) == "hello")
    #expect(
      await errorCode { _ = try await session.text(from: server.url("/stored")) }
        == .serverCertificateHasUnknownRoot)
    // The second load used the connection of the first, so this test can fail.
    #expect(try server.report.completed == 1)
  }

  @Test func `a session that resumes with an accepted server fills no cache`() async throws {
    let server = try SecureServer(.selfSigned) { _ in
      Reply(headers: [("Cache-Control", "max-age=1000")], text: "hello", framing: .untilClose)
    }
    let session = try URLSession.trustingTestAuthority()
    let lenient = TaskTrustDelegate(ChallengeLog.accepts)
    for path in ["/1", "/2", "/3"] {
      #expect(try await session.text(from: server.url(path), delegate: lenient) == "hello")
      #expect(
        await errorCode { _ = try await session.text(from: server.url(path)) }
          == .serverCertificateHasUnknownRoot)
    }
    #expect(try server.report.resumed > 0)
  }

  @Test func `an accepted server does not change a stored response`() async throws {
    let server = try SecureServer { request in
      guard request["If-None-Match"] == nil else {
        return Reply(
          304, headers: [("ETag", "\"1\""), ("Cache-Control", "max-age=1000"), ("Note", "changed")])
      }
      return Reply(headers: [("ETag", "\"1\""), ("Cache-Control", "no-cache")], text: "hello")
    }
    let session = try URLSession.trustingTestAuthority()
    #expect(try await session.text(from: server.url) == "hello")
    try TLSRelay.shared().present(.selfSigned, on: server.port)
    let lenient = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(try await session.text(from: server.url, delegate: lenient) == "hello")
    #expect(server.server.requests.count == 2)
    // The session's own connection is still open. The valid server is asked again.
    let (_, response) = try await session.data(from: server.url)
    #expect(server.server.requests.count == 3)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Note") == "changed")
  }

  @Test(arguments: [false, true])
  func `responses to a client certificate are not written to disk`(hasIdentity: Bool) async throws {
    let server = try SecureServer(clients: .optional) { _ in
      Reply(headers: [("Cache-Control", "max-age=1000")], text: "hello")
    }
    let folder = try TemporaryDirectory()
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: folder.file("cache"))
    let identity = try ClientIdentity(pem: TestAuthority.shared().identity(.ada))
    let session = try URLSession.trustingTestAuthority {
      $0.urlCache = cache
      if hasIdentity { $0.clientIdentities = ["localhost": identity] }
    }
    for _ in 0..<2 { #expect(try await session.text(from: server.url) == "hello") }
    await withCheckedContinuation { continuation in cache.store.disk?.flush { continuation.resume() } }
    #expect(server.server.requests.count == 1)
    #expect(cache.currentDiskUsage == 0 || !hasIdentity)
    #expect(cache.currentDiskUsage > 0 || hasIdentity)
  }
}
#endif
