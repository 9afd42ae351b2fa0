import Foundation
import TestSupport
import Testing

@testable import RetrieverBridges

/// Tests the slot step by step in random orders, and with threads that race.
@Suite(.timeLimit(.minutes(5))) struct SlotInterleavingTests {
  private struct Waiting {
    var task: Task<Void, Never>
    var ending: Box<Ending>
    var expected: Ending?
    var isSuspended = false
    var isCancelled = false
  }

  @Test func tenThousandOrdersResumeEveryWaiterOnceWithWhatItWaitedFor() async {
    await runOnThread {
      for seed in 0..<10_000 as Range<UInt64> { self.play(seed) }
    }
  }

  /// Adds waiters, cancels them and sends to them. At the end, releases the slot.
  private func play(_ seed: UInt64) {
    let executor = ManualExecutor()
    var slot: ContinuationSlot<Int>? = ContinuationSlot()
    guard let core = slot?.core else { return }
    let receiver = SlotReceiver(core: core)
    var all: [Waiting] = []

    func settle(with ending: Ending) {
      for index in all.indices where all[index].isSuspended && all[index].expected == nil {
        all[index].expected = ending
      }
    }

    /// Runs new tasks until they wait.
    func run() {
      executor.run()
      for index in all.indices where !all[index].isSuspended {
        all[index].isSuspended = true
        if all[index].isCancelled { all[index].expected = .cancelled }
        if slot == nil, all[index].expected == nil { all[index].expected = .bridge(.delegateWentAway) }
      }
    }

    SeededRandom.draw(16, eventsOf: 9, seed: seed) { kind, random in
      let number = Int.random(in: 0..<100, using: &random)
      switch kind {
      case 0...2:
        let (task, ending) = executor.start { try await receiver.next() }
        all.append(Waiting(task: task, ending: ending))
      case 3, 4:
        run()
      case 5:
        guard let index = all.indices.randomElement(using: &random) else { return }
        all[index].task.cancel()
        all[index].isCancelled = true
        if all[index].isSuspended, all[index].expected == nil { all[index].expected = .cancelled }
      case 6:
        slot?.send(number)
        if slot != nil { settle(with: .value(number)) }
      case 7:
        slot?.send(throwing: Failure(number: number))
        if slot != nil { settle(with: .failure(number)) }
      default:
        guard number < 20 else { return }
        if slot != nil { settle(with: .bridge(.delegateWentAway)) }
        slot = nil
      }
    }
    run()
    settle(with: .bridge(.delegateWentAway))
    slot = nil
    executor.run()
    for (index, waiting) in all.enumerated() {
      #expect(waiting.ending.current == waiting.expected, "seed \(seed), waiter \(index)")
    }
    #expect(core.entryCount == 0, "seed \(seed)")
  }

  @Test func threadsThatSendCancelAndLetGoResumeEveryWaiter() async throws {
    let rounds = 1_000
    let tasks = Box<[Task<Int, any Error>]>([])
    await runOnThread {
      var started: [Task<Int, any Error>] = []
      for round in 0..<rounds {
        let slot = Box(ContinuationSlot<Int>())
        guard let receiver = slot.current?.receiver else { continue }
        let waiters = (0..<4).map { _ in Task { try await receiver.next() } }
        DispatchQueue.concurrentPerform(iterations: 4) { index in
          switch index {
          case 0: slot.current?.send(1)
          case 1: waiters[round % 4].cancel()
          case 2: slot.current?.send(throwing: Failure(number: 2))
          default: slot.put(nil)
          }
        }
        started += waiters
      }
      tasks.put(started)
    }
    for task in try #require(tasks.take()) {
      let ending = Ending(await task.result)
      #expect([.value(1), .failure(2), .cancelled, .bridge(.delegateWentAway)].contains(ending))
    }
  }

  @Test func threadsThatSendToASequenceLoseNothingUnseen() async throws {
    let slot = ContinuationSlot<Int>()
    let events = slot.events(buffering: .droppingNewest(limit: 64))
    let reader = Task { try await events.reduce(into: [Int]()) { $0.append($1) } }
    await runOnThread {
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for number in 0..<2_000 { slot.send(thread * 10_000 + number) }
      }
      slot.finish()
    }
    let seen = try await reader.value
    #expect(seen.count + events.droppedCount == 8_000)
    for thread in 0..<4 {
      let own = seen.filter { $0 / 10_000 == thread }
      #expect(own == own.sorted())
    }
  }
}
