import TestSupport
import Testing
import Waiting

@testable import RetrieverBridges

/// Compares the bounded buffer with an array.
@Suite struct BufferStateMachineTests {
  private typealias Machine = BufferStateMachine<Int, Int>

  private func machine(_ buffering: EventBuffering) -> Machine {
    Machine(buffering: buffering, overflowError: Failure(number: 99))
  }

  private func drain(_ machine: inout Machine) -> (elements: [Int], error: Failure?) {
    var elements: [Int] = []
    while true {
      switch machine.next() {
      case .deliver(let element): elements.append(element)
      case .fail(let error): return (elements, error as? Failure)
      case .end, .wait, .contended: return (elements, nil)
      }
    }
  }

  @Test(arguments: [
    (EventBuffering.droppingOldest(limit: 3), [3, 4, 5]), (.droppingNewest(limit: 3), [1, 2, 3]),
    (.droppingOldest(limit: 0), [5]),
  ])
  func aFullBufferDropsWhatItsPolicySays(buffering: EventBuffering, kept: [Int]) {
    var machine = machine(buffering)
    for number in 1...5 { _ = machine.append(number) }
    #expect(machine.droppedCount == 5 - kept.count)
    #expect(drain(&machine).elements == kept)
  }

  @Test func aFullBufferThatMayLoseNothingFailsAfterWhatItHolds() {
    var machine = machine(.failing(limit: 2))
    for number in 1...5 { _ = machine.append(number) }
    let (elements, error) = drain(&machine)
    #expect(elements == [1, 2])
    #expect(error == Failure(number: 99))
    guard case .end = machine.next() else {
      Issue.record("the error was delivered twice")
      return
    }
  }

  @Test func aSecondReaderIsRefused() {
    var machine = machine(.droppingOldest(limit: 1))
    guard case .wait = machine.suspend(1), case .contended = machine.suspend(2),
      case .resume(1, with: 5) = machine.append(5)
    else {
      Issue.record("a second reader was allowed")
      return
    }
  }

  @Test func aCancellationBeforeTheReaderWaitsLeavesAMark() {
    var machine = machine(.droppingOldest(limit: 4))
    _ = machine.append(1)
    let action = machine.cancel()
    #expect(action.waiter == nil && action.discarded.count == 1)
    guard case .fail(let error) = machine.suspend(1), error is CancellationError, case .end = machine.next()
    else {
      Issue.record("the cancellation was missed")
      return
    }
  }

  @Test(arguments: [EventBuffering.droppingOldest(limit: 3), .droppingNewest(limit: 3), .failing(limit: 3)])
  func anyOrderOfEventsAgreesWithAnArray(buffering: EventBuffering) {
    for seed in 0..<3_000 as Range<UInt64> {
      var machine = machine(buffering)
      var model: [Int] = []
      var (isWaiting, isOpen, isOver, number) = (false, true, false, 0)
      SeededRandom.draw(30, eventsOf: 12, seed: seed) { kind, _ in
        switch kind {
        case 0...5:
          number += 1
          let action = machine.append(number)
          if !isOpen { return }
          if isWaiting {
            guard case .resume(1, with: number) = action else {
              Issue.record("seed \(seed): a waiting reader was passed over")
              return
            }
            isWaiting = false
          } else if model.count < 3 {
            model.append(number)
          } else {
            switch buffering {
            case .droppingOldest: model = model.dropFirst() + [number]
            case .droppingNewest: break
            case .failing: isOpen = false
            }
          }
        case 6...10:
          switch machine.suspend(1) {
          case .deliver(let element): #expect(model.removeFirst() == element, "seed \(seed)")
          case .wait:
            #expect(isOpen && model.isEmpty && !isWaiting, "seed \(seed)")
            isWaiting = true
          case .contended: #expect(isWaiting, "seed \(seed)")
          case .end, .fail:
            #expect(!isOpen && model.isEmpty, "seed \(seed)")
            isOver = true
          }
        default:
          guard Int(seed) % 2 == 0 else { return }
          if case .resume = machine.finish(throwing: nil) {
            #expect(isWaiting, "seed \(seed)")
            isWaiting = false
            isOver = true
          }
          isOpen = false
        }
      }
      #expect(machine.bufferedCount == model.count, "seed \(seed)")
      if isOver { #expect(model.isEmpty, "seed \(seed)") }
    }
  }
}
