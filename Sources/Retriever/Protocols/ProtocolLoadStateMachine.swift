#if !canImport(Darwin)
/// The order of one load by a `URLProtocol`: when the object is started and stopped, and which of its reports are
/// delivered. Reports arrive from any thread, and are delivered one at a time.
struct ProtocolLoadStateMachine<Report> {
  enum Action: Equatable {
    case none
    /// Create the object and start it.
    case start
    /// Take reports with `next()` and deliver them, until it returns nil.
    case deliver
    /// Stop the object.
    case stop
  }

  private enum Phase {
    case idle
    case held
    case started
    case ended
  }

  private var phase = Phase.idle
  private var reports: [Report] = []
  private var isDelivering = false
  private(set) var isPaused = false
  private var isHeld = false
  /// Whether the receiver asked for more after the last report was taken. A pause that comes later is outdated.
  private var wasResumed = false
  /// Whether a report that ends the load was accepted. Later reports are ignored.
  private var isComplete = false

  var hasEnded: Bool { phase == .ended }

  /// Whether time without a report counts as idle: not while the task is suspended or wants no more.
  var countsIdleTime: Bool { !isPaused && !isHeld }

  /// The load belongs to a suspended task. If it has not started, it starts with `resume()`.
  mutating func hold() {
    isHeld = true
    if phase == .idle { phase = .held }
  }

  mutating func start() -> Action {
    guard phase == .idle else { return .none }
    phase = .started
    return .start
  }

  /// Adds a report of the object.
  mutating func report(_ report: Report, isLast: Bool) -> Action {
    guard phase == .started, !isComplete else { return .none }
    isComplete = isLast
    reports.append(report)
    return isPaused ? .none : beginDelivery()
  }

  /// Starts a held load, or continues to deliver.
  mutating func resume() -> Action {
    wasResumed = true
    isPaused = false
    isHeld = false
    if phase == .held {
      phase = .started
      return .start
    }
    return beginDelivery()
  }

  /// The receiver of the last report wants no more, until `resume()`.
  mutating func pause() {
    if !wasResumed { isPaused = true }
  }

  private mutating func beginDelivery() -> Action {
    guard phase == .started, !isDelivering else { return .none }
    isDelivering = true
    return .deliver
  }

  /// Returns the next report to deliver. If it is nil, the delivery is over for now.
  mutating func next() -> Report? {
    guard phase == .started, !isPaused, !reports.isEmpty else {
      isDelivering = false
      return nil
    }
    wasResumed = false
    return reports.removeFirst()
  }

  /// Ends the load: the last report was delivered, the task was cancelled, or it needs no more.
  mutating func end() -> Action {
    guard phase != .ended else { return .none }
    phase = .ended
    reports = []
    return .stop
  }
}
#endif
