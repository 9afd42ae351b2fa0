/// Decides over how many connections the loads of one server run, if each connection carries many of them. It has no side
/// effects: loads, ends and times go in, and a number of connections comes out.
///
/// Another connection costs a handshake. Afterwards the same responses arrive in more and smaller pieces, which costs more
/// processor time for each of them. If a burst of loads opened connections, the loads would take longer, and more of them
/// would wait. So loads wait for a stream as long as streams become free quickly. Only if the server takes long to
/// respond, more connections are worth their price: one more after each ``period``, or twice as many if no load has ended.
struct ConnectionGrowth: Sendable, Equatable {
  /// Another connection is worth its price if a load occupies its stream for longer than this.
  static let defaultPeriod = Duration.milliseconds(20)

  let period: Duration
  let maximumConnections: Int
  let streamsPerConnection: Int
  private(set) var connections = 1
  private var hasTimer = false
  /// When the current period began; nil if all loads have streams.
  private var start: Monotonic?
  /// The number of loads that have ended in the current period.
  private var endedCount = 0
  /// The number of periods in a row whose end was noticed too late.
  private var lateCount = 0

  init(maximumConnections: Int, streamsPerConnection: Int, period: Duration = defaultPeriod) {
    self.period = period
    self.streamsPerConnection = max(1, streamsPerConnection)
    // The limit must not overflow while it doubles.
    self.maximumConnections = max(1, min(maximumConnections, .max / 2 / self.streamsPerConnection))
  }

  /// The number of loads that can run at the same time.
  var limit: Int { connections * streamsPerConnection }

  /// A load waits because all streams are in use.
  ///
  /// - Returns: When to call ``timerFired(isWaiting:now:)``; nil if the timer is already set, or not needed.
  mutating func loadWaits(now: Monotonic) -> Monotonic? {
    guard start == nil, maximumConnections > 1 else { return nil }
    begin(at: now)
    guard !hasTimer else { return nil }
    hasTimer = true
    return now + period
  }

  /// A load has ended. ``limit`` may have changed afterwards.
  ///
  /// - Parameters:
  ///   - isWaiting: Whether another load waits.
  ///   - isLast: Whether no other load runs. The next ones begin with one connection again: the server may be quick by then.
  mutating func loadEnded(isWaiting: Bool, isLast: Bool) {
    if isWaiting {
      // Loads that wait take the place of the last one.
      endedCount += 1
    } else {
      start = nil
      if isLast { connections = 1 }
    }
  }

  /// The timer has fired. ``limit`` may have changed afterwards.
  ///
  /// - Parameter isWaiting: Whether a load waits.
  /// - Returns: When to call this function again; nil if the timer is not needed.
  mutating func timerFired(isWaiting: Bool, now: Monotonic) -> Monotonic? {
    guard let start, isWaiting else {
      self.start = nil
      hasTimer = false
      return nil
    }
    if now >= start + period { endPeriod(from: start, at: now) }
    return (self.start ?? now) + period
  }

  /// A load occupies its stream for the length of the period, divided by the number of loads that ended in it, times the
  /// number of streams. The number of connections changes if this is more than a period, or less than half of one.
  ///
  /// If the loop was too busy to notice the end in time, it may have been too busy for responses, too. Connections would
  /// not help then. But other loads may keep a loop busy for long, so this is accepted for some periods only.
  private mutating func endPeriod(from start: Monotonic, at now: Monotonic) {
    let isLate = now >= start + period + period / 4
    lateCount = isLate && lateCount < Self.maximumLateCount ? lateCount + 1 : 0
    if lateCount > 0 {
      // No decision.
    } else if endedCount < limit {
      connections = min(endedCount == 0 ? connections * 2 : connections + 1, maximumConnections)
    } else if endedCount / 2 >= limit {
      connections = max(connections / 2, 1)
    }
    begin(at: now)
  }

  private static let maximumLateCount = 10

  private mutating func begin(at now: Monotonic) {
    start = now
    endedCount = 0
  }
}
