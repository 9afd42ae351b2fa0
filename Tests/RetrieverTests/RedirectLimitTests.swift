#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct RedirectLimitTests {
  @Test func `the error of too many redirects names the URL that failed`() async throws {
    let server = try ScriptedServer.http { request in
      .redirect(to: "/\((Int(request.path.dropFirst()) ?? 0) + 1)")
    }
    do {
      _ = try await URLSession.forTest().data(from: server.url("/0"))
      Issue.record("The load succeeded")
    } catch let error as URLError {
      #expect(error.code == .httpTooManyRedirects)
      #expect(error.failingURL == server.url("/20"))
      #expect(server.requests.last?.path == "/20")
    }
  }
}
#endif
