import Synchronization
import TestSupport
import Testing

@testable import KennelCore

@Suite(.timeLimit(.minutes(3))) struct LaneTests {
  @Test func cancellingTakesOutWhatHasNotBegun() async throws {
    let lane = Lane<Void>("tests", slots: 1, waitingLimit: 10)
    let begun = Gate()
    let release = Gate()
    async let first = lane.run {
      begun.open()
      release.waitBlocking()
      return 1
    }
    await begun.wait()
    let second = Task { try await lane.run { 2 } }
    second.cancel()
    let result = await second.result
    #expect(throws: KennelError.self) { try result.get() }
    release.open()
    #expect(try await first == 1)
    #expect(try await lane.run { 3 } == 3)
  }

  @Test func cancellingBeforeItIsSubmittedCounts() async throws {
    let lane = Lane<Void>("tests", slots: 1, waitingLimit: 10)
    let begun = Gate()
    let release = Gate()
    async let first = lane.run {
      begun.open()
      release.waitBlocking()
      return 1
    }
    await begun.wait()
    let ticket = LaneTicket()
    ticket.cancel()
    let outcome = Mutex<KennelError.Code?>(nil)
    lane.submit(ticket, { 2 }) { result in
      if case .failure(let error) = result { outcome.withLock { $0 = error.code } }
    }
    #expect(outcome.withLock { $0 } == .cancelled)
    release.open()
    _ = try await first
  }

  @Test func closingDoesWhatWaitsAndRefusesTheRest() async throws {
    let lane = Lane<Void>("tests", slots: 2, waitingLimit: 100)
    let done = Atomic(0)
    let release = Gate()
    for _ in 0..<50 {
      lane.submit(LaneTicket(), { release.waitBlocking() }) { _ in done.add(1, ordering: .relaxed) }
    }
    release.open()
    await lane.close()
    #expect(done.load(ordering: .relaxed) == 50)
    #expect(await code { try await lane.run {} } == .closed)
  }

  @Test func tooMuchThatWaitsIsRefusedAsBusy() async throws {
    let lane = Lane<Void>("tests", slots: 1, waitingLimit: 1)
    let release = Gate()
    lane.submit(LaneTicket(), { release.waitBlocking() }) { _ in }
    lane.submit(LaneTicket(), {}) { _ in }
    #expect(await code { try await lane.run {} } == .busy)
    release.open()
    await lane.close()
  }
}
