@testable import RetrieverBridges

/// The expected results of events in a given order: the rules of the callback bridge, independent of its state
/// machine.
enum CallbackRules {
  enum Event: CaseIterable, Equatable { case register, started, firstCall, secondCall, cancel, drop }

  /// The actions that the state machine returned.
  struct Record: Equatable {
    var outcomes: [Ending] = []
    var cancelCount = 0
    var misuseCount = 0
    var hasStarted = false
  }

  /// Returns the expected actions.
  static func expected(_ events: [Event], _ cancellation: CallbackCancellation) -> Record {
    var record = Record()
    guard let registered = events.firstIndex(of: .register) else { return record }
    let cancelled = events.firstIndex(of: .cancel)
    if let cancelled, cancelled < registered {
      record.outcomes = [.cancelled]
      return record
    }
    record.hasStarted = true
    let call = events.firstIndex { $0 == .firstCall || $0 == .secondCall }
    let end = [call, events.firstIndex(of: .drop)].compactMap { $0 }.min()
    if let cancelled, cancellation == .throwsAtOnce, cancelled < end ?? .max {
      record.outcomes = [.cancelled]
    } else if let end {
      record.outcomes = [end == call ? .value(end) : .bridge(.neverCalled)]
    }
    if let cancelled, let started = events.firstIndex(of: .started), max(cancelled, started) < end ?? .max {
      record.cancelCount = 1
    }
    record.misuseCount = max(0, events.count { $0 == .firstCall || $0 == .secondCall } - 1)
    return record
  }
}
