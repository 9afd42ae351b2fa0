import Foundation
import Synchronization

/// The events of a run. The client and the servers write to it, and the report reads it.
final class RunLog: Sendable {
  struct Counts: Sendable {
    var started = 0
    var ended = 0
    var responses = 0
    var failures = 0
    var cancelled = 0
    var violations = 0
  }

  private struct State {
    var counts = Counts()
    var violations: [String] = []
    var kinds: [String: Int] = [:]
    var underWay: [Int: (start: ContinuousClock.Instant, text: String)] = [:]
    /// By load: four bits for each hop count how often its request was received. The highest bit marks a refused load.
    var received: [UInt32] = []
    var proxied = 0
  }

  private static let shownViolations = 40
  private static let refusedBit: UInt32 = 1 << 31

  private let state = Mutex(State())

  var counts: Counts { state.withLock { $0.counts } }
  var proxiedCount: Int { state.withLock { $0.proxied } }
  /// The first violations, and the number of violations of each kind.
  var violations: (first: [String], kinds: [String: Int]) {
    state.withLock { ($0.violations, $0.kinds) }
  }

  /// Records a violation. `kind` groups similar violations.
  func violation(_ kind: String, _ message: String) {
    let isShown = state.withLock { state in
      state.counts.violations += 1
      state.kinds[kind, default: 0] += 1
      // A few violations of each kind are enough.
      guard state.violations.count < Self.shownViolations, state.kinds[kind, default: 0] <= 5 else {
        return false
      }
      state.violations.append("\(kind): \(message)")
      return true
    }
    if isShown { Report.line("violation: \(kind): \(message)") }
  }

  func started(_ plan: LoadPlan) {
    state.withLock { state in
      state.counts.started += 1
      state.underWay[plan.number] = (.now, "\(plan)")
    }
  }

  func ended(_ plan: LoadPlan, _ outcome: Outcome) {
    state.withLock { state in
      state.underWay[plan.number] = nil
      state.counts.ended += 1
      switch outcome {
      case .response: state.counts.responses += 1
      case .failure(-999, _): state.counts.cancelled += 1
      case .failure, .other: state.counts.failures += 1
      }
    }
  }

  /// Returns the loads that have not ended within `limit`. Each is returned only once.
  func takeOverdue(after limit: Duration) -> [String] {
    state.withLock { state in
      let overdue = state.underWay.filter { ContinuousClock.now - $0.value.start > limit }
      for number in overdue.keys { state.underWay[number] = nil }
      return overdue.values.map(\.text)
    }
  }

  func recordProxyUse() {
    state.withLock { $0.proxied += 1 }
  }

  /// Counts a request that a server received and did not refuse.
  ///
  /// - Returns: The number of times this request has been received.
  func received(_ number: Int, hop: Int) -> Int {
    state.withLock { state in
      let count = min(15, Self.bits(&state, number) >> (UInt32(hop) * 4) & 15 + 1)
      state.received[number] &= ~(15 << (UInt32(hop) * 4))
      state.received[number] |= count << (UInt32(hop) * 4)
      return Int(count)
    }
  }

  /// Returns whether the server refuses the load for the first time.
  func refuse(_ number: Int) -> Bool {
    state.withLock { state in
      let isFirst = Self.bits(&state, number) & Self.refusedBit == 0
      state.received[number] |= Self.refusedBit
      return isFirst
    }
  }

  private static func bits(_ state: inout State, _ number: Int) -> UInt32 {
    if number >= state.received.count {
      state.received += Array(repeating: 0, count: number + 65_536 - state.received.count)
    }
    return state.received[number]
  }
}

/// The result of a load.
enum Outcome: Sendable {
  case response(status: Int, body: Data, fields: [String: String])
  case failure(Int, String)
  /// An error that is not a URLError.
  case other(String)
}

/// The program's output.
enum Report {
  /// `print` is not used, because a pipe would buffer its output.
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }
}
