import Testing

@testable import TransferEngine

@Suite struct ResponsePaceTests {
  private static let polled: Int64 = 60_000
  private static let asleep: Int64 = 100_000
  private static let slow: Int64 = 3_000_000

  /// A pace that polls, after responses that took their time without polling.
  private static func quickPace() -> ResponsePace {
    var pace = ResponsePace()
    for _ in 0..<16 { pace.recordResponse(afterNanoseconds: asleep) }
    return pace
  }

  /// The number of quick responses until polling begins.
  private static func responsesUntilQuick(_ pace: ResponsePace) -> Int {
    var pace = pace
    for count in 0..<10_000 {
      if pace.isQuick { return count }
      pace.recordResponse(afterNanoseconds: asleep)
    }
    return 10_000
  }

  @Test func `polling begins after some quick responses`() {
    #expect(Self.responsesUntilQuick(ResponsePace()) == 16)
    #expect(Self.quickPace().isQuick)
  }

  @Test func `a slow response before polling starts the count again`() {
    var pace = ResponsePace()
    for _ in 0..<15 { pace.recordResponse(afterNanoseconds: Self.asleep) }
    pace.recordResponse(afterNanoseconds: Self.slow)
    #expect(Self.responsesUntilQuick(pace) == 16)
  }

  @Test func `after a failed poll or a late response, more quick responses are needed`() {
    var failed = Self.quickPace()
    failed.pollFailed()
    #expect(Self.responsesUntilQuick(failed) == 32)
    var late = Self.quickPace()
    late.recordResponse(afterNanoseconds: Self.slow)
    #expect(Self.responsesUntilQuick(late) == 32)
  }

  @Test func `a slow response does not bring polling closer after a failed poll`() {
    var pace = Self.quickPace()
    pace.pollFailed()
    pace.recordResponse(afterNanoseconds: Self.slow)
    #expect(Self.responsesUntilQuick(pace) == 32)
  }

  @Test func `polling goes on only while responses take a fifth less time`() {
    var pace = Self.quickPace()
    for _ in 0..<4_000 { pace.recordResponse(afterNanoseconds: Self.polled) }
    #expect(pace.isQuick)
    var useless = Self.quickPace()
    for _ in 0..<15 { useless.recordResponse(afterNanoseconds: Self.asleep - 10_000) }
    #expect(useless.isQuick)
    useless.recordResponse(afterNanoseconds: Self.asleep - 10_000)
    #expect(!useless.isQuick)
  }

  @Test func `the time without polling is measured again after many responses`() {
    var pace = Self.quickPace()
    for _ in 0..<4_096 { pace.recordResponse(afterNanoseconds: Self.polled) }
    #expect(Self.responsesUntilQuick(pace) == 16)
  }

  @Test func `attempts that fail become rare, and frequent again after success`() {
    var pace = ResponsePace()
    var attempts = 0
    for _ in 0..<20_000 {
      pace.recordResponse(afterNanoseconds: Self.asleep)
      guard pace.isQuick else { continue }
      attempts += 1
      pace.pollFailed()
    }
    #expect((8...12).contains(attempts))
    let pause = Self.responsesUntilQuick(pace)
    for _ in 0..<pause { pace.recordResponse(afterNanoseconds: Self.asleep) }
    for _ in 0..<4_096 { pace.recordResponse(afterNanoseconds: Self.polled) }
    for _ in 0..<16 { pace.recordResponse(afterNanoseconds: Self.asleep) }
    pace.pollFailed()
    #expect(Self.responsesUntilQuick(pace) == 32)
  }
}
