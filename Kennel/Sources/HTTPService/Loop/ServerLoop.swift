import CLinux
import CMicroHTTPD
import Foundation
import Glibc
import LoopThread

/// The event loop of a server. Its only thread waits in epoll and runs libmicrohttpd when a descriptor is ready.
///
/// `@unchecked Sendable`: only the loop's thread uses the variables, and before it starts, the initializer and
/// ``start(_:)``. Other threads send commands through the inbox.
final class ServerLoop: @unchecked Sendable {
  typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  enum Command: Sendable {
    case bodyWanted(Exchange)
    case respond(Exchange, OutgoingResponse)
    case streamFilled(Exchange)
    case abandon(Exchange)
    case replaceCertificate(CertificateReplacement)
    case stop(limit: Duration)
  }

  let configuration: HTTPServerConfiguration
  let port: UInt16
  let completion = CompletionSignal()
  private(set) var handler: Handler = { _ in .text("Not found.\n", status: .notFound) }

  private let inbox = LoopInbox<Command>()
  private let epoll: Int32
  private let wakeUp: Int32
  /// The daemon that accepts connections; nil before it is started and after it is stopped.
  var daemon: ServedDaemon?
  /// The daemons with earlier certificates that still have connections, the oldest first.
  var retired: [ServedDaemon] = []
  private(set) var listening: ListeningSocketReference?

  private(set) var now = ContinuousClock.now
  private(set) var isStopping = false
  private(set) var connections: [UInt64: ClientConnection] = [:]
  private var lingering: [UInt64: LingeringSocket] = [:]
  private var failed: [UInt64] = []
  private var nextID: UInt64 = 2
  private var nextDeadline: ContinuousClock.Instant?
  private var stopDeadline: ContinuousClock.Instant?
  private var needsRun = true
  private var logEntries: [HTTPServerConfiguration.AccessLogEntry] = []
  private var commands: [Command] = []
  private var ready = [epoll_event](repeating: epoll_event(), count: 256)

  static let daemonToken: UInt64 = 0
  private static let wakeToken: UInt64 = 1

  /// Holds the socket, so that it can be closed when the server stops listening.
  final class ListeningSocketReference {
    let socket: ListeningSocket
    init(_ socket: consuming ListeningSocket) { self.socket = socket }
  }

  init(_ configuration: HTTPServerConfiguration) throws(HTTPServerError) {
    self.configuration = configuration
    let listening = ListeningSocketReference(try ListeningSocket(configuration.address))
    self.listening = listening
    port = listening.socket.port
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard epoll >= 0, wakeUp >= 0 else {
      throw HTTPServerError(.cannotStart, "A descriptor cannot be created", errno: errno)
    }
    daemon = try startDaemon(configuration.tls, socket: listening.socket.descriptor)
    watch(wakeUp, EPOLLIN.rawValue, token: Self.wakeToken)
  }

  deinit {
    close()
    if epoll >= 0 { Glibc.close(epoll) }
    if wakeUp >= 0 { Glibc.close(wakeUp) }
  }

  /// Closes the socket. Call this only while no thread is running.
  func close() {
    stopDaemons()
    listening = nil
  }

  // MARK: Any thread

  /// Starts the thread, which retains the loop until the server is stopped.
  func start(_ handler: @escaping Handler) throws(HTTPServerError) {
    self.handler = handler
    let code = LoopThread.start("http-service") { self.run() }
    guard code == 0 else {
      throw HTTPServerError(.cannotStart, "The thread of the server cannot be created", errno: code)
    }
  }

