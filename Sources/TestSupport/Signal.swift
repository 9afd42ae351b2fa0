import Glibc

/// A wake-up that `poll` can wait for together with a socket. After it is raised, it stays raised.
final class Signal: Sendable {
  private let sender: Int32
  let descriptor: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw TestSupportError("Could not create a socket pair: \(String(cString: strerror(errno)))")
    }
    descriptor = ends[0]
    sender = ends[1]
  }

  deinit {
    close(descriptor)
    close(sender)
  }

  func raise() {
    var byte: UInt8 = 1
    _ = Glibc.send(sender, &byte, 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
  }

  func wait(_ limit: Duration) -> Bool {
    Polling.wait(for: [.readable(descriptor)], within: limit) == 0
  }
}

/// `poll(2)` for the cases that the servers need.
enum Polling {
  enum Interest {
    case readable(Int32)
    case writable(Int32)
  }

  /// Returns the index of the first ready descriptor (errors and hang-ups count); nil after `limit`.
  static func wait(for interests: [Interest], within limit: Duration?) -> Int? {
    var polled = interests.map { interest in
      switch interest {
      case .readable(let descriptor): pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      case .writable(let descriptor): pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      }
    }
    let deadline = limit.map { ContinuousClock.now + $0 }
    while true {
      var milliseconds: Int32 = -1
      if let deadline {
        let left = max(.zero, deadline - .now)
        let (seconds, attoseconds) = left.components
        let total = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        milliseconds = Int32(clamping: total + 1)
      }
      let count = poll(&polled, nfds_t(polled.count), milliseconds)
      if count > 0 { return polled.firstIndex { $0.revents != 0 } }
      if count == 0 { return nil }
      guard errno == EINTR else { return nil }
    }
  }
}
