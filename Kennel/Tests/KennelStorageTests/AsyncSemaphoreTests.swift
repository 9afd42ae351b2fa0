import KennelTestSupport
import TestSupport
import Testing

@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct AsyncSemaphoreTests {
  @Test func `only as many tasks run as there are permits`() async throws {
    let semaphore = AsyncSemaphore("tests", permits: 1, maximumWaitingCount: 1)
    let (isIn, mayLeave) = (Gate(), Gate())
    let first = Task {
      try await semaphore.withPermit { () async throws(KennelError) in
        isIn.open()
        await mayLeave.wait()
        return 1
      }
    }
    await isIn.wait()
    let second = Task { try await semaphore.withPermit { () async throws(KennelError) in 2 } }
    #expect(await eventually { semaphore.waitingCount == 1 })
    // The queue has room for one task.
    #expect(await code { try await semaphore.withPermit { () async throws(KennelError) in } } == .busy)
    mayLeave.open()
    #expect(try await first.value == 1)
    #expect(try await second.value == 2)
  }

  @Test func `a cancelled task leaves the queue`() async throws {
    let semaphore = AsyncSemaphore("tests", permits: 1, maximumWaitingCount: 1)
    let (isIn, mayLeave) = (Gate(), Gate())
    let first = Task {
      try await semaphore.withPermit { () async throws(KennelError) in
        isIn.open()
        await mayLeave.wait()
      }
    }
    await isIn.wait()
    for _ in 0..<200 {
      let waiting = Task { try await semaphore.withPermit { () async throws(KennelError) in } }
      waiting.cancel()
      #expect(await code { try await waiting.value } == .cancelled)
    }
    mayLeave.open()
    try await first.value
    #expect(try await semaphore.withPermit { () async throws(KennelError) in 3 } == 3)
  }
}
