import Glibc
import LoopThread
import Synchronization

/// The thread that ends the time slices of all loops. It sleeps while no loop runs jobs.
final class SliceWatch: Sendable {
  static let shared = SliceWatch()

  /// The driver of a loop is relieved after one to two slices in jobs.
  private static let sliceMicroseconds: UInt32 = 2000
  /// The number of slices without any job after which the thread sleeps.
  private static let patience = 50

  private struct State {
    var loops: [EventLoop] = []
    var hasThread = false
    var isAsleep = false
  }

  private let state = Mutex(State())
  /// Whether the thread is awake, or about to be.
  private let isAwake = Atomic<Bool>(false)
  private let wake = EventCounter(.waiting)

  /// Watches a loop that has begun to run jobs.
  func watch(_ loop: EventLoop) {
    if loop.isWatched, isAwake.load(ordering: .relaxed) { return }
    begin(loop)
  }

  private func begin(_ loop: EventLoop) {
    state.withLock { state in
      if !loop.isWatched {
        loop.isWatched = true
        state.loops.append(loop)
      }
      isAwake.store(true, ordering: .relaxed)
      if !state.hasThread {
        state.hasThread = LoopThread.start("retriever-slice") { self.run() } == 0
        if !state.hasThread { isAwake.store(false, ordering: .relaxed) }
      } else if state.isAsleep {
        state.isAsleep = false
        wake.signal()
      }
    }
  }

  private func run() -> Never {
    var idle = 0
    while true {
      usleep(Self.sliceMicroseconds)
      let loops = state.withLock { $0.loops }
      let areIdle = loops.map { $0.endSlice() }.allSatisfy { $0 }
      idle = areIdle ? idle + 1 : 0
      if idle >= Self.patience, fallsAsleep() {
        idle = 0
        while !wake.take() {}
      }
    }
  }

  /// Without a descriptor, nothing could wake the thread.
  private func fallsAsleep() -> Bool {
    guard wake.descriptor >= 0 else { return false }
    return state.withLock { state in
      isAwake.store(false, ordering: .relaxed)
      // A driver that begins jobs after this look sees that the thread is asleep: the look uses the same lock.
      guard !state.loops.contains(where: { $0.inbox.isInJobs }) else {
        isAwake.store(true, ordering: .relaxed)
        return false
      }
      state.isAsleep = true
      return true
    }
  }
}
