import Glibc
import Synchronization

/// The process's loops: one for each core, four at most, started when first needed and shared by all clients.
enum EventLoopGroup {
  private static let loops: [EventLoop] = {
    let wanted = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    return (0..<wanted).compactMap { index in
      guard let loop = EventLoop(index: index), loop.startThread() else { return nil }
      return loop
    }
  }()

  private static let turn = Atomic<Int>(0)

  /// The next loop in turn; nil when the system refused every thread.
  static func next() -> EventLoop? {
    guard !loops.isEmpty else { return nil }
    let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return loops[abs(number % loops.count)]
  }
}
