import Foundation
import RetrieverBridges
import Synchronization
import TestSupport
import Testing

/// The bridge itself, driven step by step in orders that a seed draws, and by threads that really race.
@Suite(.timeLimit(.minutes(1))) struct CallbackInterleavingTests {
  typealias Event = CallbackRules.Event

  /// In which order things happen: before the task runs, while the work is being started, and afterwards.
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
      // What everybody has let go of cannot be called; and in the end everybody has let go.
      let last = steps.lastIndex { $0 != .cancel }.map { $0 + 1 } ?? 0
      steps.insert(.drop, at: Int.random(in: last...steps.count, using: &random))
      let split = Int.random(in: 0...steps.count, using: &random)
      early = Array(steps[..<split])
      late = Array(steps[split...])
    }

    /// While the function that starts the work runs, the callback is kept for it.
    var events: [Event] {
      (isCancelledBefore ? [.cancel] : []) + [.register] + early.filter { $0 != .drop } + [.started]
        + early.filter { $0 == .drop } + late
    }
  }

  @Test func twentyThousandOrdersEndAsTheRulesSay() async {
    await offThePool {
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
        // A call brings the place it has in the order.
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
    await offThePool {
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
        // Everyone has a reference of its own, and lets go of it: the last one drops the callback.
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
      default: Issue.record("another ending")
      }
    }
    #expect(cancels.value <= rounds / 2)
    #expect(reports.all.count <= rounds / 3)
  }
}
