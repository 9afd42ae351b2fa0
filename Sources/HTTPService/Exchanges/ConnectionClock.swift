/// How long a connection may take for what it is doing; no time is looked up in here.
struct ConnectionClock: Sendable {
  typealias Instant = ContinuousClock.Instant

  enum Phase: Sendable, Equatable {
    /// A head has to be here, whole, by the deadline; single bytes do not prolong it.
    case head
    /// No request is under way.
    case idle
    /// A body comes in: in every span a least amount has to come.
    case receiving
    /// A response goes out: bytes that wait must not wait for two whole spans.
    case sending
    /// The server works; the client owes nothing.
    case working
  }

  struct Limits: Sendable {
    var head: Duration
    var idle: Duration
    var receiving: Duration
    var sending: Duration
    /// In bytes a second.
    var slowestReceiving: Int
  }

  /// What the system knows of a socket's sending.
  struct Progress: Sendable, Equatable {
    var acknowledged: UInt64
    var isPending: Bool
  }

  private(set) var phase = Phase.head
  private(set) var deadline: Instant?
  private let limits: Limits
  private var receivedCount: Int64 = 0
  /// What was confirmed when bytes were last seen waiting.
  private var stuckAt: UInt64?

  init(limits: Limits, now: Instant) {
    self.limits = limits
    deadline = now + limits.head
  }

  mutating func begin(_ phase: Phase, now: Instant) {
    self.phase = phase
    receivedCount = 0
    stuckAt = nil
    deadline =
      switch phase {
      case .head: now + limits.head
      case .idle: now + limits.idle
      case .receiving: now + limits.receiving
      case .sending: now + limits.sending
      case .working: nil
      }
  }

  mutating func received(_ count: Int) { receivedCount += Int64(count) }

  /// The deadline is over: true when the connection is to be cut, false when it has a new deadline.
  mutating func expire(now: Instant, progress: Progress?) -> Bool {
    switch phase {
    case .working:
      deadline = nil
      return false
    case .head, .idle: return true
    case .receiving:
      let least = Double(limits.slowestReceiving) * (limits.receiving / .seconds(1))
      guard receivedCount > 0, Double(receivedCount) >= least else { return true }
      begin(.receiving, now: now)
      return false
    case .sending:
      // Nothing is known of a Unix socket's sending: its other end is on this machine.
      let stuck = progress.flatMap { $0.isPending ? $0.acknowledged : nil }
      if let stuck, stuck == stuckAt { return true }
      stuckAt = stuck
      deadline = now + limits.sending
      return false
    }
  }
}
