import Synchronization
import Waiting

/// What other threads give to a loop: commands, and jobs of Swift tasks.
///
/// A producer wakes the loop only if the inbox was empty and the loop is asleep or about to sleep. A busy loop
/// therefore never costs a system call.
final class Inbox: Sendable {
  enum Command: Sendable {
    case start(Transfer)
    case cancel(Transfer)
    case hold(Transfer)
    case resumeReceiving(Transfer)
    case resumeSending(Transfer)
    case named(ClientCore, Destination, Int, Result<NameService.Known, TransferFailure>)
    case trusted(ClientCore, Result<TrustStore, TransferFailure>)
    /// A server's gate may have opened.
    case proceed(ClientCore, Destination)
    case answered(ClientCore, Destination, Transfer?, TrustQuestion.Subject, TrustAnswer)
    case close(ClientCore)
  }

  /// A part of a Swift task, which runs on a thread of the loop.
  struct Job: Sendable {
    let job: UnownedJob
    let executor: UnownedTaskExecutor
  }

  private struct State: Sendable {
    var commands: [Command] = []
    var jobs = FIFO<Job>()
    var crew: LoopCrew
    var isAsleep = false
    /// Whether a thread that started a transfer holds the loop's lock. It performs new commands before it releases the
    /// lock.
    var hasStarter = false
  }

  private let state: Mutex<State>

  init(maximumThreads: Int = 2) {
    state = Mutex(State(crew: LoopCrew(maximumThreads: maximumThreads)))
  }

  /// Adds a command. Returns true if the caller must wake the loop.
  func put(_ command: Command) -> Bool {
    state.withLock { state in
      let wakes = state.isAsleep && state.commands.isEmpty && !state.hasStarter
      state.commands.append(command)
      return wakes
    }
  }

  /// Takes all commands by swapping the two arrays, so that neither is allocated again.
  func drain(into commands: inout [Command]) {
    state.withLock { state in
      state.isAsleep = false
      swap(&state.commands, &commands)
    }
  }

  /// Records that a thread has locked a loop that may be asleep.
  func starterBegins() { state.withLock { $0.hasStarter = true } }

  /// Records that the starting thread is about to release the lock. Returns false if it must process more commands
  /// first.
  func starterEnds() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.hasStarter = false
      return true
    }
  }

  /// Records that the starting thread releases the lock although commands may remain. It wakes the loop for them.
  func starterLeaves() { state.withLock { $0.hasStarter = false } }

  /// Takes all commands for a starting thread, without waking the loop.
  func drain() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Records that the loop is about to sleep. Returns false if it must not, because commands or jobs are waiting.
  func fallAsleep() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty, state.jobs.isEmpty || !state.crew.canBeRelieved else { return false }
      state.isAsleep = true
      return true
    }
  }
}

// Jobs.
extension Inbox {
  /// Adds a job. Returns true if the caller must wake the loop.
  func put(_ job: Job) -> Bool {
    state.withLock { state in
      // If the driver may not run jobs, a worker will.
      let wakes = state.isAsleep && state.jobs.isEmpty && state.crew.canBeRelieved
      state.jobs.append(job)
      return wakes
    }
  }

  /// Returns the number of jobs that the driver may run now; nil if there is nothing to run.
  func beginJobs() -> (stint: LoopCrew.Stint, count: Int)? {
    state.withLock { state in
      guard !state.jobs.isEmpty, let stint = state.crew.beginJobs() else { return nil }
      return (stint, state.jobs.count)
    }
  }

  /// The driver's next job; nil if there is none, or if the thread is no longer the driver.
  func nextJob(in stint: LoopCrew.Stint) -> Job? {
    state.withLock { state in state.crew.isDriver(in: stint) ? state.jobs.popFirst() : nil }
  }

  /// The driver returns to the loop. Returns false if another thread drives now.
  func endJobs(_ stint: LoopCrew.Stint) -> Bool { state.withLock { $0.crew.endJobs(stint) } }

  /// Whether the driver is running jobs.
  var isInJobs: Bool { state.withLock { $0.crew.isInJobs } }

  /// The next job of a worker. If there is none, the thread is a spare afterwards.
  func nextJobOfWorker() -> Job? {
    state.withLock { state in
      if let job = state.jobs.popFirst() { return job }
      state.crew.becomeSpare()
      return nil
    }
  }

  /// A time slice has passed. Returns what follows, and whether there was nothing to watch.
  func endSlice() -> (relief: LoopCrew.Relief, isIdle: Bool) {
    state.withLock { state in
      guard let stint = state.crew.endSlice() else {
        return (.none, !state.crew.isInJobs && state.jobs.isEmpty)
      }
      return (state.crew.relieve(stint), false)
    }
  }

  func startFailed() { state.withLock { $0.crew.startFailed() } }

  /// A new thread has started. Returns whether it drives the loop now.
  func arrive(for stint: LoopCrew.Stint) -> Bool { state.withLock { $0.crew.arrive(for: stint) } }
}
