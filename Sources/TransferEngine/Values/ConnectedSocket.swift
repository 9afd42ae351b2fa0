import Glibc
import Synchronization

/// A connected socket on its way from libcurl to its new owner. It is closed unless someone takes it.
package final class ConnectedSocket: Sendable {
  private let descriptor: Mutex<Int32>

  /// Duplicates a socket, because libcurl closes its own. Nil if the system has no descriptor left.
  init?(duplicating socket: Int32) {
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return nil }
    descriptor = Mutex(copy)
  }

  deinit {
    let rest = take()
    if rest >= 0 { close(rest) }
  }

  /// Returns the descriptor, which the caller has to close; -1 if it was taken before.
  func take() -> Int32 {
    descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
  }
}
