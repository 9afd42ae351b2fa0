/// Which connections of a pool are in use. A pure value; `Waiter` is what is stored for a waiting task.
struct PoolState: Sendable {
  /// What a task may do.
  enum Grant: Sendable, Hashable {
    /// Use an idle connection.
    case use(UInt64)
    /// Make a new connection.
    case connect
  }

  private let maximumCount: Int
  /// Idle connections, the one that was used last at the end, so that others become old.
  private var idle: [(connection: UInt64, since: ContinuousClock.Instant)] = []
  /// The number of connections that exist or are being made.
  private(set) var count = 0
  private(set) var isClosed = false

  init(maximumCount: Int) { self.maximumCount = max(maximumCount, 1) }

  var idleCount: Int { idle.count }

  /// Returns what a new task may do; nil if it must wait.
  mutating func take() -> Grant? {
    if let last = idle.popLast() { return .use(last.connection) }
    guard count < maximumCount else { return nil }
    count += 1
    return .connect
  }

  /// A task gives back a connection that works. Returns the grant for the task that has waited longest, if one waits.
  mutating func giveBack(_ connection: UInt64, now: ContinuousClock.Instant, isAwaited: Bool) -> Grant? {
    if isAwaited { return .use(connection) }
    idle.append((connection, now))
    return nil
  }

  /// A connection of a task is gone, or could not be made. Returns the grant for a waiting task, if one waits.
  mutating func discard(isAwaited: Bool) -> Grant? {
    if isAwaited, !isClosed { return .connect }
    count -= 1
    return nil
  }

  /// A connection is gone. Returns true if it was idle; otherwise, its task discards it.
  mutating func lost(_ connection: UInt64) -> Bool {
    guard let index = idle.firstIndex(where: { $0.connection == connection }) else { return false }
    idle.remove(at: index)
    count -= 1
    return true
  }

  /// Removes and returns the connections that have been idle since before a moment.
  mutating func removeIdle(since moment: ContinuousClock.Instant) -> [UInt64] {
    let old = idle.prefix { $0.since < moment }.map(\.connection)
    idle.removeFirst(old.count)
    count -= old.count
    return old
  }

  /// Refuses new tasks. Returns the idle connections, which the caller closes.
  mutating func close() -> [UInt64] {
    isClosed = true
    let connections = idle.map(\.connection)
    count -= connections.count
    idle = []
    return connections
  }
}
