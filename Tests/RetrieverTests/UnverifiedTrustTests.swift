#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct UnverifiedTrustTests {
  @Test(arguments: [TestAuthority.Certificate.selfSigned, .expired, .wrongHost, .unknownAuthority])
  func `only an unverified session accepts an invalid certificate`(certificate: TestAuthority.Certificate)
    async throws
  {
    let server = try ScriptedServer.http { _ in Reply(text: "any server") }
    let port = try TLSRelay.shared().forward(to: server.port, certificate: certificate)
    let url = try #require(URL(string: "https://localhost:\(port)/"))
    let verifying = URLSession.forTest()
    #expect(await errorCode { _ = try await verifying.data(from: url) } != nil)
    let unverified = URLSession.forTest { $0.trustedCertificates = .unverified }
    let (data, _) = try await unverified.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "any server")
    #expect(server.requests.count == 1)
  }

  @Test func `the error of an unknown authority suggests the option for it`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let port = try TLSRelay.shared().forward(to: server.port, certificate: .unknownAuthority)
    let url = try #require(URL(string: "https://localhost:\(port)/"))
    do {
      _ = try await URLSession.forTest().data(from: url)
      Issue.record("The load succeeded.")
    } catch let error as URLError {
      let suggestion = error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
      #expect(suggestion?.contains("trustedCertificates") == true)
    }
  }
}
#endif
