#if !canImport(Darwin)

import Foundation
import Synchronization

/// Waits for descriptors to become readable, with one thread for the entire process, regardless of their number.
///
/// This is not a dispatch source. On Linux with Swift 6.3, dispatch sources sometimes missed the end of a pipe whose
/// writer had closed. The dispatch manager thread also crashed when many pipes were opened and closed.
final class ReadinessMonitor: Sendable {
  static let shared = ReadinessMonitor()

  struct Registration: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Wait: Sendable {
    let descriptor: Int32
    let onReady: @Sendable () -> Void
  }

  private struct Registry: Sendable {
    var waits: [Registration: Wait] = [:]
    var nextNumber: UInt64 = 0
    var hasThread = false
  }

  private let registry = Mutex(Registry())
  /// A pipe that ends the current poll when the set of descriptors has changed.
  private let wakePipe: (read: Int32, write: Int32)

  private init() {
    var ends: [Int32] = [-1, -1]
    // If no descriptor is available, there is no pipe, and the poll wakes up periodically instead.
    _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wakePipe = (ends[0], ends[1])
  }

  /// Calls `onReady` once, on the monitor's thread, when a read would return immediately, even if with an error.
  func wait(for descriptor: Int32, onReady: @escaping @Sendable () -> Void) -> Registration {
    let (registration, needsThread) = registry.withLock { registry in
      let registration = Registration(number: registry.nextNumber)
      registry.nextNumber += 1
      registry.waits[registration] = Wait(descriptor: descriptor, onReady: onReady)
      defer { registry.hasThread = true }
      return (registration, !registry.hasThread)
    }
    if needsThread {
      Thread.detachNewThread { self.run() }
    } else {
      wake()
    }
    return registration
  }

  /// Cancels a wait. Its callback may still be running, but will not start afterwards.
  func cancel(_ registration: Registration) {
    let wait = registry.withLock { $0.waits.removeValue(forKey: registration) }
    if wait != nil { wake() }
  }

  private func wake() {
    // A write to a full pipe may fail, because a full pipe wakes the poll anyway.
    var byte: UInt8 = 1
    _ = write(wakePipe.write, &byte, 1)
  }

  private func run() -> Never {
    while true {
      let waits = registry.withLock { Array($0.waits) }
      var requests = [pollfd(fd: wakePipe.read, events: Int16(POLLIN), revents: 0)]
      requests += waits.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
      guard poll(&requests, nfds_t(requests.count), wakePipe.read < 0 ? 100 : -1) > 0 else { continue }
      if requests[0].revents != 0 {
        var wakeBytes = [UInt8](repeating: 0, count: 256)
        _ = read(wakePipe.read, &wakeBytes, wakeBytes.count)
      }
      for (request, wait) in zip(requests.dropFirst(), waits) where request.revents != 0 {
        // A wait that was cancelled in the meantime is not called: its descriptor may now be another file.
        registry.withLock { $0.waits.removeValue(forKey: wait.key) }?.onReady()
      }
    }
  }
}

#endif
