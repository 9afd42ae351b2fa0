import Testing

@testable import TransferEngine

@Suite struct MonotonicTests {
  private func moment(_ nanoseconds: Int64) -> Monotonic { Monotonic(nanoseconds: nanoseconds) }

  @Test func theClockNeverGoesBack() {
    var last = Monotonic.now()
    for _ in 0..<1000 {
      let now = Monotonic.now()
      #expect(now >= last)
      last = now
    }
  }

  @Test(arguments: [
    (Int64(0), Int64(0), Int32(0)), (0, 1, 1), (0, 999_999, 1), (0, 1_000_000, 1), (0, 1_000_001, 2),
    (5, 3, 0),
    (0, .max, .max), (-10, .max, .max), (0, 3_000_000_000_000_000, .max),
  ])
  func aSleeperNeverWakesTooEarly(now: Int64, due: Int64, milliseconds: Int32) {
    #expect(moment(due).milliseconds(after: moment(now)) == milliseconds)
  }

  @Test func `durations that are too long are clamped`() {
    #expect(moment(1) + .seconds(Int64.max) == moment(.max))
    #expect(moment(.max) + .nanoseconds(1) == moment(.max))
    #expect(moment(5) + .nanoseconds(-3) == moment(2))
  }

  @Test func `nanoseconds are clamped to 64 bits`() {
    #expect(Duration.seconds(1).clampedNanoseconds == 1_000_000_000)
    #expect(Duration.milliseconds(-1500).clampedNanoseconds == -1_500_000_000)
    #expect(Duration.seconds(Int64.max).clampedNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).clampedNanoseconds == .min)
    #expect(Duration(secondsComponent: 0, attosecondsComponent: 999_999_999).clampedNanoseconds == 0)
    #expect(
      Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 900_000_000_000_000_000)
        .clampedNanoseconds == .max)
  }
}
