import TestSupport
import Testing

@testable import RetrieverBridges

/// Tests the state machine alone, in every order of events, against an independent statement of the rules.
@Suite struct CallbackStateMachineTests {
  typealias Event = CallbackRules.Event
  typealias Record = CallbackRules.Record

  /// Takes the role of the driver. Waiters and cancel functions are numbers.
  private func run(_ events: [Event], _ cancellation: CallbackCancellation) -> Record {
    var machine = CallbackStateMachine<Int, Int>(cancellation: cancellation)
    var record = Record()
    for (index, event) in events.enumerated() {
      switch event {
      case .register:
        switch machine.register(1) {
        case .start: record.hasStarted = true
        case .resumeCancelled: record.outcomes.append(.cancelled)
        }
      case .started:
        if case .cancel(let function) = machine.started(7) {
          #expect(function == 7)
          record.cancelCount += 1
        }
      case .firstCall, .secondCall:
        switch machine.called() {
        case .resume(let waiter, releasing: _):
          #expect(waiter == 1)
          record.outcomes.append(.value(index))
        case .ignore: break
        case .reportMisuse: record.misuseCount += 1
        }
      case .drop:
        if case .resumeNeverCalled = machine.dropped() { record.outcomes.append(.bridge(.neverCalled)) }
      case .cancel:
        let action = machine.cancel()
        if action.cancel != nil { record.cancelCount += 1 }
        if action.waiter != nil { record.outcomes.append(.cancelled) }
      }
    }
    return record
  }

  /// Returns whether an order is possible. Only a cancellation can precede the registration. Nothing follows if the
  /// work was never started. A callback that can still be called has not been dropped.
  private func isPossible(_ events: [Event]) -> Bool {
    guard let registered = events.firstIndex(of: .register) else {
      return events.allSatisfy { $0 == .cancel }
    }
    let early = events[..<registered]
    guard early.allSatisfy({ $0 == .cancel }) else { return false }
    if !early.isEmpty { return events[(registered + 1)...].allSatisfy { $0 == .cancel } }
    guard let dropped = events.firstIndex(of: .drop) else { return true }
    return !events[dropped...].contains { $0 == .firstCall || $0 == .secondCall }
  }

  private func orders(of events: [Event]) -> [[Event]] {
    var all: [[Event]] = [[]]
    var longest: [[Event]] = [[]]
    for _ in events {
      longest = longest.flatMap { order in events.filter { !order.contains($0) }.map { order + [$0] } }
      all += longest
    }
    return all
  }

  @Test(arguments: [CallbackCancellation.throwsAtOnce, .waitsForCallback])
  func everyOrderOfEventsResumesOnceAndCancelsAtMostOnce(cancellation: CallbackCancellation) {
    let orders = orders(of: Event.allCases).filter(isPossible)
    // 65 orders without a drop, 107 with a drop, and three without work.
    #expect(orders.count == 175)
    for order in orders {
      #expect(run(order, cancellation) == CallbackRules.expected(order, cancellation), "\(order)")
    }
  }

  @Test(arguments: [CallbackCancellation.throwsAtOnce, .waitsForCallback])
  func anyRepetitionOfEventsResumesAtMostOnce(cancellation: CallbackCancellation) {
    for seed in 0..<20_000 as Range<UInt64> {
      var events: [Event] = [.register]
      SeededRandom.draw(12, eventsOf: 5, seed: seed) { kind, _ in
        events.append([.started, .firstCall, .secondCall, .cancel, .drop][kind])
      }
      let record = run(events, cancellation)
      #expect(record.outcomes.count <= 1 && record.cancelCount <= 1, "seed \(seed)")
    }
  }

  @Test func aCancelFunctionThatComesTooLateIsLetGoOf() {
    var machine = CallbackStateMachine<Int, Int>()
    _ = machine.register(1)
    _ = machine.called()
    guard case .release(7) = machine.started(7) else {
      Issue.record("the cancel function was kept")
      return
    }
  }

  @Test func theCancelFunctionIsHandedBackWithTheCall() {
    var machine = CallbackStateMachine<Int, Int>()
    _ = machine.register(1)
    _ = machine.started(7)
    guard case .resume(1, releasing: 7) = machine.called() else {
      Issue.record("the cancel function was released under the lock")
      return
    }
  }
}
