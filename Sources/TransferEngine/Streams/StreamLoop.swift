import CLinux
import Glibc
import LoopThread
import Synchronization

/// The thread that waits for the sockets of all stream tasks. It starts when the first one needs it.
///
/// `@unchecked Sendable`: only the loop's thread uses the `var`s; the rest is immutable.
final class StreamLoop: @unchecked Sendable {
  private static let started = Mutex<StreamLoop?>(nil)

  /// Returns the loop, and starts it if necessary. Nil if the system has no thread or descriptor left; the next call
  /// tries again.
  static func shared() -> StreamLoop? {
    started.withLock { loop in
      if let loop { return loop }
      guard let new = StreamLoop() else { return nil }
      guard LoopThread.start("retriever-streams", { new.run() }) == 0 else { return nil }
      loop = new
      return new
    }
  }

  private let epoll: Int32
  private let wake: EventCounter
  private let inbox = Mutex<[StreamConnection]>([])

  private var connections: [Int32: StreamConnection] = [:]
  private var deadlines = DeadlineHeap<StreamConnection>()
  private var again: [StreamConnection] = []
  private var ready = [epoll_event](repeating: epoll_event(), count: 64)
  let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: StreamConnection.maximumPiece, alignment: 16)

  private init?() {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wake = EventCounter(.polled)
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.fd = wake.descriptor
    guard epoll >= 0, wake.descriptor >= 0,
      epoll_ctl(epoll, EPOLL_CTL_ADD, wake.descriptor, &event) == 0
    else {
      if epoll >= 0 { close(epoll) }
      if wake.descriptor >= 0 { close(wake.descriptor) }
      return nil
    }
  }

  deinit {
    close(epoll)
    close(wake.descriptor)
    buffer.deallocate()
  }

  /// Makes the loop's thread look for work of a connection. May be called by any thread.
  func post(_ connection: StreamConnection) {
    let isFirst = inbox.withLock { inbox in
      inbox.append(connection)
      return inbox.count == 1
    }
    guard isFirst else { return }
    wake.signal()
  }

  private func run() -> Never {
    while true {
      let posted = inbox.withLock { inbox in
        defer { inbox = [] }
        return inbox
      }
      for connection in posted {
        connection.wasTaken()
        step(connection)
      }
      let now = Monotonic.now()
      while let connection = deadlines.popEarliest(due: now) {
        connection.expire(now)
        step(connection)
      }
      wait()
    }
  }

  private func step(_ connection: StreamConnection) {
    if connection.step(on: self) { again.append(connection) }
    deadlines.set(connection, due: connection.deadline)
  }

  private func wait() {
    let repeated = again
    again = []
    var timeout: Int32 = -1
    if let due = deadlines.earliest { timeout = due.milliseconds(after: .now()) }
    if !repeated.isEmpty { timeout = 0 }
    let count = Int(epoll_wait(epoll, &ready, Int32(ready.count), timeout))
    for index in 0..<max(count, 0) {
      let event = ready[index]
      if event.data.fd == wake.descriptor {
        wake.take()
      } else if let connection = connections[event.data.fd] {
        connection.isReady(event.events)
        step(connection)
      }
    }
    for connection in repeated { step(connection) }
  }

  // MARK: Sockets

  /// Adds a socket. Returns false if the system has no memory for it.
  func add(_ socket: Int32, of connection: StreamConnection) -> Bool {
    var event = epoll_event()
    event.data.fd = socket
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0 else { return false }
    connections[socket] = connection
    return true
  }

  /// Sets what the loop waits for, until it happens once.
  func watch(_ socket: Int32, for events: UInt32) {
    var event = epoll_event()
    event.events = events | EPOLLONESHOT.rawValue
    event.data.fd = socket
    epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event)
  }

  func remove(_ socket: Int32) {
    var event = epoll_event()
    epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event)
    connections[socket] = nil
  }
}
