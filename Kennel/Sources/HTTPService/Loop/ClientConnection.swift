import CLinux
import Glibc

/// An accepted connection, used only on the loop's thread.
final class ClientConnection {
  let id: UInt64
  let handle: MicroHTTPD.Connection
  let descriptor: Int32
  let remoteAddress: String
  unowned let loop: ServerLoop
  let daemon: ServedDaemon
  var clock: ConnectionClock
  var exchange: Exchange?
  /// Whether the client has closed its side.
  var clientDisconnected = false
  private var isSuspended = false
  /// A second descriptor of the socket, to continue reading after the library has closed its own.
  private(set) var lingering: Int32?

  init(
    id: UInt64, handle: MicroHTTPD.Connection, loop: ServerLoop, daemon: ServedDaemon, clock: ConnectionClock
  ) {
    self.id = id
    self.handle = handle
    self.loop = loop
    self.daemon = daemon
    self.clock = clock
    descriptor = MicroHTTPD.socket(handle)
    remoteAddress = MicroHTTPD.remoteAddress(handle)
  }

  func begin(_ phase: ConnectionClock.Phase) {
    clock.begin(phase, now: loop.now)
    if let deadline = clock.deadline { loop.include(deadline) }
  }

  /// Creates the exchange when the request line has arrived.
  ///
  /// The connection owns the exchange. The library gets an unretained pointer, which it passes to no callback after
  /// the one for the end of the request.
  func requestBegan(_ target: String) -> UnsafeMutableRawPointer {
    begin(.head)
    let exchange = Exchange(loop: loop, connection: self, rawTarget: target)
    self.exchange = exchange
    return Unmanaged.passUnretained(exchange).toOpaque()
  }

  func requestEnded(isComplete: Bool) {
    exchange?.completed(isComplete: isComplete)
    exchange = nil
    begin(.idle)
    if !isComplete { loop.requestFailed(self) }
    // A stopping server does not wait for another request.
    if loop.isStopping { cut() }
  }

  /// Suspends the connection in the library. Does nothing if it is already suspended, because a second call would
  /// cancel a pending resumption.
  func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    MicroHTTPD.suspend(handle)
  }

  /// Resumes a suspended connection, so that the library calls its callback again.
  func resume() {
    guard isSuspended else { return }
    isSuspended = false
    MicroHTTPD.resume(handle)
    loop.scheduleRun()
  }

  var sendingProgress: ConnectionClock.Progress? { MicroHTTPD.sendingProgress(descriptor) }

  /// Keeps the socket open after the response, to read the data that the client still sends.
  func keepSocketOpen() {
    guard lingering == nil else { return }
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if duplicate >= 0 { lingering = duplicate }
  }

  func takeLingering() -> Int32? {
    defer { lingering = nil }
    return lingering
  }

  /// Shuts the socket down. The library then finds the connection closed.
  func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A socket whose response is sent, but whose client is still sending.
///
/// If the socket were closed immediately, the client might not receive the response. It is closed on deinitialization.
final class LingeringSocket {
  let descriptor: Int32
  let deadline: ContinuousClock.Instant
  private var budget: Int

  init(_ descriptor: Int32, budget: Int64, deadline: ContinuousClock.Instant) {
    self.descriptor = descriptor
    self.budget = Int(clamping: budget)
    self.deadline = deadline
    shutdown(descriptor, Int32(SHUT_WR))
  }

  deinit { close(descriptor) }

  /// Reads and discards the available data. Returns false when the socket can be closed.
  func drain() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { buffer in
      while budget > 0 {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
          budget -= count
        } else {
          return count < 0 && (errno == EAGAIN || errno == EINTR)
        }
      }
      return false
    }
  }
}
