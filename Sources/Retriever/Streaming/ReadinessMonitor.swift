#if !canImport(Darwin)

  import Foundation
  import Synchronization

  /// Waits for descriptors to become readable: one thread for the whole process, whatever their number.
  ///
  /// Not a dispatch source: on Linux, with Swift 6.3, pipes whose writer closed were seen to end without an event for the
  /// end of file, and the dispatch manager thread was seen to crash when many of them came and went.
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
    /// A pipe that is written to when the set of descriptors has changed, to end the poll that waits for the old one.
    private let alarm: (read: Int32, write: Int32)

    private init() {
      var ends: [Int32] = [-1, -1]
      // Without a descriptor left there is no alarm, and the poll wakes up now and then instead.
      _ = pipe(&ends)
      for end in ends where end >= 0 {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      alarm = (ends[0], ends[1])
    }

    /// Calls `onReady` once, on the monitor's thread, when a read would return at once, if only with an error.
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
        ring()
      }
      return registration
    }

    /// Forgets a wait. Its callback may be running just now, but will not begin any more.
    func cancel(_ registration: Registration) {
      let wait = registry.withLock { $0.waits.removeValue(forKey: registration) }
      if wait != nil { ring() }
    }

    private func ring() {
      // A full pipe will do as well: it rings already.
      var byte: UInt8 = 1
      _ = write(alarm.write, &byte, 1)
    }

    private func run() -> Never {
      while true {
        let waits = registry.withLock { Array($0.waits) }
        var requests = [pollfd(fd: alarm.read, events: Int16(POLLIN), revents: 0)]
        requests += waits.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
        guard poll(&requests, nfds_t(requests.count), alarm.read < 0 ? 100 : -1) > 0 else { continue }
        if requests[0].revents != 0 {
          var rings = [UInt8](repeating: 0, count: 256)
          _ = read(alarm.read, &rings, rings.count)
        }
        for (request, wait) in zip(requests.dropFirst(), waits) where request.revents != 0 {
          // Whoever cancelled meanwhile is not called: the descriptor may be another file by now.
          registry.withLock { $0.waits.removeValue(forKey: wait.key) }?.onReady()
        }
      }
    }
  }

#endif
