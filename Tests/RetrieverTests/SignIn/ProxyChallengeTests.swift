#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct ProxyChallengeTests {
  private static let basic = "Basic \(Data("ada:secret".utf8).base64EncodedString())"
  private static let credential = URLCredential(user: "ada", password: "secret", persistence: .forSession)

  private static func basicRefusal(_ request: ScriptedRequest) -> Reply? {
    request["Proxy-Authorization"] == basic
      ? nil
      : Reply(
        407,
        headers: [
          ("Proxy-Authenticate", "Basic realm=\"gate\""), ("Set-Cookie", "proxy=yes; Path=/"),
          ("Location", "/elsewhere"),
        ], text: "the proxy's")
  }

  private static func digest() -> DigestServer {
    DigestServer { options in
      (options.user, options.password, options.realm) = ("ada", "secret", "gate")
      options.isProxy = true
      (options.algorithm, options.hash) = ("SHA-256", .sha256)
    }
  }

  /// Starts a proxy that refuses requests with and without a tunnel in the same way, and loads without a tunnel from
  /// this origin.
  private static func proxy(
    _ refusal: @escaping @Sendable (ScriptedRequest) -> Reply?,
    origin: @escaping @Sendable (ScriptedRequest) -> Reply = { _ in Reply(text: "the origin's") }
  ) throws -> ScriptedProxy {
    try ScriptedProxy(
      connect: { request in
        refusal(request).map { .cut(String(decoding: $0.bytes, as: UTF8.self)) } ?? .accept
      },
      forward: { request in
        if let reply = refusal(request) { return reply }
        var forwarded = request
        forwarded.target = String(request.target.dropFirst(Self.origin.count))
        return origin(forwarded)
      })
  }

  private static let origin = "http://origin.test:8080"

  private func url(_ path: String = "/") throws -> URL { try #require(URL(string: Self.origin + path)) }

  private static func session(_ proxy: ScriptedProxy, _ credential: URLCredential? = nil) throws -> URLSession
  {
    let authority = try TestAuthority.shared().authorityFile
    return URLSession.forTest { configuration in
      configuration.trustedCertificates = .file(authority)
      configuration.asksDelegatesAboutServers = false
      var dictionary: [String: any Sendable] = [:]
      for name in ["HTTP", "HTTPS"] {
        dictionary[name + "Enable"] = 1
        dictionary[name + "Proxy"] = "127.0.0.1"
        dictionary[name + "Port"] = Int(proxy.port)
      }
      if let credential {
        dictionary["kCFProxyUsernameKey"] = credential.user
        dictionary["kCFProxyPasswordKey"] = credential.password
      }
      configuration.connectionProxyDictionary = dictionary
    }
  }

  private func load(
    _ url: URL, _ session: URLSession,
    answer:
      @escaping @Sendable (URLAuthenticationChallenge) -> (
        URLSession.AuthChallengeDisposition, URLCredential?
      ) = { _ in (.performDefaultHandling, nil) }
  ) async throws -> (status: Int?, text: String, challenges: [URLAuthenticationChallenge]) {
    let delegate = HandlerDelegate(.init(challenge: answer))
    let (data, response) = try await session.data(from: url, delegate: delegate)
    return (
      (response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self),
      delegate.log.current.challenges
    )
  }

  // MARK: Without a tunnel

  @Test func `a data delegate gets the refusal of a proxy as a response`() async throws {
    let proxy = try Self.proxy(Self.basicRefusal)
    let delegate = HandlerDelegate()
    let task = try Self.session(proxy).dataTask(with: url())
    task.delegate = delegate
    task.resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.order == ["challenge", "response", "data", "metrics", "completed"])
    #expect((task.response as? HTTPURLResponse)?.statusCode == 407)
  }

  @Test(arguments: [false, true])
  func `the dictionary's credential answers a proxy after it asks`(isDigest: Bool) async throws {
    let digest = Self.digest()
    let proxy = try Self.proxy { isDigest ? digest.refusal(of: $0) : Self.basicRefusal($0) }
    let session = try Self.session(proxy, Self.credential)
    for number in 0..<3 {
      let result = try await load(url("/\(number)?a=b"), session)
      #expect(result.text == "the origin's")
      #expect(result.challenges.count == (number == 0 ? 1 : 0))
    }
    let sent = proxy.server.requests.map { $0["Proxy-Authorization"] != nil }
    #expect(sent == [false, true, true, true])
    #expect(proxy.server.requests.allSatisfy { $0["Cookie"] == nil && $0["Authorization"] == nil })
    #expect(session.configuration.httpCookieStorage?.cookies == [])
    if isDigest { #expect(digest.replays == 0 && digest.accepted.count == 3) }
  }

  @Test func `a delegate is asked for a credential of the proxy`() async throws {
    let proxy = try Self.proxy(Self.basicRefusal)
    let result = try await load(url(), try Self.session(proxy)) { challenge in
      challenge.previousFailureCount == 0
        ? (.useCredential, URLCredential(user: "ada", password: "wrong", persistence: .none))
        : (.useCredential, Self.credential)
    }
    #expect(result.text == "the origin's")
    #expect(result.challenges.map(\.previousFailureCount) == [0, 1])
    let challenge = try #require(result.challenges.first)
    #expect(challenge.protectionSpace.isProxy())
    #expect(challenge.protectionSpace.proxyType == NSURLProtectionSpaceHTTPProxy)
    #expect(challenge.protectionSpace.realm == "gate")
    #expect(challenge.protectionSpace.host == "127.0.0.1")
    #expect(challenge.protectionSpace.port == Int(proxy.port))
    #expect(challenge.protectionSpace.protocol == nil)
    #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 407)
  }

  @Test func `without a credential, a proxy's 407 is the response, without its cookies`() async throws {
    let proxy = try Self.proxy(Self.basicRefusal)
    let session = try Self.session(proxy)
    let result = try await load(url(), session)
    #expect(result.status == 407)
    #expect(result.text == "the proxy's")
    #expect(proxy.server.requests.count == 1)
    #expect(session.configuration.httpCookieStorage?.cookies == [])
  }

  @Test func `a proxy and a server each get their own credential`() async throws {
    let gate = Self.digest()
    let lock = DigestServer()
    let proxy = try Self.proxy(gate.refusal, origin: lock.reply)
    let session = try Self.session(proxy)
    for _ in 0..<2 {
      let result = try await load(url("/a"), session) { challenge in
        let user = challenge.protectionSpace.isProxy() ? ("ada", "secret") : ("user", "pass")
        return (.useCredential, URLCredential(user: user.0, password: user.1, persistence: .none))
      }
      #expect(result.text == "in")
      #expect(result.challenges.map { $0.protectionSpace.isProxy() } == [true, false])
      #expect(result.challenges.allSatisfy { $0.previousFailureCount == 0 })
    }
    #expect(gate.replays == 0 && lock.replays == 0)
  }

  @Test func `the storage's credential comes before the delegate's`() async throws {
    let proxy = try Self.proxy(Self.basicRefusal)
    let session = try Self.session(proxy)
    session.configuration.urlCredentialStorage?.set(
      Self.credential,
      for: URLProtectionSpace(
        proxyHost: "127.0.0.1", port: Int(proxy.port), type: NSURLProtectionSpaceHTTPProxy, realm: "gate",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic))
    let result = try await load(url(), session)
    #expect(result.text == "the origin's")
    #expect(result.challenges.first?.proposedCredential == Self.credential)
  }

  // MARK: Tunnels

  @Test(arguments: [false, true])
  func `a tunnel is opened with a credential before the request is sent`(isDigest: Bool) async throws {
    let digest = Self.digest()
    let proxy = try Self.proxy { isDigest ? digest.refusal(of: $0) : Self.basicRefusal($0) }
    let origin = try ScriptedServer.http { _ in Reply(text: "the origin's") }
    let port = try TLSRelay.shared().forward(to: origin.port)
    let session = try Self.session(proxy)
    let url = try #require(URL(string: "https://localhost:\(port)/"))
    let result = try await load(url, session) { _ in (.useCredential, Self.credential) }
    #expect(result.status == 200)
    let space = try #require(result.challenges.first?.protectionSpace)
    #expect(result.challenges.count == 1)
    #expect(space.isProxy())
    #expect(space.proxyType == NSURLProtectionSpaceHTTPSProxy)
    #expect(space.realm == "gate")
    #expect((result.challenges.first?.failureResponse as? HTTPURLResponse)?.statusCode == 407)
    let asked = proxy.server.requests
    #expect(asked.map(\.method) == ["CONNECT", "CONNECT"])
    #expect(asked.map { $0["Proxy-Authorization"] != nil } == [false, true])
    #expect(session.configuration.httpCookieStorage?.cookies == [])
    #expect(origin.requests.count == 1)
    #expect(origin.requests.first?["Proxy-Authorization"] == nil)
    #expect(origin.requests.first?["Cookie"] == nil)
    // A new connection answers before the proxy asks.
    let otherPort = try TLSRelay.shared().forward(to: origin.port)
    let other = try #require(URL(string: "https://localhost:\(otherPort)/"))
    #expect(try await load(other, session).status == 200)
    #expect(proxy.server.requests.count == 3)
  }

  @Test func `the request's own field goes to the proxy, and never through a tunnel`() async throws {
    let proxy = try Self.proxy(Self.basicRefusal)
    let origin = try ScriptedServer.http { _ in Reply(text: "the origin's") }
    let port = try TLSRelay.shared().forward(to: origin.port)
    var request = URLRequest(url: try #require(URL(string: "https://localhost:\(port)/")))
    request.setValue(Self.basic, forHTTPHeaderField: "Proxy-Authorization")
    let (data, response) = try await Self.session(proxy).data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(String(decoding: data, as: UTF8.self) == "the origin's")
    #expect(origin.requests.map { $0["Proxy-Authorization"] } == [nil])
    #expect(proxy.server.requests.map { $0["Proxy-Authorization"] } == [Self.basic])
  }

  @Test func `the request's own field does not go to a server that is reached without the proxy`()
    async throws
  {
    let proxy = try Self.proxy({ _ in nil })
    let origin = try ScriptedServer.http { _ in Reply(text: "the origin's") }
    let session = URLSession.forTest { configuration in
      configuration.connectionProxyDictionary = [
        "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(proxy.port),
        "ExceptionsList": ["127.0.0.1"],
      ]
      configuration.httpAdditionalHeaders = ["Proxy-Authorization": Self.basic]
    }
    _ = try await session.data(from: origin.url())
    #expect(origin.requests.map { $0["Proxy-Authorization"] } == [nil])
    #expect(proxy.server.requests.isEmpty)
  }

  @Test func `without a credential, a refused tunnel is an error`() async throws {
    let proxy = try Self.proxy(Self.basicRefusal)
    let session = try Self.session(proxy)
    let url = try #require(URL(string: "https://localhost:9/"))
    #expect(await errorCode { _ = try await load(url, session) } == .cannotConnectToHost)
    #expect(proxy.server.requests.count == 1)
    let wrong = URLCredential(user: "ada", password: "wrong-secret", persistence: .none)
    do {
      _ = try await load(url, session) {
        $0.previousFailureCount < 2 ? (.useCredential, wrong) : (.performDefaultHandling, nil)
      }
      Issue.record("The load succeeded")
    } catch {
      #expect((error as? URLError)?.code == .cannotConnectToHost)
      #expect(!"\(error)".contains("wrong-secret"))
    }
    #expect(proxy.server.requests.count == 4)
    #expect(
      await errorCode { _ = try await load(url, session) { _ in (.cancelAuthenticationChallenge, nil) } }
        == .cancelled)
  }

  // MARK: SOCKS

  @Test func `a SOCKS proxy gets the dictionary's name and password`() async throws {
    let proxy = try SOCKSProxy(.acceptUser("ada", password: "secret"))
    let origin = try ScriptedServer.http { _ in Reply(text: "the origin's") }
    func session(_ password: String) -> URLSession {
      .forTest { configuration in
        configuration.connectionProxyDictionary = [
          "SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.server.port),
          "kCFStreamPropertySOCKSUser": "ada", "kCFStreamPropertySOCKSPassword": password,
        ]
      }
    }
    let url = try #require(URL(string: "http://origin.test:\(origin.port)/"))
    let (data, _) = try await session("secret").data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "the origin's")
    #expect(proxy.questions.map(\.host) == ["origin.test"])
    #expect(proxy.questions.map(\.isName) == [true])
    do {
      _ = try await session("wrong-secret").data(from: url)
      Issue.record("The load succeeded")
    } catch {
      #expect(!"\(error)".contains("wrong-secret"))
    }
  }
}
#endif
