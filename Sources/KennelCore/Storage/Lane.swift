import Dispatch
import Synchronization

/// Runs blocking work on a few threads of its own, never on those of Swift's tasks.
///
/// What a slot of the lane works on (a connection) is used by one thread at a time.
final class Lane<Context>: Sendable {
  /// A piece of work. It may be attempted more than once; what it returned last is handed to who waits for it.
  struct Job: Sendable {
    let attempt: @Sendable (Context) throws(KennelError) -> @Sendable () -> Void
    let fail: @Sendable (KennelError) -> Void
  }

  private struct State: Sendable {
    var queue: LaneQueue
    var jobs: [LaneQueue.ID: Job] = [:]
    var closers: [@Sendable () -> Void] = []
  }

  private let state: Mutex<State>
  private let name: String
  private let threads: DispatchQueue
  private let perform: @Sendable (_ slot: Int, _ jobs: [Job]) -> Void

  /// - Parameters:
  ///   - name: what waits in it, for the sentence that says there is too much of it.
  ///   - perform: does jobs, and has each of them hand out its answer or fail.
  init(
    _ name: String, slots: Int, batch: Int = 1, waitingLimit: Int,
    perform: @escaping @Sendable (_ slot: Int, _ jobs: [Job]) -> Void
  ) {
    state = Mutex(State(queue: LaneQueue(slots: slots, batch: batch, waitingLimit: waitingLimit)))
    self.name = name
    threads = DispatchQueue(label: "kennel.\(name)", attributes: .concurrent)
    self.perform = perform
  }

  /// Does a piece of work as soon as there is a slot for it.
  ///
  /// Cancelling takes work out that has not begun; work that has begun goes on to its end.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (Context) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    let ticket = LaneTicket()
    let result: Result<Value, KennelError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        submit(ticket, work) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      ticket.cancel()
    }
    return try result.get()
  }

  /// The callback face: `completion` is called once, on a thread of the lane or on the caller's.
  func submit<Value: Sendable>(
    _ ticket: LaneTicket, _ work: @escaping @Sendable (Context) throws(KennelError) -> Value,
    completion: @escaping @Sendable (Result<Value, KennelError>) -> Void
  ) {
    let job = Job(
      attempt: { context throws(KennelError) in
        let value = try work(context)
        return { completion(.success(value)) }
      }, fail: { completion(.failure($0)) })
    let (id, admission) = state.withLock { state in
      let id = state.queue.makeID()
      let admission = state.queue.submit(id)
      switch admission {
      case .start, .wait: state.jobs[id] = job
      case .closed, .full: break
      }
      return (id, admission)
    }
    switch admission {
    case .start(let slot, let jobs): threads.async { self.work(slot, jobs) }
    case .wait: ticket.register { self.withdraw(id) }
    case .closed: job.fail(.closed)
    case .full:
      job.fail(KennelError(.busy, "Too many \(name) are waiting. Try again in a moment."))
    }
  }

  /// Takes no more work, and returns when all that waits is done.
  func close() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.queue.close()
        if !state.queue.isIdle { state.closers.append { continuation.resume() } }
        return state.queue.isIdle
      }
      if isIdle { continuation.resume() }
    }
  }

  private func withdraw(_ id: LaneQueue.ID) {
    let job = state.withLock { state in state.queue.cancel(id) ? state.jobs.removeValue(forKey: id) : nil }
    job?.fail(.cancelled)
  }

  private func work(_ slot: Int, _ first: [LaneQueue.ID]) {
    var next = first
    while !next.isEmpty {
      performJobs(slot, next)
      let (jobs, closers) = state.withLock { state in
        let jobs = state.queue.finished(slot: slot)
        guard state.queue.isClosed, state.queue.isIdle else { return (jobs, [@Sendable () -> Void]()) }
        defer { state.closers = [] }
        return (jobs, state.closers)
      }
      next = jobs
      for closer in closers { closer() }
    }
  }

  /// Lets go of the jobs, and of all they hold, before the lane can be said to be at rest.
  private func performJobs(_ slot: Int, _ ids: [LaneQueue.ID]) {
    perform(slot, state.withLock { state in ids.compactMap { state.jobs.removeValue(forKey: $0) } })
  }
}

extension Lane where Context == Void {
  /// A lane for work that needs nothing but a thread.
  convenience init(_ name: String, slots: Int, waitingLimit: Int) {
    self.init(name, slots: slots, waitingLimit: waitingLimit) { _, jobs in
      for job in jobs {
        do throws(KennelError) { try job.attempt(())() } catch { job.fail(error) }
      }
    }
  }
}

/// What waiting work is cancelled with; cancelling before it has been submitted counts as well.
package final class LaneTicket: Sendable {
  private struct State: Sendable {
    var isCancelled = false
    var withdraw: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  init() {}

  /// Takes the work out if it has not begun; else does nothing.
  package func cancel() {
    let withdraw = state.withLock { state in
      state.isCancelled = true
      return state.withdraw.take()
    }
    withdraw?()
  }

  func register(_ withdraw: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.withdraw = withdraw }
      return state.isCancelled
    }
    if isCancelled { withdraw() }
  }
}
