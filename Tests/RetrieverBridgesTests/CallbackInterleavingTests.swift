import Foundation
import RetrieverBridges
import Synchronization
import TestSupport
import Testing

/// Tests the bridge step by step in random orders that are derived from a seed, and with threads that race.
@Suite(.timeLimit(.minutes(5))) struct CallbackInterleavingTests {
  typealias Event = CallbackRules.Event

  /// The order of events: before the task runs, while the work is starting, and afterwards.
  struct Plan: Sendable {
    var cancellation: CallbackCancellation
    var isCancelledBefore: Bool
    var early: [Event]
    var late: [Event]

    init(seed: UInt64) {
      var random = SeededRandom(seed)
      cancellation = Bool.random(using: &random) ? .throwsAtOnce : .waitsForCallback
      isCancelledBefore = Int.random(in: 0..<10, using: &random) == 0
      var steps = [Event.firstCall, .secondCall, .cancel].filter { _ in
        Int.random(in: 0..<3, using: &random) > 0
      }
      .shuffled(using: &random)
      if isCancelledBefore { steps.removeAll { $0 == .cancel } }
      // A callback cannot be called after its last reference was released. At the end, all references are released.
      let last = steps.lastIndex { $0 != .cancel }.map { $0 + 1 } ?? 0
      steps.insert(.drop, at: Int.random(in: last...steps.count, using: &random))
      let split = Int.random(in: 0...steps.count, using: &random)
      early = Array(steps[..<split])
      late = Array(steps[split...])
    }

    /// The callback is kept alive while the function that starts the work runs.
    var events: [Event] {
      (isCancelledBefore ? [.cancel] : []) + [.register] + early.filter { $0 != .drop } + [.started]
        + early.filter { $0 == .drop } + late
    }
  }

  @Test func twentyThousandOrdersEndAsTheRulesSay() async {
    await runOnThread {
      for seed in 0..<20_000 as Range<UInt64> { self.play(Plan(seed: seed), seed) }
    }
  }

  private func play(_ plan: Plan, _ seed: UInt64) {
    let events = plan.events
    var expected = CallbackRules.expected(events, plan.cancellation)
    let executor = ManualExecutor()
    let (reports, cancels, starts) = (Reports(), Counter(), Counter())
    let callback = Box<CancellableContinuation<Int>>()
    let running = Box<Task<Void, Never>>()

    @Sendable func perform(_ steps: [Event]) {
      for step in steps {
        switch step {
        // A call passes its position in the order.
        case .firstCall, .secondCall: callback.current?.resume(returning: events.firstIndex(of: step) ?? -1)
        case .cancel: running.current?.cancel()
        case .drop: callback.put(nil)
        case .register, .started: break
        }
      }
    }

    let (task, ending) = executor.start {
      try await withCancellableContinuation(onCancel: plan.cancellation, reporter: reports.reporter) {
        callee in
        starts.increment()
        callback.put(callee)
        perform(plan.early)
        return { cancels.increment() }
      }
    }
    running.put(task)
    if plan.isCancelledBefore { task.cancel() }
    executor.run()
    perform(plan.late)
    executor.run()
    if plan.isCancelledBefore { expected.misuseCount = 0 }
    #expect(ending.current == expected.outcomes.first, "seed \(seed): \(plan)")
    #expect(starts.value == (expected.hasStarted ? 1 : 0), "seed \(seed): \(plan)")
    #expect(cancels.value == expected.cancelCount, "seed \(seed): \(plan)")
    #expect(reports.all.count == expected.misuseCount, "seed \(seed): \(plan)")
  }

  @Test func threadsThatRaceResumeOnce() async throws {
    let rounds = 600
    let results = Box<[Task<Int, any Error>]>([])
    let (reports, cancels) = (Reports(), Counter())
    await runOnThread {
      var tasks: [Task<Int, any Error>] = []
      for round in 0..<rounds {
        let started = DispatchSemaphore(value: 0)
        let callback = Box<CancellableContinuation<Int>>()
        let task = Task {
          try await withCancellableContinuation(reporter: reports.reporter) { continuation in
            callback.put(continuation)
            started.signal()
            return { cancels.increment() }
          }
        }
        started.wait()
        // Each thread releases its own reference. Releasing the last one drops the callback.
        let first = callback.take()
        let own = (0..<3).map { _ in Box(first) }
        let holder = Box(first)
        callback.put(nil)
        let calls = round % 3
        DispatchQueue.concurrentPerform(iterations: 4) { index in
          switch index {
          case 0, 1:
            let mine = own[index].take()
            if index < calls { mine?.resume(returning: index) }
          case 2: own[2].put(nil)
          default: if round % 2 == 0 { task.cancel() }
          }
          if index == 3 { holder.put(nil) }
        }
        tasks.append(task)
      }
      results.put(tasks)
    }
    let tasks = try #require(results.take())
    #expect(tasks.count == rounds)
    for (round, task) in tasks.enumerated() {
      switch Ending(await task.result) {
      case .value(let value): #expect(value < round % 3)
      case .cancelled: #expect(round % 2 == 0)
      case .bridge(let code): #expect(code == .neverCalled && round % 3 == 0)
      default: Issue.record("unexpected ending")
      }
    }
    #expect(cancels.value <= rounds / 2)
    #expect(reports.all.count <= rounds / 3)
  }
}
