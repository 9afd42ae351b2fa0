import Dispatch
import Synchronization

/// Runs blocking work on a few separate threads, never on those of Swift's concurrency pool.
///
/// The resource of a slot, such as a connection, is used by one thread at a time.
package final class BlockingWorkQueue<Context>: Sendable {
  /// A piece of work. It may be attempted more than once. The result of the last attempt is delivered to the caller.
  struct Job: Sendable {
    let attempt: @Sendable (Context) throws(KennelError) -> @Sendable () -> Void
    let fail: @Sendable (KennelError) -> Void
    /// When the work was submitted.
    let submitted = ContinuousClock.now
  }

  private struct State: Sendable {
    var queue: BlockingWorkQueueState
    var jobs: [BlockingWorkQueueState.ID: Job] = [:]
    var closers: [@Sendable () -> Void] = []
  }

  private let state: Mutex<State>
  private let name: String
  private let threads: DispatchQueue
  private let perform: @Sendable (_ slot: Int, _ jobs: [Job]) -> Void

  /// - Parameters:
  ///   - name: the plural name of the work, for the error message when too much work is waiting.
  ///   - perform: runs jobs and delivers the result or the error of each of them.
  init(
    _ name: String, slots: Int, batch: Int = 1, maximumWaitingCount: Int,
    perform: @escaping @Sendable (_ slot: Int, _ jobs: [Job]) -> Void
  ) {
    state = Mutex(
      State(
        queue: BlockingWorkQueueState(slots: slots, batch: batch, maximumWaitingCount: maximumWaitingCount)))
    self.name = name
    threads = DispatchQueue(label: "kennel.\(name)", attributes: .concurrent)
    self.perform = perform
  }

  /// Runs a piece of work as soon as a slot is free.
  ///
  /// Cancelling withdraws work that has not begun. Work that has begun runs to its end.
  package func run<Value: Sendable>(
    _ work: @escaping @Sendable (Context) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    let ticket = CancellationTicket()
    let outcome = Outcome(work)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        submit(ticket, outcome) { continuation.resume() }
      }
    } onCancel: {
      ticket.cancel()
    }
    return try outcome.take().get()
  }

  /// The callback form. `completion` is called once, on a thread of the work queue or on the caller's thread.
  package func submit<Value: Sendable>(
    _ ticket: CancellationTicket, _ work: @escaping @Sendable (Context) throws(KennelError) -> Value,
    completion: @escaping @Sendable (Result<Value, KennelError>) -> Void
  ) {
    let outcome = Outcome(work)
    submit(ticket, outcome) { completion(outcome.take()) }
  }

  private func submit<Value: Sendable>(
    _ ticket: CancellationTicket, _ outcome: Outcome<Context, Value>, ended: @escaping @Sendable () -> Void
  ) {
    let job = Job(
      attempt: { context throws(KennelError) in
        try outcome.attempt(context)
        return {
          outcome.dropWork()
          ended()
        }
      },
      fail: {
        outcome.fail($0)
        ended()
      })
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

  /// Refuses new work, and returns when all waiting work is done.
  package func close() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.queue.close()
        if !state.queue.isIdle { state.closers.append { continuation.resume() } }
        return state.queue.isIdle
      }
      if isIdle { continuation.resume() }
    }
  }

  private func withdraw(_ id: BlockingWorkQueueState.ID) {
    let job = state.withLock { state in state.queue.cancel(id) ? state.jobs.removeValue(forKey: id) : nil }
    job?.fail(.cancelled)
  }

  private func work(_ slot: Int, _ first: [BlockingWorkQueueState.ID]) {
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

  /// Performs jobs. The jobs, and everything they retain, are released before the work queue becomes idle.
  private func performJobs(_ slot: Int, _ ids: [BlockingWorkQueueState.ID]) {
    perform(slot, state.withLock { state in ids.compactMap { state.jobs.removeValue(forKey: $0) } })
  }
}

/// A piece of work, then its result.
///
/// Its end is announced when the work, with all that it holds, is released and only this object holds the result. So the
/// caller decides when locked files are unlocked: a thread of the work queue never holds them a moment longer.
private final class Outcome<Context, Value: Sendable>: Sendable {
  private struct State: Sendable {
    var work: (@Sendable (Context) throws(KennelError) -> Value)?
    var result: Result<Value, KennelError>?
  }

  private let state: Mutex<State>

  init(_ work: @escaping @Sendable (Context) throws(KennelError) -> Value) {
    state = Mutex(State(work: work))
  }

  func attempt(_ context: Context) throws(KennelError) {
    guard let work = state.withLock({ $0.work }) else { return }
    let value = try work(context)
    state.withLock { $0.result = .success(value) }
  }

  func dropWork() { _ = state.withLock { $0.work.take() } }

  func fail(_ error: KennelError) { state.withLock { $0 = State(result: .failure(error)) } }

  /// Returns the result. It must be called once, after the end.
  func take() -> Result<Value, KennelError> { state.withLock { $0.result.take() } ?? .failure(.closed) }
}

extension BlockingWorkQueue where Context == Void {
  /// Creates a work queue for work that needs only a thread.
  package convenience init(_ name: String, slots: Int, maximumWaitingCount: Int) {
    self.init(name, slots: slots, maximumWaitingCount: maximumWaitingCount) { _, jobs in
      for job in jobs {
        do throws(KennelError) { try job.attempt(())() } catch { job.fail(error) }
      }
    }
  }
}

/// A handle that cancels waiting work. It may be cancelled before the work is submitted.
package final class CancellationTicket: Sendable {
  private struct State: Sendable {
    var isCancelled = false
    var withdraw: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Withdraws the work if it has not begun. Otherwise, it does nothing.
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

extension BlockingWorkQueue where Context == Void {
  /// Runs long work that regularly checks whether it has been cancelled.
  package func runInterruptibly<Value: Sendable>(
    _ work:
      @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    let flag = RaisableFlag()
    let result: Result<Value, KennelError> = await withTaskCancellationHandler {
      do throws(KennelError) {
        return .success(try await run { () throws(KennelError) in try work { flag.isRaised } })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      flag.raise()
    }
    return try result.get()
  }
}

private final class RaisableFlag: Sendable {
  private let state = Atomic(false)
  var isRaised: Bool { state.load(ordering: .relaxed) }
  func raise() { state.store(true, ordering: .relaxed) }
}
