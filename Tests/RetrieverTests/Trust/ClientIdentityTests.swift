#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct ClientIdentityTests {
  private static func identity(_ client: TestAuthority.Client) throws -> ClientIdentity {
    try ClientIdentity(pem: TestAuthority.shared().identity(client))
  }

  /// Presents a client certificate, and accepts valid servers.
  private static func presenting(
    _ identity: ClientIdentity?
  ) -> @Sendable (URLAuthenticationChallenge) -> TrustAnswerPair {
    { challenge in
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate
      else { return (.performDefaultHandling, nil) }
      guard let identity else { return (.useCredential, nil) }
      return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
    }
  }

  // MARK: Reading

  @Test func `a certificate with its key is read from PEM`() throws {
    let authority = try TestAuthority.shared()
    let identity = try Self.identity(.ada)
    #expect(identity.certificate.subject == "CN=ada")
    #expect(identity.certificate.issuer == "CN=Retriever test authority")
    #expect(identity.intermediateCertificates.isEmpty)
    let separate = try ClientIdentity(
      certificatePEM: Data(contentsOf: authority.certificateFile(.ada))
        + Data(contentsOf: authority.authorityFile),
      keyPEM: Data(contentsOf: authority.keyFile(.ada)))
    #expect(separate.certificate == identity.certificate)
    #expect(try separate.intermediateCertificates == [.testAuthority()])
  }

  @Test func `an encrypted key needs its password`() throws {
    let authority = try TestAuthority.shared()
    let directory = try TemporaryDirectory()
    try ChildProcess.run([
      "openssl", "pkey", "-in", authority.keyFile(.ada).path, "-aes256", "-passout", "pass:secret-1", "-out",
      directory.path("ada.key"),
    ])
    let certificate = try Data(contentsOf: authority.certificateFile(.ada))
    let key = try Data(contentsOf: directory.file("ada.key"))
    let identity = try ClientIdentity(certificatePEM: certificate, keyPEM: key, password: "secret-1")
    #expect(identity.certificate.subject == "CN=ada")
    for password in ["secret-2", "", nil] {
      let error = #expect(throws: ClientIdentityError.self) {
        _ = try ClientIdentity(certificatePEM: certificate, keyPEM: key, password: password)
      }
      #expect(error?.code == .wrongPassword)
      #expect(error?.description.contains("secret") == false)
    }
  }

  @Test func `PKCS#12 files are read, and the error of an old one says how to convert it`() throws {
    let authority = try TestAuthority.shared()
    let directory = try TemporaryDirectory()
    func export(_ name: String, _ options: String...) throws -> Data {
      try ChildProcess.run(
        [
          "openssl", "pkcs12", "-export", "-in", authority.certificateFile(.ada).path, "-inkey",
          authority.keyFile(.ada).path, "-certfile", authority.authorityFile.path, "-passout",
          "pass:secret-1",
          "-out", directory.path(name),
        ] + options)
      return try Data(contentsOf: directory.file(name))
    }
    let archive = try export("new.p12")
    let identity = try ClientIdentity(pkcs12: archive, password: "secret-1")
    #expect(identity.certificate.subject == "CN=ada")
    #expect(try identity.intermediateCertificates == [.testAuthority()])
    #expect(throws: ClientIdentityError.self) { try ClientIdentity(pkcs12: archive, password: "secret-2") }
    let wrong = #expect(throws: ClientIdentityError.self) {
      _ = try ClientIdentity(pkcs12: archive, password: "secret-2")
    }
    #expect(wrong?.code == .wrongPassword)
    let old = try export("old.p12", "-legacy")
    let refused = #expect(throws: ClientIdentityError.self) {
      _ = try ClientIdentity(pkcs12: old, password: "secret-1")
    }
    #expect(refused?.code == .unsupportedAlgorithm)
    #expect(refused?.description.contains("-legacy") == true)
    let damaged = #expect(throws: ClientIdentityError.self) {
      _ = try ClientIdentity(pkcs12: archive.prefix(100), password: "secret-1")
    }
    #expect(damaged?.code == .damaged)
  }

  @Test func `files without a key, without a certificate, or with another key give clear errors`() throws {
    let authority = try TestAuthority.shared()
    let certificate = try Data(contentsOf: authority.certificateFile(.ada))
    let (key, otherKey) = (
      try Data(contentsOf: authority.keyFile(.ada)), try Data(contentsOf: authority.keyFile(.grace))
    )
    let cases: [(Data, Data, ClientIdentityError.Code)] = [
      (certificate, certificate, .noKey), (key, key, .noCertificate), (certificate, otherKey, .keyMismatch),
      (Data(), Data(), .noKey), (certificate, key.prefix(80), .damaged),
    ]
    for (certificate, key, code) in cases {
      let error = #expect(throws: ClientIdentityError.self) {
        _ = try ClientIdentity(certificatePEM: certificate, keyPEM: key)
      }
      #expect(error?.code == code)
      #expect(error?.description.hasPrefix("Could not read the client certificate: ") == true)
    }
  }

  @Test func `nothing prints the key`() throws {
    let identity = try Self.identity(.ada)
    let credential = URLCredential(identity: identity, certificates: nil, persistence: .permanent)
    var dumped = ""
    dump(identity, to: &dumped)
    dump(credential, to: &dumped)
    let key = try String(contentsOf: TestAuthority.shared().keyFile(.ada), encoding: .utf8)
    let line = try #require(key.split(separator: "\n").dropFirst().first)
    for text in [dumped, "\(identity)", String(reflecting: identity), "\(credential)"] {
      #expect(!text.contains(line))
      #expect(!text.contains("0x"))
    }
    #expect("\(identity)" == "<ClientIdentity CN=ada>")
  }

  // MARK: Presenting

  @Test(arguments: [TLSRelay.Versions.all, .tls12])
  func `a delegate is asked for a certificate after it has accepted the server`(versions: TLSRelay.Versions)
    async throws
  {
    let server = try SecureServer(clients: .required, versions: versions)
    let delegate = TaskTrustDelegate(Self.presenting(try Self.identity(.ada)))
    let session = try URLSession.trustingTestAuthority()
    for _ in 0..<2 { #expect(try await session.text(from: server.url, delegate: delegate) == "hello") }
    #expect(
      delegate.log.methods == [
        NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate,
      ])
    let space = try #require(delegate.log.all.last?.protectionSpace)
    let names = try #require(space.distinguishedNames)
    // The relay names no authorities.
    #expect(names.isEmpty)
    #expect(space.serverTrust == nil && space.host == "localhost")
    #expect(try server.report.clients == ["ada"])
  }

  @Test func `the challenge has the names of the authorities that the server accepts`() async throws {
    let authority = try TestAuthority.shared().authorityFile
    var options = NginxServer.Options()
    options.serverDirectives = """
      ssl_verify_client optional; ssl_client_certificate \(authority.path);
      location = /who { return 200 "$ssl_client_s_dn"; }
      """
    let nginx = try NginxServer(options)
    for url in [nginx.secureURL("/who"), nginx.http2URL("/who")] {
      let session = try URLSession.trustingTestAuthority()
      let delegate = TaskTrustDelegate(Self.presenting(try Self.identity(.ada)))
      #expect(try await session.text(from: url, delegate: delegate) == "CN=ada")
      let names = try #require(delegate.log.all.last?.protectionSpace.distinguishedNames)
      #expect(names.count == 1)
      #expect(names.first?.range(of: Data("Retriever test authority".utf8)) != nil)
      #expect(delegate.log.all.count == 2)
    }
  }

  @Test func `delegates with different certificates never share a connection`() async throws {
    let server = try SecureServer(clients: .required)
    let session = try URLSession.trustingTestAuthority()
    let ada = TaskTrustDelegate(Self.presenting(try Self.identity(.ada)))
    let grace = TaskTrustDelegate(Self.presenting(try Self.identity(.grace)))
    for delegate in [ada, grace, ada, grace] {
      #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    }
    #expect(try server.report.clients == ["ada", "grace"])
    // Without a delegate there is no certificate.
    #expect(await errorCode { _ = try await session.text(from: server.url) } == .clientCertificateRequired)
    #expect(server.server.requests.count == 4)
  }

  @Test func `without a certificate, a server that only asks for one is loaded`() async throws {
    let server = try SecureServer(clients: .optional)
    for answer: TrustAnswerPair in [
      (.performDefaultHandling, nil), (.rejectProtectionSpace, nil), (.useCredential, nil),
    ] {
      let session = try URLSession.trustingTestAuthority()
      let delegate = TaskTrustDelegate { challenge in
        challenge.protectionSpace.serverTrust == nil ? answer : (.performDefaultHandling, nil)
      }
      #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
      #expect(delegate.log.all.count == 2)
    }
    #expect(try server.report.clients == ["", "", ""])
    let cancels = TaskTrustDelegate { challenge in
      challenge.protectionSpace.serverTrust == nil
        ? (.cancelAuthenticationChallenge, nil) : (.performDefaultHandling, nil)
    }
    let session = try URLSession.trustingTestAuthority()
    #expect(
      await errorCode { _ = try await session.text(from: server.url, delegate: cancels) } == .cancelled)
  }

  @Test func `after a refused certificate, the next load asks again`() async throws {
    let server = try SecureServer(clients: .required)
    let session = try URLSession.trustingTestAuthority()
    let isSecond = Flag()
    let (none, ada) = (Self.presenting(nil), Self.presenting(try Self.identity(.ada)))
    let delegate = TaskTrustDelegate { challenge in
      if challenge.protectionSpace.serverTrust == nil, isSecond.setOnce() { return none(challenge) }
      return ada(challenge)
    }
    #expect(
      await errorCode { _ = try await session.text(from: server.url, delegate: delegate) }
        == .clientCertificateRequired)
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    #expect(try server.report.clients == ["ada"])
  }

  @Test func `the configuration's certificate is presented to its host only`() async throws {
    let server = try SecureServer(clients: .optional)
    let identity = try Self.identity(.ada)
    for key in ["localhost", "localhost:\(server.port)", "LOCALHOST"] {
      let session = try URLSession.trustingTestAuthority { $0.clientIdentities = [key: identity] }
      #expect(try await session.text(from: server.url) == "hello")
      #expect(try await session.text(from: server.url("/", host: "127.0.0.1")) == "hello")
    }
    #expect(try server.report.clients == ["ada", "", "ada", "", "ada", ""])
    let other = try URLSession.trustingTestAuthority { $0.clientIdentities = ["localhost:1": identity] }
    #expect(try await other.text(from: server.url) == "hello")
    #expect(try server.report.clients.last == "")
    let address = try URLSession.trustingTestAuthority { $0.clientIdentities = ["127.0.0.1": identity] }
    #expect(try await address.text(from: server.url("/", host: "127.0.0.1")) == "hello")
    #expect(try server.report.clients.last == "ada")
  }

  @Test func `a delegate is not asked for a certificate that the configuration has`() async throws {
    let server = try SecureServer(clients: .required)
    let delegate = TaskTrustDelegate(Self.presenting(try Self.identity(.grace)))
    let identity = try Self.identity(.ada)
    let session = try URLSession.trustingTestAuthority { $0.clientIdentities = ["localhost": identity] }
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    #expect(delegate.log.methods == [NSURLAuthenticationMethodServerTrust])
    #expect(try server.report.clients == ["ada"])
  }

  @Test func `a certificate of another authority is rejected with a clear error`() async throws {
    let server = try SecureServer(clients: .required)
    let authority = try TestAuthority.shared()
    let stranger = try ClientIdentity(
      certificatePEM: Data(contentsOf: authority.certificateFile(.selfSigned)),
      keyPEM: Data(contentsOf: authority.keyFile(.selfSigned)))
    let session = try URLSession.trustingTestAuthority { $0.clientIdentities = ["localhost": stranger] }
    #expect(await errorCode { _ = try await session.text(from: server.url) } == .clientCertificateRejected)
  }

  @Test func `the intermediate certificates of a credential are sent`() async throws {
    let server = try SecureServer(clients: .required)
    let identity = try Self.identity(.ada)
    let credential = try URLCredential(
      identity: identity, certificates: [.testAuthority()], persistence: .forSession)
    #expect(try credential.certificates == [.testAuthority()])
    let delegate = TaskTrustDelegate { challenge in
      challenge.protectionSpace.serverTrust == nil
        ? (.useCredential, credential) : (.performDefaultHandling, nil)
    }
    let session = try URLSession.trustingTestAuthority()
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    #expect(try server.report.clients == ["ada"])
  }

  @Test func `an archive of the traffic has no key`() async throws {
    let server = try SecureServer(clients: .required)
    let identity = try Self.identity(.ada)
    let session = try URLSession.trustingTestAuthority { $0.clientIdentities = ["localhost": identity] }
    session.archive.isRecording = true
    #expect(try await session.text(from: server.url) == "hello")
    let text = String(decoding: try session.archive.har(), as: UTF8.self)
    #expect(!text.contains("PRIVATE KEY") && !text.contains("ada"))
  }
}
#endif
