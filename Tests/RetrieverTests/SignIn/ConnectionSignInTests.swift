#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// NTLM against the implementation of PyPI's `pyspnego`: libcurl signs in over a connection.
@Suite(.timeLimit(.minutes(5))) struct ConnectionSignInTests {
  private typealias Peer = NTLMPeer
  private typealias Answering = NTLMAnswering
  private static let isAvailable = NTLMPeer.isAvailable

  @Test(.enabled(if: isAvailable), arguments: [false, true])
  func `a challenge is answered, and the connection stays signed in`(isSecure: Bool) async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"), isSecure: isSecure)
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("a")) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(3) == ["GET /a - 0", "GET /a NTLM 0", "GET /a NTLM 0"])
    #expect(try await peer.text(peer.request("b")) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(1) == ["GET /b - 0"])
    #expect(peer.delegate.challenges.all == ["0"])
  }

  @Test(.enabled(if: isAvailable), arguments: ["POST", "PUT"])
  func `a body is sent once, after the sign-in`(method: String) async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let body = Data(String(repeating: "w", count: 200_000).utf8)
    _ = try await peer.text(peer.request("sign-in"))
    _ = peer.nextRequests(3)
    let text = try await peer.text(peer.request("x", method, body: body))
    #expect(text == "200 DOGS\\rex sent " + String(decoding: body, as: UTF8.self))
    #expect(peer.nextRequests(1) == ["\(method) /x - 200000"])
  }

  @Test(.enabled(if: isAvailable)) func `a body is sent again after the challenge`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    #expect(
      try await peer.text(peer.request("x", "POST", body: Data("woof".utf8))) == "200 DOGS\\rex sent woof")
    #expect(peer.nextRequests(3) == ["POST /x - 4", "POST /x NTLM 0", "POST /x NTLM 4"])
  }

  @Test(.enabled(if: isAvailable))
  func `a wrong password is asked for again, and then the refusal is delivered`()
    async throws
  {
    let peer = try Peer(Answering("DOGS\\rex", "wrong"))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("a")) == "401 refused")
    #expect(peer.delegate.challenges.all == ["0", "1", "2"])
  }

  @Test(.enabled(if: isAvailable)) func `a rejected space leads to the next scheme`() async throws {
    let peer = try Peer(Answering(nil))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("both")) == "401 who are you?")
    #expect(peer.delegate.challenges.all == ["0"])
  }

  @Test(.enabled(if: isAvailable)) func `NTLM is asked about before Basic`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("basic-first")) == "200 DOGS\\rex sent ")
  }

  @Test(.enabled(if: isAvailable))
  func `a connection that is signed in serves no request without the credential`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit", .none))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("a")) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(3) == ["GET /a - 0", "GET /a NTLM 0", "GET /a NTLM 0"])
    // The first request is refused over another connection. With the credential, the connection is used again.
    #expect(try await peer.text(peer.request("b")) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(2) == ["GET /b - 0", "GET /b - 0"])
    #expect(peer.delegate.challenges.all == ["0", "0"])
  }

  @Test(.enabled(if: isAvailable))
  func `two users never share a connection`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit", .none))
    defer { peer.stop() }
    let bella = Answering("DOGS\\bella", "bone", .none)
    for _ in 0..<2 {
      #expect(try await peer.text(peer.request("a")) == "200 DOGS\\rex sent ")
      #expect(try await peer.text(peer.request("b"), bella) == "200 DOGS\\bella sent ")
    }
  }

  @Test(.enabled(if: isAvailable)) func `a response to a signed-in user is not written to disk`() async throws
  {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let folder = try TemporaryDirectory()
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: folder.file("cache"))
    let session = URLSession.forTest(delegate: peer.delegate) { $0.urlCache = cache }
    defer { session.invalidateAndCancel() }
    for _ in 0..<2 { _ = try await session.data(for: peer.request("fresh")) }
    #expect(peer.nextRequests(3) == ["GET /fresh - 0", "GET /fresh NTLM 0", "GET /fresh NTLM 0"])
    _ = try await session.data(for: peer.request("other"))
    #expect(peer.nextRequests(1) == ["GET /other - 0"])
    await withCheckedContinuation { continuation in cache.store.disk?.flush { continuation.resume() } }
    #expect(cache.currentDiskUsage == 0)
  }

  @Test func `Negotiate is not asked about without a Kerberos ticket`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(401, headers: [("WWW-Authenticate", "Negotiate, Basic realm=\"dogs\"")], text: "no")
    }
    let delegate = Recording()
    let session = URLSession.forTest(delegate: delegate)
    _ = try await session.data(from: server.url())
    #expect(delegate.methods.all == [NSURLAuthenticationMethodHTTPBasic])
  }

  private final class Recording: NSObject, URLSessionTaskDelegate, Sendable {
    let methods = Log<String>()

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      methods.add(challenge.protectionSpace.authenticationMethod)
      completionHandler(.performDefaultHandling, nil)
    }
  }
}
#endif
