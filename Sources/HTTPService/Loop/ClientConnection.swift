import CLinux
import Glibc

/// One accepted connection; used on the loop's thread only.
final class ClientConnection {
  let id: UInt64
  let handle: MicroHTTPD.Connection
  let descriptor: Int32
  let remoteAddress: String
  unowned let loop: ServerLoop
  var clock: ConnectionClock
  var exchange: Exchange?
  /// The client has closed its side.
  var peerHasLeft = false
  private var isSuspended = false
  /// A second descriptor for the socket, to read on when the library has closed its own.
  private(set) var lingering: Int32?

  init(id: UInt64, handle: MicroHTTPD.Connection, loop: ServerLoop, clock: ConnectionClock) {
    self.id = id
    self.handle = handle
    self.loop = loop
    self.clock = clock
    descriptor = MicroHTTPD.socket(handle)
    remoteAddress = MicroHTTPD.remoteAddress(handle)
  }

  func begin(_ phase: ConnectionClock.Phase) {
    clock.begin(phase, now: loop.now)
    if let deadline = clock.deadline { loop.include(deadline) }
  }

  /// The request line is here. The exchange lives in this connection; the library gets a bare pointer to it, and
  /// hands it to no callback after the one for the request's end.
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
    // The library closes a connection that it gave up in its next run, which no descriptor announces.
    if !isComplete { loop.setMustRun() }
    // A stopping server waits for no further request.
    if loop.isStopping { cut() }
  }

  /// The library leaves the connection alone from here on. Once is enough: a second time would undo a resumption
  /// that is under way.
  func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    MicroHTTPD.suspend(handle)
  }

  /// Lets a suspended connection's callback be called again.
  func resume() {
    guard isSuspended else { return }
    isSuspended = false
    MicroHTTPD.resume(handle)
    loop.setMustRun()
  }

  var sendingProgress: ConnectionClock.Progress? { MicroHTTPD.sendingProgress(descriptor) }

  /// What the client still sends is to be read after the response.
  func lingers() {
    guard lingering == nil else { return }
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if duplicate >= 0 { lingering = duplicate }
  }

  func takeLingering() -> Int32? {
    defer { lingering = nil }
    return lingering
  }

  /// Ends the connection from below: the library finds it closed.
  func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A socket whose response is sent, and whose client still sends: closing it now would take the response from the
/// client. Closed when it is dropped.
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

  /// Reads what is there; false when it is over.
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
