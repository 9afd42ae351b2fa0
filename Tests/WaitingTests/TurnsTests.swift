import Synchronization
import TestSupport
import Testing
import Waiting

@Suite struct TurnsTests {
  @Test func `elements are taken in their order, and the turn ends with the last one`() {
    var turns = Turns<Int>()
    let isFirst = turns.add([1, 2])
    let isSecond = turns.add([3])
    #expect(isFirst && !isSecond)
    var taken: [Int] = []
    while let element = turns.next() { taken.append(element) }
    #expect(taken == [1, 2, 3])
    let isThird = turns.add([4])
    #expect(isThird)
  }

  @Test func `adding nothing takes no turn`() {
    var turns = Turns<Int>()
    let isNothing = turns.add([])
    let isFirst = turns.add([1])
    #expect(!isNothing && isFirst)
  }

  /// What threads decide, and what they do about it.
  private final class Worker: Sendable {
    private struct State {
      var turns = Turns<Int>()
      var decided = 0
    }

    private let state = Mutex(State())
    private let done = Mutex<[Int]>([])
    private let running = Atomic<Int>(0)
    private let most = Atomic<Int>(0)

    var all: [Int] { done.withLock { $0 } }
    var mostAtTheSameTime: Int { most.load(ordering: .relaxed) }

    func decide() {
      let isOurTurn = state.withLock { state in
        state.decided += 1
        return state.turns.add([state.decided])
      }
      guard isOurTurn else { return }
      while let number = state.withLock({ $0.turns.next() }) {
        most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        done.withLock { $0.append(number) }
        running.subtract(1, ordering: .relaxed)
      }
    }
  }

  @Test func `threads do in order what they decide in order, one at a time`() async {
    let worker = Worker()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          await runOnThread { for _ in 0..<2000 { worker.decide() } }
        }
      }
    }
    #expect(worker.mostAtTheSameTime == 1)
    #expect(worker.all == Array(1...8000))
  }
}
