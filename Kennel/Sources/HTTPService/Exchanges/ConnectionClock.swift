/// The time limits of a connection. A pure value: the caller passes the current time.
struct ConnectionClock: Sendable {
  typealias Instant = ContinuousClock.Instant

  enum Phase: Sendable, Equatable {
    /// The complete head must arrive before the deadline. Single bytes do not extend it.
    case head
    /// There is no current request.
    case idle
    /// A body is arriving. Each interval must bring a minimum number of bytes.
    case receiving
    /// A response is being sent. The client must acknowledge pending bytes within two intervals.
    case sending
    /// The server is working, and the client has nothing to do.
    case working
  }

  struct Limits: Sendable {
    var maximumHeadTime: Duration
    var maximumIdleTime: Duration
    var receivingTime: Duration
    var sendingTime: Duration
    /// The minimum rate in bytes per second.
    var minimumReceivingRate: Int
  }

  /// The progress of sending on a socket.
  struct Progress: Sendable, Equatable {
    var acknowledged: UInt64
    var isPending: Bool
  }

  private(set) var phase = Phase.head
  private(set) var deadline: Instant?
  private let limits: Limits
  private var receivedCount: Int64 = 0
  /// The number of acknowledged bytes when pending bytes were last seen.
  private var stuckAt: UInt64?

  init(limits: Limits, now: Instant) {
    self.limits = limits
    deadline = now + limits.maximumHeadTime
  }

  mutating func begin(_ phase: Phase, now: Instant) {
    self.phase = phase
    receivedCount = 0
    stuckAt = nil
    deadline =
      switch phase {
      case .head: now + limits.maximumHeadTime
      case .idle: now + limits.maximumIdleTime
      case .receiving: now + limits.receivingTime
      case .sending: now + limits.sendingTime
      case .working: nil
      }
  }

  mutating func received(_ count: Int) { receivedCount += Int64(count) }

  /// Handles a passed deadline. Returns true if the connection must be closed, and false if it has a new deadline.
  mutating func expire(now: Instant, progress: Progress?) -> Bool {
    switch phase {
    case .working:
      deadline = nil
      return false
    case .head, .idle: return true
    case .receiving:
      let minimum = Double(limits.minimumReceivingRate) * (limits.receivingTime / .seconds(1))
      guard receivedCount > 0, Double(receivedCount) >= minimum else { return true }
      begin(.receiving, now: now)
      return false
    case .sending:
      // A Unix socket has no known progress; its other end is on this machine.
      let stuck = progress.flatMap { $0.isPending ? $0.acknowledged : nil }
      if let stuck, stuck == stuckAt { return true }
      stuckAt = stuck
      deadline = now + limits.sendingTime
      return false
    }
  }
}
