/// Whether a client's servers answer so fast that looking for the answer costs less than going to sleep and being
/// woken for it: a server on this machine, or next to it. Pure: times in, one decision out.
///
/// Being woken costs about as long as a server on this machine takes to answer, twice: once for the loop and once for
/// the thread that goes on with the answer. A starter that looks for a moment saves both. Where answers take longer
/// than that, the pace says no, and after one vain look it wants several quick answers before it tries again.
struct AnswerPace {
  /// How long a starter looks.
  static let longestLook = Duration.microseconds(50)
  /// An answer within this time, with the wake-ups in it, would have been seen by looking.
  private static let quickAnswer = Duration.microseconds(120).wholeNanoseconds
  private static let mostTrust = 16
  private static let enoughTrust = 4

  private var trust = 0

  var isQuick: Bool { trust >= Self.enoughTrust }

  mutating func answered(afterNanoseconds elapsed: Int64) {
    trust = elapsed <= Self.quickAnswer ? min(trust + 1, Self.mostTrust) : 0
  }

  mutating func lookedInVain() { trust = -Self.mostTrust }
}
