import Testing

@testable import TransferEngine

@Suite struct ResponsePaceTests {
  private static let quick: Int64 = 60_000
  private static let slow: Int64 = 3_000_000

  /// A pace after several quick responses.
  private static func quickPace() -> ResponsePace {
    var pace = ResponsePace()
    for _ in 0..<4 { pace.recordResponse(afterNanoseconds: quick) }
    return pace
  }

  /// The number of quick responses until polling begins.
  private static func responsesUntilQuick(_ pace: ResponsePace) -> Int {
    var pace = pace
    for count in 0..<100 {
      if pace.isQuick { return count }
      pace.recordResponse(afterNanoseconds: quick)
    }
    return 100
  }

  @Test func `polling begins after a few quick responses`() {
    #expect(Self.responsesUntilQuick(ResponsePace()) == 4)
    #expect(Self.quickPace().isQuick)
  }

  @Test func `a slow response before polling starts the count again`() {
    var pace = ResponsePace()
    for _ in 0..<3 { pace.recordResponse(afterNanoseconds: Self.quick) }
    pace.recordResponse(afterNanoseconds: Self.slow)
    #expect(Self.responsesUntilQuick(pace) == 4)
  }

  @Test func `after a failed poll or a late response, many quick responses are needed`() {
    var failed = Self.quickPace()
    failed.pollFailed()
    #expect(Self.responsesUntilQuick(failed) == 20)
    var late = Self.quickPace()
    late.recordResponse(afterNanoseconds: Self.slow)
    #expect(Self.responsesUntilQuick(late) == 20)
  }

  @Test func `a slow response does not bring polling closer after a failed poll`() {
    var pace = Self.quickPace()
    pace.pollFailed()
    pace.recordResponse(afterNanoseconds: Self.slow)
    #expect(Self.responsesUntilQuick(pace) == 20)
  }
}
