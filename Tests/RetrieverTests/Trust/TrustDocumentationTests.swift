#if !canImport(Darwin)
import Foundation
import Retriever
import TestSupport
import Testing

/// The examples of “Trust and pinning” work as documented.
@Suite(.timeLimit(.minutes(5))) struct TrustDocumentationTests {
  @Test func `the delegate of the example accepts its certificate and no other`() async throws {
    let (device, stranger) = (try SecureServer(.selfSigned), try SecureServer(.unknownAuthority))
    let delegate = DocumentationExamples.DeviceTrust(certificate: try .ofTest(.selfSigned))
    let session = URLSession.forTest(delegate: delegate)
    #expect(try await session.text(from: device.url) == "hello")
    #expect(
      await errorCode { _ = try await session.text(from: stranger.url) } == .serverCertificateHasUnknownRoot)
  }

  @Test func `the sessions of the examples have pins and a client certificate`() throws {
    let pinned = try #require(DocumentationExamples().makePinnedSession())
    #expect(pinned.configuration.pinnedHosts.first?.pins.count == 2)
    let authority = try TestAuthority.shared()
    let directory = try TemporaryDirectory()
    try ChildProcess.run([
      "openssl", "pkcs12", "-export", "-in", authority.certificateFile(.ada).path, "-inkey",
      authority.keyFile(.ada).path, "-passout", "pass:secret", "-out", directory.path("ada.p12"),
    ])
    let session = try DocumentationExamples().makeIdentifiedSession(
      file: directory.file("ada.p12"), password: "secret")
    #expect(
      session.configuration.clientIdentities["internal.example.com"]?.certificate.subject == "CN=ada")
  }
}
#endif
