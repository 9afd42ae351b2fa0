import CLinux
import Dispatch
import Glibc
import LoopThread
import Synchronization

/// The thread that waits for the sockets of all connections to PostgreSQL. It starts when the first one needs it.
///
/// `@unchecked Sendable`: only the loop's thread uses the `var`s; the rest is immutable or has a lock.
final class PostgresLoop: @unchecked Sendable {
  enum Command: Sendable {
    case attach(UInt64, PostgresHandle, LinkEvents, connectDeadline: ContinuousClock.Instant)
    case run(UInt64, Statement)
    case cancel(UInt64, statement: UInt64)
    case cancellationSent(UInt64)
    case close(UInt64)
  }

  private static let started = Mutex<PostgresLoop?>(nil)
  /// Begins connections, because looking up a name blocks.
  static let connecting = DispatchQueue(label: "kennel.postgres-connect")
  /// Sends requests to cancel, which blocks too.
  private static let cancelling = DispatchQueue(label: "kennel.postgres-cancel")
  private static let lastIdentifier = Atomic<UInt64>(0)

  /// Returns a number that was not returned before.
  static func makeIdentifier() -> UInt64 { lastIdentifier.add(1, ordering: .relaxed).newValue }

  /// Returns the loop, and starts it if necessary.
  static func shared() throws(PostgresError) -> PostgresLoop {
    let loop = started.withLock { loop -> PostgresLoop? in
      if let loop { return loop }
      guard let new = PostgresLoop() else { return nil }
      guard LoopThread.start("kennel-postgres", { new.run() }) == 0 else { return nil }
      loop = new
      return new
    }
    guard let loop else {
      throw PostgresError(
        .busy, "The system has no thread or descriptor left for the database. Try again in a moment.")
    }
    return loop
  }

  private let epoll: Int32
  private let wakeUp: Int32
  private let inbox = Mutex<[Command]>([])
  private var links: [UInt64: PostgresLink] = [:]
  private var ready = [epoll_event](repeating: epoll_event(), count: 64)

  private init?() {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u64 = 0
    guard epoll >= 0, wakeUp >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
      if epoll >= 0 { Glibc.close(epoll) }
      if wakeUp >= 0 { Glibc.close(wakeUp) }
      return nil
    }
  }

  deinit {
    Glibc.close(epoll)
    Glibc.close(wakeUp)
  }

  /// Passes a command to the loop's thread. May be called by any thread.
  func post(_ command: Command) {
    let isFirst = inbox.withLock { inbox in
      inbox.append(command)
      return inbox.count == 1
    }
    guard isFirst else { return }
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  // MARK: The loop's thread

  private func run() -> Never {
    while true {
      let commands = inbox.withLock { inbox in
        defer { inbox = [] }
        return inbox
      }
      for command in commands { perform(command) }
      wait()
    }
  }

  private func perform(_ command: Command) {
    switch command {
    case .attach(let identifier, let handle, var events, let deadline):
      events.sendCancellation = { [weak self] in self?.send($0, identifier) }
      let link = PostgresLink(identifier, handle, events, connectDeadline: deadline)
      links[identifier] = link
      // A server on this machine may refuse at the start. Otherwise, libpq waits until it can write.
      if handle.hasFailed { link.step() }
      update(link)
    case .run(let identifier, let statement):
      guard let link = links[identifier] else {
        let error = PostgresError(
          .cannotConnect, "The connection to the database was lost. Try again in a moment.")
        statement.reply(.failure(PostgresFailure(error: error, isConnectionLost: true)))
        return
      }
      link.submit(statement)
      update(link)
    case .cancel(let identifier, let statement):
      guard let link = links[identifier] else { return }
      if let cancellation = link.cancel(statement, now: .now) { send(cancellation, identifier) }
    case .cancellationSent(let identifier):
      guard let link = links[identifier] else { return }
      link.cancellationSent()
      update(link)
    case .close(let identifier):
      guard let link = links[identifier] else { return }
      link.close()
      update(link)
    }
  }

  private func send(_ cancellation: PostgresCancellation, _ link: UInt64) {
    Self.cancelling.async {
      cancellation.send()
      self.post(.cancellationSent(link))
    }
  }

  private func wait() {
    let deadline = links.values.compactMap(\.deadline).min()
    let count = Int(epoll_wait(epoll, &ready, Int32(ready.count), Self.milliseconds(until: deadline)))
    for index in 0..<max(count, 0) {
      let identifier = ready[index].data.u64
      if identifier == 0 {
        var counter: UInt64 = 0
        _ = read(wakeUp, &counter, 8)
      } else if let link = links[identifier] {
        link.step()
        update(link)
      }
    }
    guard let deadline, deadline <= .now else { return }
    let now = ContinuousClock.now
    for link in Array(links.values) {
      link.expire(now)
      update(link)
    }
  }

  /// Watches the link's socket for what it waits for, or forgets the link.
  private func update(_ link: PostgresLink) {
    guard !link.isClosed else {
      if let watched = link.watched { epoll_ctl(epoll, EPOLL_CTL_DEL, watched.socket, nil) }
      links[link.identifier] = nil
      return
    }
    let socket = link.handle.socket
    // While libpq connects, it may close the socket, and the next one may have the same number.
    if let watched = link.watched, watched == (socket, link.interest), !link.machine.isConnecting { return }
    var event = epoll_event()
    event.data.u64 = link.identifier
    switch link.interest {
    case .reading: event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
    case .writing: event.events = EPOLLOUT.rawValue
    case .both: event.events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue
    }
    if epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) != 0,
      epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) != 0
    {
      link.close()
      links[link.identifier] = nil
      return
    }
    link.watched = (socket, link.interest)
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = deadline - .now
    guard left > .zero else { return 0 }
    let (seconds, attoseconds) = left.components
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
