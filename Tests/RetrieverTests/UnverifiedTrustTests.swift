#if !canImport(Darwin)
  import Foundation
  import TestSupport
  import Testing

  @testable import Retriever

  @Suite(.timeLimit(.minutes(1))) struct UnverifiedTrustTests {
    @Test(arguments: [TestAuthority.Certificate.selfSigned, .expired, .wrongHost, .unknownAuthority])
    func onlyASessionThatTrustsAnybodyTakesABadCertificate(certificate: TestAuthority.Certificate)
      async throws
    {
      let server = try ScriptedServer.http { _ in Reply(text: "whoever I am") }
      let port = try TLSRelay.shared().forward(to: server.port, certificate: certificate)
      let url = try #require(URL(string: "https://localhost:\(port)/"))
      let careful = URLSession.forTest()
      #expect(await errorCode { _ = try await careful.data(from: url) } != nil)
      let careless = URLSession.forTest { $0.trustedCertificates = .unverified }
      let (data, _) = try await careless.data(from: url)
      #expect(String(decoding: data, as: UTF8.self) == "whoever I am")
      #expect(server.requests.count == 1)
    }
  }
#endif
