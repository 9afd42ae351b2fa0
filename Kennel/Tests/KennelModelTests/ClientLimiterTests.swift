import KennelStorage
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel

@Suite(.timeLimit(.minutes(5))) struct ClientLimiterTests {
  @Test func `a client cannot use up all searches`() async throws {
    let limiter = ClientLimiter.searches()
    let mayEnd = Gate()
    let searches = (0..<limiter.maximumCountPerClient).map { _ in
      Task {
        try await limiter.run(for: "10.0.0.1") { () async throws(KennelError) in _ = await mayEnd.wait() }
      }
    }
    #expect(await eventually { limiter.count(of: "10.0.0.1") == searches.count })
    let refused = await code { try await limiter.run(for: "10.0.0.1") { () async throws(KennelError) in } }
    #expect(refused == .tooManyAttempts)
    let other = Task { try await limiter.run(for: "10.0.0.2") { () async throws(KennelError) in 2 } }
    mayEnd.open()
    for search in searches { try await search.value }
    #expect(limiter.count(of: "10.0.0.1") == 0)
    #expect(try await other.value == 2)
    #expect(try await limiter.run(for: "10.0.0.1") { () async throws(KennelError) in 1 } == 1)
  }
}
