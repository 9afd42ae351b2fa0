#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever
@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct ServerTrustTests {
  /// The trust of a server with this certificate, in a session that trusts the test authority.
  private static func trust(_ certificate: TestAuthority.Certificate) async throws -> ServerTrust {
    let server = try SecureServer(certificate)
    let delegate = TaskTrustDelegate(ChallengeLog.cancels)
    let session = try URLSession.trustingTestAuthority()
    _ = await errorCode { _ = try await session.text(from: server.url, delegate: delegate) }
    return try #require(delegate.log.trusts.first)
  }

  @Test func `a certificate's parts are read`() throws {
    let certificate = try ServerTrust.Certificate.ofTest(.valid)
    #expect(certificate.subject == "CN=valid")
    #expect(certificate.issuer == "CN=Retriever test authority")
    #expect(certificate.names == ["localhost", "origin.test", "127.0.0.1", "::1"])
    #expect(certificate.notValidBefore == Date(timeIntervalSince1970: 1_704_067_200))
    #expect(certificate.notValidAfter == Date(timeIntervalSince1970: 2_493_072_000))
    #expect(certificate.publicKeyDigest.count == 32 && certificate.digest.count == 32)
    #expect(ServerTrust.Certificate.certificates(pem: Data(certificate.pem.utf8)) == [certificate])
    #expect(ServerTrust.Certificate(der: certificate.data) == certificate)
    #expect(ServerTrust.Certificate(der: certificate.data.dropLast()) == nil)
    #expect(ServerTrust.Certificate(der: Data()) == nil)
    #expect(ServerTrust.Certificate.certificates(pem: Data("none".utf8)).isEmpty)
  }

  @Test func `certificates are evaluated with other authorities`() async throws {
    let trust = try await Self.trust(.valid)
    #expect(trust.isTrusted)
    #expect(try trust.isTrusted(by: [.testAuthority()]))
    #expect(try !trust.isTrusted(by: [.ofTest(.selfSigned)]))
    #expect(!trust.isTrusted(by: []))
    try trust.evaluate(with: .file(TestAuthority.shared().authorityFile))
    try trust.evaluate(with: .unverified)
    // The system does not know the test authority.
    #expect(throws: URLError.self) { try trust.evaluate(with: .system) }
    #expect(throws: URLError.self) { try trust.evaluate(with: .file(URL(fileURLWithPath: "/nonexistent"))) }
  }

  @Test func `a self-signed certificate is valid for those who trust it`() async throws {
    let trust = try await Self.trust(.selfSigned)
    #expect(!trust.isTrusted && trust.error?.code == .serverCertificateHasUnknownRoot)
    #expect(try trust.isTrusted(by: [.ofTest(.selfSigned)]))
    #expect(trust.description.contains("CN=localhost"))
  }

  @Test(arguments: [
    (TestAuthority.Certificate.expired, URLError.Code.serverCertificateHasBadDate),
    (.notYetValid, .serverCertificateNotYetValid), (.wrongHost, .serverCertificateUntrusted),
  ])
  func `an evaluation reports why a certificate is not valid`(
    certificate: TestAuthority.Certificate, code: URLError.Code
  ) async throws {
    let trust = try await Self.trust(certificate)
    let authority = try TestAuthority.shared().authorityFile
    let error = #expect(throws: URLError.self) { try trust.evaluate(with: .file(authority)) }
    #expect(error?.code == code && trust.error?.code == code)
  }

  @Test func `pins match any certificate of a valid server, and the own one of an invalid server`()
    async throws
  {
    let valid = try await Self.trust(.valid)
    let (own, authority) = (
      try ServerTrust.Certificate.ofTest(.valid), try ServerTrust.Certificate.testAuthority()
    )
    #expect(valid.matches([.publicKey(of: own)]) && valid.matches([.certificate(authority)]))
    #expect(!valid.matches([]))
    let leaf = try ServerTrust.Certificate.ofTest(.selfSigned)
    // A server may send any certificate after its own.
    let invalid = ServerTrust(
      ServerChain(digest: [1], certificates: [[UInt8](leaf.data), [UInt8](authority.data)]),
      host: "localhost",
      port: 443, error: URLError(.serverCertificateHasUnknownRoot))
    #expect(invalid.certificates.count == 2)
    #expect(invalid.matches([.publicKey(of: leaf)]))
    #expect(!invalid.matches([.publicKey(of: authority)]))
  }

  @Test func `only OpenSSL and libraries with its interface are asked`() {
    #expect(Curl.isOpenSSL("OpenSSL/3.0.19"))
    #expect(Curl.isOpenSSL("(GnuTLS/3.7.9) OpenSSL/3.0.19"))
    #expect(!Curl.isOpenSSL("GnuTLS/3.7.9"))
    #expect(!Curl.isOpenSSL("GnuTLS/3.7.9 (OpenSSL/3.0.19)"))
    #expect(!Curl.isOpenSSL(""))
  }
}
#endif
