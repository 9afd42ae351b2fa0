import Glibc
import Synchronization

/// The process's loops: one for each core, four at most, started when first needed and shared by all clients.
enum EventLoopGroup {
  private struct State {
    var loops: [EventLoop] = []
    var turn = 0
  }

  private static let wanted = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  private static let state = Mutex(State())

  /// The next loop in turn; nil when the system has no thread or descriptor for the first one.
  ///
  /// Loops that could not be started are tried again each time: a moment without descriptors passes.
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
