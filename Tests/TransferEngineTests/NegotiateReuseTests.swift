import Testing

@testable import TestSupport
@testable import TransferEngine

/// A server knows the user of each request over a connection that was signed in with Negotiate.
@Suite(.timeLimit(.minutes(5))) struct NegotiateReuseTests {
  @Test(.enabled(if: ConnectionSignIn.Scheme.negotiate.isAvailable))
  func `a connection for Negotiate carries one request and no other`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let client = try TransferClient()
    let plain = TransferRequest(url: server.address())
    var signedIn = plain
    signedIn.signIn = ConnectionSignIn(.negotiate, user: "", password: "")
    for request in [plain, signedIn, plain, signedIn, signedIn] {
      #expect(try await client.run(request).failure == nil)
    }
    #expect(server.requests.map(\.connection) == [0, 1, 0, 2, 3])
  }
}