  func post(_ command: Command) {
    guard inbox.put(command) else { return }
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  // MARK: The loop's thread

  private func run() {
    while daemon != nil {
      now = .now
      inbox.drain(into: &commands)
      for command in commands { perform(command) }
      commands.removeAll(keepingCapacity: true)
      expire()
      if needsRun {
        needsRun = false
        for daemon in daemons { daemon.run() }
        closeFailed()
        stopUnusedDaemons()
        writeLog()
      }
      if isStopping, connections.isEmpty, lingering.isEmpty { break }
      wait(daemons.contains { $0.hasPendingWork })
    }
    finish()
  }

  private func perform(_ command: Command) {
    switch command {
    case .bodyWanted(let exchange): exchange.bodyWanted()
    case .respond(let exchange, let response): exchange.responseGiven(response)
    case .streamFilled(let exchange): exchange.streamFilled()
    case .abandon(let exchange): exchange.abandon()
    case .replaceCertificate(let replacement): replaceCertificate(replacement)
    case .stop(let limit): stop(limit)
    }
  }

  /// Makes the loop run the library, because it has work that no descriptor announces.
  func scheduleRun() { needsRun = true }

  private func wait(_ hasPendingWork: Bool) {
    var timeout: Int32 = 0
    if hasPendingWork || needsRun {
      needsRun = true
    } else if inbox.fallAsleep() {
      timeout = milliseconds(until: [nextDeadline, stopDeadline].compactMap { $0 }.min())
    }
    let count = Int(epoll_wait(epoll, &ready, Int32(ready.count), timeout))
    guard count > 0 else { return }
    for event in ready[..<count] {
      switch event.data.u64 {
      case Self.daemonToken: needsRun = true
      case Self.wakeToken:
        var counter: UInt64 = 0
        _ = read(wakeUp, &counter, 8)
      case let id:
        if let socket = lingering[id] {
          if !socket.drain() { endLingering(id) }
        } else if let connection = connections[id] {
          handleDisconnect(connection)
        }
      }
    }
  }

  private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let left = deadline - .now
    guard left > .zero else { return 0 }
    let (seconds, attoseconds) = left.components
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    // Rounded up, because a loop that wakes early would only sleep again.
    return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  func watch(_ descriptor: Int32, _ events: UInt32, token: UInt64) {
    var event = epoll_event()
    event.events = events
    event.data.u64 = token
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
  }

  // MARK: Connections

  func connectionBegan(_ handle: MicroHTTPD.Connection, of daemon: ServedDaemon) -> ClientConnection {
    let limits = configuration.limits
    let clock = ConnectionClock(
      limits: .init(
        maximumHeadTime: limits.maximumHeadTime, maximumIdleTime: limits.maximumIdleTime,
        receivingTime: limits.receivingTime, sendingTime: limits.sendingTime,
        minimumReceivingRate: limits.minimumBodyRate), now: now)
    let connection = ClientConnection(id: nextID, handle: handle, loop: self, daemon: daemon, clock: clock)
    nextID += 1
    connections[connection.id] = connection
    daemon.connectionCount += 1
    // Each daemon counts its own connections only.
    if connections.count > max(1, limits.maximumConnections) { cut(connection) }
    if let deadline = clock.deadline { include(deadline) }
    // The library does not watch suspended connections. This reports when their clients disconnect.
    watch(connection.descriptor, EPOLLRDHUP.rawValue | EPOLLET.rawValue, token: connection.id)
    return connection
  }

  func connectionEnded(_ connection: ClientConnection) {
    // The socket may stay open through a second descriptor, and epoll would keep reporting it.
    epoll_ctl(epoll, EPOLL_CTL_DEL, connection.descriptor, nil)
    connections[connection.id] = nil
    connection.daemon.connectionCount -= 1
    // At its limit, the library does not listen. It begins again in its next run, which no descriptor announces.
    if connections.count + 1 >= configuration.limits.maximumConnections { needsRun = true }
    guard let descriptor = connection.takeLingering() else { return }
    let deadline = now + Self.maximumLingeringTime
    let socket = LingeringSocket(descriptor, budget: Self.maximumLingeringBytes, deadline: deadline)
    // Lingering sockets do not count as connections. Without a limit, clients could use up all descriptors.
    guard lingering.count < configuration.limits.maximumLingeringSockets, socket.drain() else { return }
    lingering[connection.id] = socket
    watch(descriptor, EPOLLIN.rawValue | EPOLLRDHUP.rawValue, token: connection.id)
    include(deadline)
  }

  private static let maximumLingeringTime = Duration.seconds(5)
  private static let maximumLingeringBytes: Int64 = 256 << 20

  /// Remembers a connection whose request has failed: the library has closed it, or will.
  func requestFailed(_ connection: ClientConnection) { failed.append(connection.id) }

  /// Makes the library close the connections of failed requests.
  ///
  /// If a stream fails, the library keeps its connection in a list that it looks at only behind older connections, so
  /// an idle one in front would delay the end. A connection that was resumed is looked at in the next run.
  private func closeFailed() {
    guard !failed.isEmpty else { return }
    for id in failed {
      guard let connection = connections[id] else { continue }
      MicroHTTPD.suspend(connection.handle)
      MicroHTTPD.resume(connection.handle)
      needsRun = true
    }
    failed.removeAll(keepingCapacity: true)
  }

  private func endLingering(_ id: UInt64) {
    // Closing the last descriptor removes it from epoll.
    lingering[id] = nil
  }

  private func handleDisconnect(_ connection: ClientConnection) {
    connection.clientDisconnected = true
    connection.exchange?.abandon()
  }

  // MARK: Deadlines

  /// Moves the next check forward if this deadline is earlier.
  func include(_ deadline: ContinuousClock.Instant) {
    nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
  }

  /// Checks all connections when the earliest deadline has passed. Most deadlines are moved before they are due, so
  /// this is rare: about once per shortest time limit.
  private func expire() {
    if let stopDeadline, stopDeadline <= now { cutEverything() }
    guard let due = nextDeadline, due <= now else { return }
    nextDeadline = nil
    for (id, socket) in lingering {
      if socket.deadline <= now { endLingering(id) } else { include(socket.deadline) }
    }
    for connection in connections.values {
      guard let deadline = connection.clock.deadline else { continue }
      if deadline > now {
        include(deadline)
      } else if connection.clock.expire(now: now, progress: connection.sendingProgress) {
        cut(connection)
      } else if let deadline = connection.clock.deadline {
        include(deadline)
      }
    }
  }

  func cut(_ connection: ClientConnection) {
    connection.cut()
    connection.exchange?.abandon()
    needsRun = true
  }

  // MARK: Stopping

  private func stop(_ limit: Duration) {
    let deadline = now + limit
    stopDeadline = stopDeadline.map { min($0, deadline) } ?? deadline
    guard !isStopping, let daemon else { return }
    isStopping = true
    daemon.retire()
    listening = nil
    for connection in connections.values {
      guard let exchange = connection.exchange else {
        connection.cut()
        continue
      }
      exchange.serverStops()
    }
    needsRun = true
  }

  private func cutEverything() {
    stopDeadline = nil
    lingering = [:]
    for connection in connections.values { cut(connection) }
  }

  private func finish() {
    inbox.close()
    lingering = [:]
    stopDaemons()
    writeLog()
    connections = [:]
    completion.signal()
  }

  // MARK: Logging

  func log(_ entry: HTTPServerConfiguration.AccessLogEntry) {
    if configuration.onAccess != nil { logEntries.append(entry) }
  }

  /// Passes the log entries on, outside the callbacks of the library, which must not wait.
  private func writeLog() {
    guard !logEntries.isEmpty, let onAccess = configuration.onAccess else { return }
    for entry in logEntries { onAccess(entry) }
    logEntries.removeAll(keepingCapacity: true)
  }

  /// - Parameter isStarting: whether a daemon is being started. Then the error has the message.
  func diagnose(_ message: String, isStarting: Bool) {
    if isStarting, daemon != nil { return }
    // A failed stream causes this message, but it is already reported as an error. So does a client that disconnects,
    // which needs no report.
    if message.hasPrefix("Closing connection (application error generating response)") { return }
    configuration.onDiagnostic?(message)
  }
}
