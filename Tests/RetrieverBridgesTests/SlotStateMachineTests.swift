import TestSupport
import Testing

@testable import RetrieverBridges

/// Compares the slot's state machine with a table of waiters, in random orders.
@Suite struct SlotStateMachineTests {
  private enum Life { case announced, marked, waiting, done }

  @Test(arguments: [SlotWaiters.one, .many])
  func everyoneIsResumedExactlyOnceInAnyOrder(admission: SlotWaiters) {
    for seed in 0..<10_000 as Range<UInt64> {
      var machine = SlotStateMachine<Int>(admission: admission)
      var tokens: [SlotStateMachine<Int>.Token] = []
      var lives: [Int: Life] = [:]
      var resumed: [Int: Int] = [:]
      var isFinished = false

      /// The waiters in the order in which they were registered.
      var registered: [Int] = []

      func waiting() -> [Int] { registered.filter { lives[$0] == .waiting } }

      SeededRandom.draw(24, eventsOf: 9, seed: seed) { kind, random in
        switch kind {
        case 0...2:
          lives[tokens.count] = .announced
          tokens.append(machine.announce())
        case 3, 4:
          let ready = lives.filter { $0.value == .announced || $0.value == .marked }.keys.sorted()
          guard let identifier = ready.randomElement(using: &random) else { return }
          let action = machine.register(identifier, as: tokens[identifier])
          if lives[identifier] == .marked {
            #expect(action == .resumeCancelled, "seed \(seed)")
          } else if isFinished {
            #expect(action == .resumeFinished, "seed \(seed)")
          } else if admission == .one, !waiting().isEmpty {
            #expect(action == .resumeAlreadyWaiting, "seed \(seed)")
          } else {
            #expect(action == .wait, "seed \(seed)")
          }
          lives[identifier] = action == .wait ? .waiting : .done
          if action == .wait { registered.append(identifier) } else { resumed[identifier, default: 0] += 1 }
        case 5, 6:
          guard let identifier = lives.keys.sorted().randomElement(using: &random) else { return }
          let waiter = machine.cancel(tokens[identifier])
          #expect((waiter == identifier) == (lives[identifier] == .waiting), "seed \(seed)")
          if waiter != nil {
            lives[identifier] = .done
            resumed[identifier, default: 0] += 1
          } else if lives[identifier] == .announced {
            lives[identifier] = .marked
          }
        default:
          let isLast = kind == 8 && Int.random(in: 0..<4, using: &random) == 0
          let expected = waiting()
          let got = isLast ? machine.finish(throwing: Failure()) : machine.send()
          #expect(got == (isLast && isFinished ? [] : expected), "seed \(seed)")
          for identifier in got {
            lives[identifier] = .done
            resumed[identifier, default: 0] += 1
          }
          if isLast { isFinished = true }
        }
      }
      #expect(machine.waiterCount == waiting().count, "seed \(seed)")
      #expect(machine.entryCount == lives.values.count { $0 == .announced || $0 == .waiting }, "seed \(seed)")
      #expect(resumed.allSatisfy { $0.value == 1 && lives[$0.key] == .done }, "seed \(seed)")
    }
  }
}
