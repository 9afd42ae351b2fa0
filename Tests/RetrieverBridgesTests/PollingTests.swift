import TestSupport
import Testing

@testable import RetrieverBridges

/// Tests the pauses, and polling with a clock that the test controls.
@Suite(.timeLimit(.minutes(5))) struct PollingTests {
  private func pauses(_ schedule: PollingSchedule, _ count: Int) -> [Duration] {
    var machine = PollingStateMachine(schedule: schedule)
    var (pauses, elapsed) = ([Duration](), Duration.zero)
    while pauses.count < count, case .pause(let pause) = machine.missed(after: elapsed) {
      pauses.append(pause)
      elapsed += pause
    }
    return pauses
  }

  @Test func thePausesGrowUpToTheLongest() {
    let schedule = PollingSchedule(firstPause: .seconds(1), factor: 3, longestPause: .seconds(10))
    #expect(pauses(schedule, 5) == [.seconds(1), .seconds(3), .seconds(9), .seconds(10), .seconds(10)])
    #expect(pauses(.every(.seconds(2)), 3) == [.seconds(2), .seconds(2), .seconds(2)])
  }

  @Test func attemptsAndTimeAreLimited() {
    #expect(pauses(.every(.seconds(1), maximumAttempts: 3), 10).count == 2)
    #expect(
      pauses(.every(.seconds(2), timeLimit: .seconds(5)), 10) == [.seconds(2), .seconds(2), .seconds(1)])
  }

  @Test(arguments: [Double.infinity, .nan, -1, 0, 1e300])
  func noFactorOverflowsOrShortensThePauses(factor: Double) {
    let schedule = PollingSchedule(firstPause: .seconds(1), factor: factor, longestPause: .seconds(1 << 60))
    let pauses = pauses(schedule, 50)
    #expect(pauses.count == 50)
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(self.pauses(PollingSchedule(firstPause: .zero, factor: factor), 3) == [.zero, .zero, .zero])
    #expect(self.pauses(PollingSchedule(firstPause: .seconds(-5), factor: factor), 1) == [.zero])
  }

  @Test func theValueIsReturnedOnceItIsThere() async throws {
    let (clock, attempts) = (ManualClock(), Counter())
    let schedule = PollingSchedule(firstPause: .seconds(1), factor: 2, longestPause: .seconds(60))
    let task = Task {
      try await poll(schedule, clock: clock) {
        attempts.increment()
        return attempts.value == 3 ? "there" : nil
      }
    }
    await clock.waitForSleepers()
    #expect(attempts.value == 1)
    clock.advance(by: .seconds(1))
    await clock.waitForSleepers()
    #expect(attempts.value == 2)
    clock.advance(by: .seconds(2))
    #expect(try await task.value == "there")
  }

  @Test func cancellingEndsThePause() async {
    let (clock, attempts) = (ManualClock(), Counter())
    let task = Task {
      try await poll(clock: clock) { () -> Int? in
        attempts.increment()
        return nil
      }
    }
    await clock.waitForSleepers()
    task.cancel()
    #expect(Ending(await task.result) == .cancelled)
    #expect(attempts.value == 1)
  }

  @Test func givingUpSaysWhereAndAfterHowManyAttempts() async throws {
    do {
      _ = try await poll(.every(.zero, maximumAttempts: 4), fileID: "here", line: 7) { () -> Int? in nil }
      Issue.record("no error was thrown")
    } catch let error as BridgeError {
      #expect(error.code == .pollingGaveUp && error.count == 4)
      #expect(error.description.contains("here:7"))
    }
  }

  @Test func whatAnAttemptThrowsEndsThePolling() async {
    await #expect(throws: Failure(number: 6)) {
      try await poll { () -> Int? in throw Failure(number: 6) }
    }
  }
}
