#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct DelegateChallengeTests {
  private static let right = "Basic \(Data("user:pass".utf8).base64EncodedString())"

  private static func server() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      request["Authorization"] == right
        ? Reply(text: "in")
        : Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"kennel\"")], text: "out")
    }
  }

  private static func credential(
    _ password: String = "pass", _ persistence: URLCredential.Persistence = .forSession
  ) -> URLCredential {
    URLCredential(user: "user", password: password, persistence: persistence)
  }

  private func load(
    _ url: URL, _ session: URLSession = .forTest(),
    answer:
      @escaping @Sendable (URLAuthenticationChallenge) -> (
        URLSession.AuthChallengeDisposition, URLCredential?
      )
  ) async throws -> (status: Int?, text: String, challenges: [URLAuthenticationChallenge]) {
    let delegate = HandlerDelegate(.init(challenge: answer))
    let (data, response) = try await session.data(from: url, delegate: delegate)
    return (
      (response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self),
      delegate.log.current.challenges
    )
  }

  @Test func `a correct credential is accepted`() async throws {
    let server = try Self.server()
    let result = try await load(server.url()) { _ in (.useCredential, Self.credential()) }
    #expect(result.text == "in")
    let challenge = try #require(result.challenges.first)
    #expect(result.challenges.count == 1)
    #expect(challenge.protectionSpace.host == "127.0.0.1")
    #expect(challenge.protectionSpace.port == Int(server.port))
    #expect(challenge.protectionSpace.realm == "kennel")
    #expect(challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
    #expect(challenge.previousFailureCount == 0)
    #expect(challenge.proposedCredential == nil)
    #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
  }

  @Test func `a wrong credential leads to another challenge`() async throws {
    let server = try Self.server()
    let result = try await load(server.url()) { challenge in
      challenge.previousFailureCount < 2
        ? (.useCredential, Self.credential("wrong\(challenge.previousFailureCount)"))
        : (.useCredential, Self.credential())
    }
    #expect(result.text == "in")
    #expect(result.challenges.map(\.previousFailureCount) == [0, 1, 2])
  }

  @Test func `a session credential is remembered for its protection space`() async throws {
    let server = try Self.server()
    let session = URLSession.forTest()
    _ = try await load(server.url("/a"), session) { _ in (.useCredential, Self.credential()) }
    let again = try await load(server.url("/b"), session) { _ in (.cancelAuthenticationChallenge, nil) }
    #expect(again.text == "in")
    #expect(again.challenges.isEmpty)
    let other = try await load(server.url("/a")) { _ in (.useCredential, nil) }
    #expect(other.status == 401)
    await session.reset()
    let forgotten = try await load(server.url("/a"), session) { _ in (.useCredential, nil) }
    #expect(forgotten.status == 401)
  }

  @Test func `the request's own field has precedence over a remembered credential`() async throws {
    let server = try Self.server()
    let session = URLSession.forTest()
    _ = try await load(server.url(), session) { _ in (.useCredential, Self.credential()) }
    var request = URLRequest(url: server.url())
    request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
    let (_, response) = try await session.data(for: request)
    #expect(server.requests.last?["Authorization"] == Self.right)
    #expect(server.requests.dropLast().last?["Authorization"] == "Bearer token")
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
  }

  @Test func `a credential without persistence is not remembered`() async throws {
    let server = try Self.server()
    let session = URLSession.forTest()
    _ = try await load(server.url(), session) { _ in (.useCredential, Self.credential("pass", .none)) }
    let again = try await load(server.url(), session) { _ in (.useCredential, nil) }
    #expect(again.challenges.count == 1)
    #expect(again.status == 401)
  }

  @Test func aCredentialIsNotRememberedBeforeItIsAccepted() async throws {
    let server = try Self.server()
    let session = URLSession.forTest()
    _ = try await load(server.url(), session) {
      $0.previousFailureCount == 0 ? (.useCredential, Self.credential("wrong")) : (.useCredential, nil)
    }
    let again = try await load(server.url(), session) { _ in (.useCredential, nil) }
    #expect(again.challenges.first?.proposedCredential == nil)
    #expect(server.requests.last?["Authorization"] == nil)
  }

  @Test func cancellingTheChallengeCancelsTheLoad() async throws {
    let server = try Self.server()
    #expect(
      await errorCode {
        _ = try await load(server.url()) { _ in (.cancelAuthenticationChallenge, nil) }
      } == .cancelled)
  }

  @Test(arguments: [URLSession.AuthChallengeDisposition.rejectProtectionSpace, .performDefaultHandling])
  func `without a credential, the 401 response is delivered`(
    disposition: URLSession.AuthChallengeDisposition
  ) async throws {
    let server = try Self.server()
    let result = try await load(server.url()) { _ in (disposition, nil) }
    #expect(result.status == 401)
    #expect(result.text == "out")
    #expect(result.challenges.count == 1)
    #expect(server.requests.count == 1)
  }

  @Test func `using no credential delivers the 401 response`() async throws {
    let server = try Self.server()
    let result = try await load(server.url()) { _ in (.useCredential, nil) }
    #expect(result.status == 401)
  }

  @Test func defaultHandlingUsesAStoredCredentialOnce() async throws {
    let server = try Self.server()
    for (password, status) in [("pass", 200), ("stale", 401)] {
      let storage = URLCredentialStorage()
      let session = URLSession.forTest { $0.urlCredentialStorage = storage }
      storage.setDefaultCredential(
        Self.credential(password),
        for: URLProtectionSpace(
          host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "kennel",
          authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
      let (_, response) = try await session.data(from: server.url())
      #expect((response as? HTTPURLResponse)?.statusCode == status)
    }
  }

  @Test func aBodyIsSentAgainAfterAChallenge() async throws {
    let server = try Self.server()
    let body = Data(count: 200_000)
    let delegate = HandlerDelegate(.init(challenge: { _ in (.useCredential, Self.credential()) }))
    let (data, _) = try await URLSession.forTest().upload(
      for: URLRequest(url: server.url()), from: body, delegate: delegate)
    #expect(data == Data("in".utf8))
    #expect(server.requests.count == 2)
    for request in server.requests { #expect(difference(request.body, body) == nil) }
    let sent = delegate.log.current.sent
    #expect(sent.map(\.1) == sent.map(\.1).sorted())
    #expect(sent.last?.1 == 200_000)
  }

  @Test func downloadsAndBytesAnswerChallengesToo() async throws {
    let server = try Self.server()
    let delegate = AsyncDelegate(.init(challenge: { _ in (.useCredential, Self.credential()) }))
    let (file, _) = try await URLSession.forTest().download(from: server.url(), delegate: delegate)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try Data(contentsOf: file) == Data("in".utf8))
    let (bytes, response) = try await URLSession.forTest().bytes(from: server.url(), delegate: delegate)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    var text: [UInt8] = []
    for try await byte in bytes { text.append(byte) }
    #expect(text == Array("in".utf8))
  }

  @Test func `repeated challenges end`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
    }
    let result = try await load(server.url()) { challenge in
      challenge.previousFailureCount < 5
        ? (.useCredential, Self.credential()) : (.performDefaultHandling, nil)
    }
    #expect(result.status == 401)
    #expect(result.challenges.count <= 6)
  }
}
#endif
