import TestSupport
import Testing

@testable import RetrieverBridges

/// Subscriptions are numbers in these tests. The actions for each one are counted.
@Suite struct SubscriptionStateMachineTests {
  @Test func demandThatComesBeforeTheSubscriptionIsKeptForIt() {
    var machine = SubscriptionStateMachine<Int>()
    _ = machine.request(2)
    _ = machine.request(3)
    guard case .request(1, 5) = machine.receive(1) else {
      Issue.record("the demand was lost")
      return
    }
  }

  @Test func demandDoesNotOverflow() {
    var machine = SubscriptionStateMachine<Int>()
    _ = machine.request(.max)
    _ = machine.request(.max)
    guard case .request(1, .max) = machine.receive(1) else {
      Issue.record("the demand is not complete")
      return
    }
  }

  @Test func aSubscriptionThatComesAfterTheCancellationIsCancelled() {
    var machine = SubscriptionStateMachine<Int>()
    _ = machine.cancel()
    guard case .cancel(1) = machine.receive(1) else {
      Issue.record("the subscription was kept")
      return
    }
  }

  @Test func inAnyOrderEverySubscriptionIsCancelledAtMostOnceAndAskedForNothingAfterwards() {
    for seed in 0..<10_000 as Range<UInt64> {
      var machine = SubscriptionStateMachine<Int>()
      var (given, cancelled, isOver) = (0, Set<Int>(), false)
      func perform(_ action: SubscriptionStateMachine<Int>.Action) {
        switch action {
        case .none, .release: break
        case .request(let subscription, _):
          #expect(!isOver && subscription == 1 && !cancelled.contains(1), "seed \(seed)")
        case .cancel(let subscription):
          #expect(cancelled.insert(subscription).inserted, "seed \(seed)")
        }
      }
      SeededRandom.draw(10, eventsOf: 8, seed: seed) { kind, _ in
        switch kind {
        case 0...2:
          given += 1
          let isLate = isOver
          perform(machine.receive(given))
          if given > 1 || isLate { #expect(cancelled.contains(given), "seed \(seed)") }
        case 3...5:
          perform(machine.request(1))
        case 6:
          perform(machine.cancel())
          isOver = true
        default:
          perform(machine.complete())
          isOver = true
        }
        #expect(machine.isOpen == !isOver, "seed \(seed)")
      }
    }
  }
}
