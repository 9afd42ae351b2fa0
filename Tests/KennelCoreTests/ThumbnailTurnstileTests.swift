import TestSupport
import Testing

@testable import KennelCore

@Suite(.timeLimit(.minutes(3))) struct ThumbnailTurnstileTests {
  @Test func noMorePassThanThereArePasses() async throws {
    let turnstile = Turnstile("tests", passes: 1, waitingLimit: 1)
    let (isIn, mayLeave) = (Gate(), Gate())
    let first = Task {
      try await turnstile.pass { () async throws(KennelError) in
        isIn.open()
        await mayLeave.wait()
        return 1
      }
    }
    await isIn.wait()
    let second = Task { try await turnstile.pass { () async throws(KennelError) in 2 } }
    #expect(await eventually { turnstile.waitingCount == 1 })
    // The line has room for one.
    #expect(await code { try await turnstile.pass { () async throws(KennelError) in } } == .busy)
    mayLeave.open()
    #expect(try await first.value == 1)
    #expect(try await second.value == 2)
  }

  @Test func whoIsCancelledLeavesTheLine() async throws {
    let turnstile = Turnstile("tests", passes: 1, waitingLimit: 1)
    let (isIn, mayLeave) = (Gate(), Gate())
    let first = Task {
      try await turnstile.pass { () async throws(KennelError) in
        isIn.open()
        await mayLeave.wait()
      }
    }
    await isIn.wait()
    for _ in 0..<200 {
      let waiting = Task { try await turnstile.pass { () async throws(KennelError) in } }
      waiting.cancel()
      #expect(await code { try await waiting.value } == .cancelled)
    }
    mayLeave.open()
    try await first.value
    #expect(try await turnstile.pass { () async throws(KennelError) in 3 } == 3)
  }
}
