#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct PinningTests {
  private static let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  private static func session(
    _ pins: [ServerPin], host: String = "localhost", _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) throws -> URLSession {
    try .trustingTestAuthority {
      $0.pinnedHosts = [PinnedHost(host, pins: pins)]
      change($0)
    }
  }

  @Test func `the pin of a public key has the form that OpenSSL's commands print`() async throws {
    let file = try TestAuthority.shared().certificateFile(.valid).path
    let printed = try ChildProcess.run([
      "sh", "-c",
      "openssl x509 -in '\(file)' -pubkey -noout | openssl pkey -pubin -outform der "
        + "| openssl dgst -sha256 -binary | base64",
    ])
    let text = "sha256/" + printed.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try ServerPin.publicKey(of: .ofTest(.valid)).description == text)
    #expect(try ServerPin(text) == .publicKey(of: .ofTest(.valid)))
    #expect(
      try ServerPin(text.replacingOccurrences(of: "256/", with: "256//")) == .publicKey(of: .ofTest(.valid)))
    for invalid in ["", "sha256/", "sha256/AAAA", "sha1/" + text.dropFirst(7), String(text.dropLast())] {
      #expect(ServerPin(invalid) == nil)
    }
  }

  enum Kind: CaseIterable { case key, certificate, authorityKey, authorityCertificate }

  @Test(arguments: Kind.allCases) func `one right pin is enough`(kind: Kind) async throws {
    let server = try SecureServer()
    let pin: ServerPin =
      switch kind {
      case .key: .publicKey(of: try .ofTest(.valid))
      case .certificate: .certificate(try .ofTest(.valid))
      case .authorityKey: .publicKey(of: try .testAuthority())
      case .authorityCertificate: .certificate(try .testAuthority())
      }
    let session = try Self.session([try #require(ServerPin(Self.other)), pin])
    for _ in 0..<2 { #expect(try await session.text(from: server.url) == "hello") }
    #expect(try server.report.accepted == 1)
  }

  @Test func `without a right pin, the load fails with a sentence before the request is sent`() async throws {
    let server = try SecureServer()
    let session = try Self.session([try #require(ServerPin(Self.other))])
    do {
      _ = try await session.text(from: server.url)
      Issue.record("The load succeeded.")
    } catch let error as URLError {
      #expect(error.code == .serverCertificateUntrusted)
      #expect(error.localizedDescription.contains("pins"))
    }
    #expect(await errorCode { _ = try await Self.session([]).text(from: server.url) } != nil)
    #expect(server.server.requests.isEmpty)
  }

  @Test func `a pin does not replace the verification`() async throws {
    let server = try SecureServer(.selfSigned)
    let session = try Self.session([.publicKey(of: .ofTest(.selfSigned))])
    #expect(
      await errorCode { _ = try await session.text(from: server.url) } == .serverCertificateHasUnknownRoot)
    let delegate = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
  }

  @Test func `neither a delegate nor an unverified session overrides pins`() async throws {
    let server = try SecureServer(.selfSigned)
    let wrong = try [#require(ServerPin(Self.other))]
    let delegate = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(
      await errorCode { _ = try await Self.session(wrong).text(from: server.url, delegate: delegate) }
        == .serverCertificateUntrusted)
    let unverified = try Self.session(wrong) { $0.trustedCertificates = .unverified }
    #expect(
      await errorCode { _ = try await unverified.text(from: server.url) } == .serverCertificateUntrusted)
    #expect(server.server.requests.isEmpty)
    let right = try Self.session([.publicKey(of: .ofTest(.selfSigned))]) {
      $0.trustedCertificates = .unverified
    }
    #expect(try await right.text(from: server.url) == "hello")
  }

  @Test func `other hosts have no pins`() async throws {
    let server = try SecureServer()
    let session = try Self.session([try #require(ServerPin(Self.other))], host: "example.com")
    #expect(try await session.text(from: server.url) == "hello")
    let address = try Self.session([.publicKey(of: .ofTest(.valid))], host: "127.0.0.1")
    #expect(try await address.text(from: server.url("/", host: "127.0.0.1")) == "hello")
    let wrong = try Self.session([try #require(ServerPin(Self.other))], host: "127.0.0.1")
    #expect(
      await errorCode { _ = try await wrong.text(from: server.url("/", host: "127.0.0.1")) }
        == .serverCertificateUntrusted)
  }

  @Test(arguments: ["127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433"])
  func `another spelling of an address does not avoid its pins`(host: String) async throws {
    let server = try SecureServer()
    let url = server.url("/", host: host)
    #expect(try await URLSession.trustingTestAuthority().text(from: url) == "hello")
    let wrong = try Self.session([try #require(ServerPin(Self.other))], host: "127.0.0.1")
    #expect(await errorCode { _ = try await wrong.text(from: url) } == .serverCertificateUntrusted)
    let right = try Self.session([.publicKey(of: .ofTest(.valid))], host: "127.0.0.1")
    #expect(try await right.text(from: url) == "hello")
  }

  @Test func `pins work over HTTP/2`() async throws {
    let nginx = try NginxServer()
    let right = try Self.session([.publicKey(of: .ofTest(.valid))])
    for _ in 0..<2 { #expect(try await right.data(from: nginx.http2URL()).0.count == 1024) }
    let wrong = try Self.session([try #require(ServerPin(Self.other))])
    #expect(
      await errorCode { _ = try await wrong.data(from: nginx.http2URL()) } == .serverCertificateUntrusted)
  }

  @Test func `pins and challenges are for the server, also behind a proxy`() async throws {
    let (server, proxy) = (try SecureServer(), try ScriptedProxy())
    let url = server.url("/", host: "origin.test")
    func viaProxy(_ configuration: URLSessionConfiguration) {
      configuration.connectionProxyDictionary = [
        "HTTPSEnable": true, "HTTPSProxy": "127.0.0.1", "HTTPSPort": Int(proxy.port),
      ]
    }
    let right = try Self.session([.publicKey(of: .ofTest(.valid))], host: "origin.test", viaProxy)
    let delegate = TaskTrustDelegate(ChallengeLog.performsDefault)
    #expect(try await right.text(from: url) == "hello")
    #expect(try await right.text(from: url, delegate: delegate) == "hello")
    #expect(delegate.log.all.map(\.protectionSpace.host) == ["origin.test"])
    #expect(delegate.log.all.first?.protectionSpace.isProxy() == false)
    let wrong = try Self.session([try #require(ServerPin(Self.other))], host: "origin.test", viaProxy)
    #expect(await errorCode { _ = try await wrong.text(from: url) } == .serverCertificateUntrusted)
    #expect(server.server.requests.count == 2)
  }

  @Test(arguments: [false, true])
  func `the pins of a proxy that is reached with TLS are checked`(isTunnel: Bool) async throws {
    let (server, proxy) = (
      try SecureServer(.wrongHost), try ScriptedProxy(forward: { _ in Reply(text: "hello") })
    )
    let proxyPort = try TLSRelay.shared().forward(to: proxy.port)
    let pinned = PinnedHost("other.example", pins: [.publicKey(of: try .ofTest(.wrongHost))])
    func load(_ pin: ServerPin) async throws -> String {
      let session = try Self.session([pin]) {
        $0.pinnedHosts.append(pinned)
        $0.connectionProxyDictionary = Self.secureProxy(proxyPort)
      }
      let url =
        isTunnel ? server.url("/", host: "other.example") : try #require(URL(string: "http://other.example/"))
      return try await session.text(from: url)
    }
    let wrong = try #require(ServerPin(Self.other))
    #expect(await errorCode { _ = try await load(wrong) } == .serverCertificateUntrusted)
    #expect(proxy.server.requests.isEmpty)
    #expect(try await load(.publicKey(of: .ofTest(.valid))) == "hello")
    #expect(proxy.server.requests.count == 1)
  }

  @Test(arguments: [TestAuthority.Certificate.selfSigned, .wrongHost, .expired, .unknownAuthority])
  func `a proxy with a wrong certificate is refused`(certificate: TestAuthority.Certificate) async throws {
    let proxy = try ScriptedProxy(forward: { _ in Reply(text: "hello") })
    let port = try TLSRelay.shared().forward(to: proxy.port, certificate: certificate)
    let session = try URLSession.trustingTestAuthority {
      $0.connectionProxyDictionary = Self.secureProxy(port)
    }
    for scheme in ["http", "https"] {
      let url = try #require(URL(string: "\(scheme)://other.example/"))
      #expect(await errorCode { _ = try await session.text(from: url) } != nil)
    }
    #expect(proxy.server.requests.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a proxy gets the client certificate of the configuration for its own host only`(
    isTunnel: Bool
  ) async throws {
    let (server, proxy) = (
      try SecureServer(.wrongHost), try ScriptedProxy(forward: { _ in Reply(text: "hello") })
    )
    let port = try TLSRelay.shared().forward(to: proxy.port, clients: .required)
    let identity = try ClientIdentity(pem: TestAuthority.shared().identity(.ada))
    func load(for host: String) async throws -> String {
      let session = try URLSession.trustingTestAuthority {
        $0.clientIdentities = [host: identity]
        $0.connectionProxyDictionary = Self.secureProxy(port)
      }
      let url =
        isTunnel ? server.url("/", host: "other.example") : try #require(URL(string: "http://other.example/"))
      return try await session.text(from: url)
    }
    #expect(await errorCode { _ = try await load(for: "other.example") } != nil)
    #expect(proxy.server.requests.isEmpty)
    #expect(try await load(for: "localhost") == "hello")
    #expect(try TLSRelay.shared().report(on: port).clients.last?.isEmpty == false)
    #expect(try server.report.clients.allSatisfy(\.isEmpty))
  }

  private static func secureProxy(_ port: UInt16) -> [AnyHashable: Any] {
    var dictionary: [AnyHashable: Any] = [:]
    for name in ["HTTP", "HTTPS"] {
      dictionary[name + "Enable"] = true
      dictionary[name + "Proxy"] = "https://localhost:\(port)"
      dictionary[name + "Port"] = Int(port)
    }
    return dictionary
  }

  @Test func `a proxy that is reached with TLS has no pins of servers and raises no question`() async throws {
    let (server, proxy) = (try SecureServer(.wrongHost), try ScriptedProxy())
    let proxyPort = try TLSRelay.shared().forward(to: proxy.port)
    let session = try Self.session([.publicKey(of: .ofTest(.wrongHost))], host: "other.example") {
      $0.connectionProxyDictionary = [
        "HTTPSEnable": true, "HTTPSProxy": "https://localhost:\(proxyPort)", "HTTPSPort": Int(proxyPort),
      ]
    }
    let url = server.url("/", host: "other.example")
    #expect(try await session.text(from: url) == "hello")
    let delegate = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(try await session.text(from: url, delegate: delegate) == "hello")
    #expect(delegate.log.all.map(\.protectionSpace.host) == ["other.example"])
    let invalid = try TLSRelay.shared().forward(to: proxy.port, certificate: .selfSigned)
    let strict = try URLSession.trustingTestAuthority {
      $0.connectionProxyDictionary = [
        "HTTPSEnable": true, "HTTPSProxy": "https://localhost:\(invalid)", "HTTPSPort": Int(invalid),
      ]
    }
    // A delegate accepts servers, not proxies.
    #expect(await errorCode { _ = try await strict.text(from: url, delegate: delegate) } != nil)
    #expect(server.server.requests.count == 2)
  }
}
#endif
