import CLinux
import Glibc

/// A counter of the kernel (eventfd) that wakes a thread, which waits for it alone or among sockets.
struct EventCounter: Sendable {
  /// The descriptor; negative if the system had none left.
  let descriptor: Int32

  enum Kind {
    /// One look takes all signals, and does not wait for one.
    case polled
    /// One look takes all signals, and waits for the first.
    case waiting
    /// Each look takes one signal, and waits for it.
    case semaphore
  }

  init(_ kind: Kind) {
    let flags =
      switch kind {
      case .polled: EFD_NONBLOCK
      case .waiting: 0
      case .semaphore: EFD_SEMAPHORE
      }
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(flags))
  }

  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  /// Takes signals. Returns false if there were none, or if a signal of the system interrupted the wait.
  @discardableResult func take() -> Bool {
    var count: UInt64 = 0
    return read(descriptor, &count, 8) == 8
  }
}
