#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Servers are verified over HTTP/3 as well, and what cannot be checked there does not use it.
@Suite(.enabled(if: HTTP3Fixture.isAvailable), .serialized, .timeLimit(.minutes(5)))
struct HTTP3TrustTests {
  private static let invalid: [TestAuthority.Certificate] = [
    .expired, .notYetValid, .wrongHost, .selfSigned, .unknownAuthority,
  ]
  private static let codes: Set<URLError.Code> = [
    .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
    .serverCertificateNotYetValid,
  ]

  @Test(arguments: invalid)
  func `a server with an invalid certificate is refused`(certificate: TestAuthority.Certificate) async throws
  {
    let server = try CaddyServer(certificate: certificate)
    let session = try HTTP3Fixture.session()
    let code = await errorCode { _ = try await session.data(for: HTTP3Fixture.request(server.url())) }
    #expect(code.map(Self.codes.contains) == true, "\(String(describing: code))")
  }

  @Test(arguments: invalid)
  func `a known server with a new and invalid certificate is refused`(
    certificate: TestAuthority.Certificate
  ) async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session { $0.reusesHTTP3Connections = false }
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
    server.stop()
    try server.start(certificate: certificate)
    // This request tries HTTP/3 alone at first.
    let code = await errorCode { _ = try await session.data(for: HTTP3Fixture.request(server.url())) }
    #expect(code.map(Self.codes.contains) == true, "\(String(describing: code))")
  }

  @Test func `a session that verifies nothing also verifies nothing over HTTP/3`() async throws {
    let server = try CaddyServer(certificate: .selfSigned)
    let session = try HTTP3Fixture.session { $0.trustedCertificates = .unverified }
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
  }

  @Test func `loads whose delegate may decide about servers do not use HTTP/3`() async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session { $0.asksDelegatesAboutServers = true }
    for _ in 0..<2 {
      #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h2")
    }
  }

  @Test func `an address policy applies to HTTP/3`() async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session { $0.addressPolicy = .publicOnly }
    // The policy sees only the address of this name.
    let url = try #require(URL(string: "https://localhost:\(server.port)/hello"))
    let code = await errorCode { _ = try await session.data(for: HTTP3Fixture.request(url)) }
    #expect(code == .dataNotAllowed)
  }
}
#endif
