#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct ServerTrustChallengeTests {
  enum Level: CaseIterable { case session, task }

  @Test(arguments: Level.allCases)
  func `a delegate is asked before the request is sent, once for a session`(level: Level) async throws {
    let server = try SecureServer()
    let session: URLSession
    let log: ChallengeLog
    switch level {
    case .session:
      let delegate = SessionTrustDelegate { challenge in
        #expect(server.server.requests.isEmpty)
        return ChallengeLog.accepts(challenge)
      }
      (session, log) = (try .trustingTestAuthority(delegate: delegate), delegate.log)
    case .task:
      let delegate = TaskTrustDelegate { challenge in
        #expect(server.server.requests.isEmpty)
        return ChallengeLog.accepts(challenge)
      }
      (session, log) = (try .trustingTestAuthority(delegate: delegate), delegate.log)
    }
    for _ in 0..<3 { #expect(try await session.text(from: server.url) == "hello") }
    #expect(log.methods == [NSURLAuthenticationMethodServerTrust])
    let space = try #require(log.all.first?.protectionSpace)
    #expect(space.host == "localhost" && space.port == Int(server.port) && space.protocol == "https")
    let trust = try #require(log.trusts.first)
    #expect(trust.error == nil && trust.isTrusted)
    #expect(try trust.certificates == [.ofTest(.valid), .testAuthority()])
    // One handshake for the question, one for the connection.
    #expect(try server.report.accepted == 2)
    #expect(try server.report.completed == 1)
  }

  @Test(arguments: [
    (TestAuthority.Certificate.selfSigned, URLError.Code.serverCertificateHasUnknownRoot),
    (.expired, .serverCertificateHasBadDate),
    (.notYetValid, .serverCertificateNotYetValid),
    (.unknownAuthority, .serverCertificateHasUnknownRoot),
    (.wrongHost, .serverCertificateUntrusted),
    (.commonNameOnly, .serverCertificateUntrusted),
  ])
  func `default handling refuses an invalid certificate with the reason that the delegate saw`(
    certificate: TestAuthority.Certificate, code: URLError.Code
  ) async throws {
    let server = try SecureServer(certificate)
    let delegate = TaskTrustDelegate(ChallengeLog.performsDefault)
    let session = try URLSession.trustingTestAuthority()
    #expect(await errorCode { _ = try await session.text(from: server.url, delegate: delegate) } == code)
    #expect(delegate.log.trusts.first?.error?.code == code)
    #expect(delegate.log.trusts.first?.certificates.first == (try .ofTest(certificate)))
    #expect(await errorCode { _ = try await session.text(from: server.url) } == code)
    #expect(server.server.requests.isEmpty)
  }

  @Test func `default handling accepts a valid certificate`() async throws {
    let server = try SecureServer()
    let delegate = SessionTrustDelegate(ChallengeLog.performsDefault)
    let session = try URLSession.trustingTestAuthority(delegate: delegate)
    #expect(try await session.text(from: server.url) == "hello")
    #expect(delegate.log.all.count == 1)
  }

  @Test(arguments: [TestAuthority.Certificate.selfSigned, .expired, .notYetValid, .unknownAuthority])
  func `a delegate may accept an invalid certificate`(certificate: TestAuthority.Certificate) async throws {
    let server = try SecureServer(certificate)
    let delegate = TaskTrustDelegate(ChallengeLog.accepts)
    let session = try URLSession.trustingTestAuthority()
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    #expect(delegate.log.all.count == 1)
  }

  @Test func `the host name is still checked, unless the credential ignores it`() async throws {
    let server = try SecureServer(.wrongHost)
    let session = try URLSession.trustingTestAuthority()
    let lenient = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(
      await errorCode { _ = try await session.text(from: server.url, delegate: lenient) }
        == .serverCertificateUntrusted)
    let careless = TaskTrustDelegate { challenge in
      guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(trust: trust.ignoringHostName()))
    }
    #expect(try await session.text(from: server.url, delegate: careless) == "hello")
    #expect(server.server.requests.count == 1)
  }

  @Test func `cancelling and rejecting end the load, and the next load asks again`() async throws {
    let server = try SecureServer()
    let session = try URLSession.trustingTestAuthority()
    let cancels = TaskTrustDelegate(ChallengeLog.cancels)
    for _ in 0..<2 {
      #expect(
        await errorCode { _ = try await session.text(from: server.url, delegate: cancels) } == .cancelled)
    }
    #expect(cancels.log.all.count == 2)
    let rejects = TaskTrustDelegate { _ in (.rejectProtectionSpace, nil) }
    #expect(
      await errorCode { _ = try await session.text(from: server.url, delegate: rejects) }
        == .serverCertificateUntrusted)
    #expect(server.server.requests.isEmpty)
  }

  @Test func `a credential without certificates performs the default handling`() async throws {
    let password = TaskTrustDelegate { _ in
      (.useCredential, URLCredential(user: "user", password: "pass", persistence: .none))
    }
    let nothing = TaskTrustDelegate { _ in (.useCredential, nil) }
    let (valid, invalid) = (try SecureServer(), try SecureServer(.selfSigned))
    for delegate in [password, nothing] {
      let session = try URLSession.trustingTestAuthority()
      #expect(try await session.text(from: valid.url, delegate: delegate) == "hello")
      #expect(
        await errorCode { _ = try await session.text(from: invalid.url, delegate: delegate) }
          == .serverCertificateHasUnknownRoot)
    }
  }

  @Test func `a credential for another server accepts nothing`() async throws {
    let (first, second) = (try SecureServer(.selfSigned), try SecureServer(.unknownAuthority))
    let session = try URLSession.trustingTestAuthority()
    let seen = Log<ServerTrust>()
    let delegate = TaskTrustDelegate { challenge in
      if let trust = challenge.protectionSpace.serverTrust { seen.add(trust) }
      return (.useCredential, seen.all.first.map { URLCredential(trust: $0) })
    }
    #expect(try await session.text(from: first.url, delegate: delegate) == "hello")
    #expect(
      await errorCode { _ = try await session.text(from: second.url, delegate: delegate) }
        == .serverCertificateUntrusted)
    #expect(second.server.requests.isEmpty)
  }

  @Test func `the session-level method comes first, then the task-level one`() async throws {
    let server = try SecureServer()
    let ofSession = SessionTrustDelegate(ChallengeLog.cancels)
    let ofTask = TaskTrustDelegate(ChallengeLog.accepts)
    let session = try URLSession.trustingTestAuthority(delegate: ofSession)
    #expect(
      await errorCode { _ = try await session.text(from: server.url, delegate: ofTask) } == .cancelled)
    #expect(ofSession.log.all.count == 1 && ofTask.log.all.isEmpty)
  }

  @Test func `a delegate that never answers does not keep a task from being cancelled`() async throws {
    let server = try SecureServer()
    let delegate = LateTrustDelegate()
    let session = try URLSession.trustingTestAuthority(delegate: delegate)
    let first = Task { try await session.text(from: server.url) }
    #expect(await delegate.asked.wait())
    let second = Task { try await session.text(from: server.url) }
    first.cancel()
    #expect(await errorCode { _ = try await first.value } == .cancelled)
    // The other task asks itself.
    #expect(await eventually { delegate.questions.count == 2 })
    let question = try #require(delegate.questions.last)
    let trust = try #require(question.challenge.protectionSpace.serverTrust)
    question.answer(.useCredential, URLCredential(trust: trust))
    #expect(try await second.value == "hello")
  }

  @Test func `only the first answer counts`() async throws {
    let server = try SecureServer(.selfSigned)
    let delegate = LateTrustDelegate()
    let session = try URLSession.trustingTestAuthority()
    let load = Task { try await session.text(from: server.url, delegate: delegate) }
    #expect(await delegate.asked.wait())
    let question = try #require(delegate.questions.first)
    question.answer(.cancelAuthenticationChallenge, nil)
    let trust = try #require(question.challenge.protectionSpace.serverTrust)
    question.answer(.useCredential, URLCredential(trust: trust))
    #expect(await errorCode { _ = try await load.value } == .cancelled)
    #expect(
      await errorCode { _ = try await session.text(from: server.url) } == .serverCertificateHasUnknownRoot)
    #expect(server.server.requests.isEmpty)
  }

  @Test func `the time-out does not run while the delegate thinks`() async throws {
    let server = try SecureServer()
    let delegate = LateTrustDelegate()
    let session = try URLSession.trustingTestAuthority { $0.timeoutIntervalForRequest = 0.5 }
    let load = Task { try await session.text(from: server.url, delegate: delegate) }
    #expect(await delegate.asked.wait())
    // Another load of the session reaches its time-out in the meantime.
    let silent = try ScriptedServer { try $0.hold() }
    #expect(await errorCode { _ = try await session.data(from: silent.url()) } == .timedOut)
    let question = try #require(delegate.questions.first)
    question.answer(.performDefaultHandling, nil)
    #expect(try await load.value == "hello")
  }

  @Test func `a suspended task connects after it is resumed`() async throws {
    let server = try SecureServer()
    let delegate = LateTrustDelegate()
    let session = try URLSession.trustingTestAuthority(delegate: delegate)
    let done = Gate()
    let task = session.dataTask(with: server.url) { data, _, _ in
      #expect(data == Data("hello".utf8))
      done.open()
    }
    task.resume()
    #expect(await delegate.asked.wait())
    task.suspend()
    try #require(delegate.questions.first).answer(.performDefaultHandling, nil)
    #expect(try await session.text(from: server.url("/other")) == "hello")
    #expect(server.server.requests.map(\.path) == ["/other"])
    task.resume()
    #expect(await done.wait())
  }

  @Test func `a redirect to another host asks about that host`() async throws {
    let target = try SecureServer(.selfSigned)
    let source = try SecureServer { _ in
      Reply(302, headers: [("Location", target.url("/target", host: "origin.test").absoluteString)])
    }
    let delegate = TaskTrustDelegate { challenge in
      challenge.protectionSpace.host == "localhost"
        ? ChallengeLog.accepts(challenge) : ChallengeLog.cancels(challenge)
    }
    let proxy = try ScriptedProxy()
    // The proxy knows the other host.
    let session = try URLSession.trustingTestAuthority {
      $0.connectionProxyDictionary = [
        "HTTPSEnable": true, "HTTPSProxy": "127.0.0.1", "HTTPSPort": Int(proxy.port),
      ]
    }
    #expect(
      await errorCode { _ = try await session.text(from: source.url, delegate: delegate) } == .cancelled)
    #expect(delegate.log.all.map(\.protectionSpace.host) == ["localhost", "origin.test"])
    #expect(target.server.requests.isEmpty)
  }

  @Test func `certificates that change between question and connection are asked about again`() async throws {
    let server = try SecureServer(.selfSigned)
    let session = try URLSession.trustingTestAuthority()
    let delegate = TaskTrustDelegate { challenge in
      if challenge.protectionSpace.serverTrust?.certificates.first == (try? .ofTest(.selfSigned)) {
        try? TLSRelay.shared().present(.unknownAuthority, on: server.port)
      }
      return ChallengeLog.accepts(challenge)
    }
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    #expect(
      try delegate.log.trusts.map(\.certificates.first) == [.ofTest(.selfSigned), .ofTest(.unknownAuthority)])
    #expect(try server.report.accepted == 3)
  }

  @Test func `a server with two certificates in turns is accepted after two questions`() async throws {
    let server = try SecureServer(.selfSigned)
    try TLSRelay.shared().alternate(.selfSigned, .unknownAuthority, on: server.port)
    let delegate = TaskTrustDelegate(ChallengeLog.accepts)
    let session = try URLSession.trustingTestAuthority()
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    #expect(delegate.log.all.count == 2)
  }

  @Test func `a body is sent once, after the decision`() async throws {
    let server = try SecureServer(.selfSigned) { request in Reply(text: "\(request.body.count)") }
    let delegate = TaskTrustDelegate(ChallengeLog.accepts)
    let session = try URLSession.trustingTestAuthority()
    var request = URLRequest(url: server.url)
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(data: Data(count: 300_000))
    let (data, _) = try await session.data(for: request, delegate: delegate)
    #expect(String(decoding: data, as: UTF8.self) == "300000")
    #expect(server.server.requests.count == 1)
    #expect(delegate.log.all.count == 1)
  }

  @Test func `a session may ask its delegates about HTTP only`() async throws {
    let (valid, invalid) = (try SecureServer(), try SecureServer(.selfSigned))
    let delegate = SessionTrustDelegate(ChallengeLog.accepts)
    let session = try URLSession.trustingTestAuthority(delegate: delegate) {
      $0.asksDelegatesAboutServers = false
    }
    #expect(try await session.text(from: valid.url) == "hello")
    #expect(try valid.report.accepted == 1)
    #expect(
      await errorCode { _ = try await session.text(from: invalid.url) } == .serverCertificateHasUnknownRoot)
    #expect(delegate.log.all.isEmpty)
  }

  @Test func `a WebSocket connection asks about its server`() async throws {
    let server = try ScriptedServer.webSocket { try $0.echoFrames() }
    let port = try TLSRelay.shared().forward(to: server.port, certificate: .selfSigned)
    let delegate = SessionTrustDelegate(ChallengeLog.accepts)
    let session = try URLSession.trustingTestAuthority(delegate: delegate)
    let task = session.webSocketTask(with: try #require(URL(string: "wss://localhost:\(port)/")))
    task.resume()
    try await task.send(.string("secret"))
    guard case .string("secret") = try await task.receive() else {
      Issue.record("Another message arrived.")
      return
    }
    task.cancel(with: .goingAway, reason: nil)
    #expect(await eventually { task.state == .completed })
    #expect(delegate.log.all.count == 1)
  }
}
#endif
