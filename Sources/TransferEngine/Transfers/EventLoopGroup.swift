import Glibc
import Synchronization

/// The event loops of the process: one for each core, at most four. All clients share them; each starts when first
/// needed.
enum EventLoopGroup {
  private struct State {
    var loops: [EventLoop] = []
    var turn = 0
  }

  static let maximumLoops = 4
  private static let wanted = max(1, min(maximumLoops, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  private static let state = Mutex(State())

  /// Returns the next loop in turn; nil if the system has no thread or descriptor for the first one.
  ///
  /// Loops that could not be started are tried again on each call, because a lack of descriptors may be temporary.
  static func next() -> EventLoop? {
    state.withLock { state in
      while state.loops.count < wanted {
        guard let loop = EventLoop(index: state.loops.count), loop.startThread() else { break }
        state.loops.append(loop)
      }
      guard !state.loops.isEmpty else { return nil }
      state.turn = (state.turn + 1) % state.loops.count
      return state.loops[state.turn]
    }
  }
}

/// Jobs of Swift tasks that run on the threads of the loops.
package enum LoopJobs {
  /// Runs a job: on the loop of this thread if it has one, otherwise on the next loop in turn.
  ///
  /// - Returns: Whether the job will run. Without a thread or descriptor for a loop, it does not.
  package static func enqueue(_ job: UnownedJob, on executor: UnownedTaskExecutor) -> Bool {
    let job = Inbox.Job(job: job, executor: executor)
    if let loop = EventLoop.current {
      loop._withUnsafeGuaranteedRef { $0.enqueue(job) }
      return true
    }
    guard let loop = EventLoopGroup.next() else { return false }
    loop.enqueue(job)
    return true
  }
}
