import COwnTransport
import CLinux
import Glibc

/// A connection to a server: the socket, TLS, and the protocol that was negotiated.
///
/// `@unchecked Sendable`: only the holder of its loop's lock uses it.
final class Connection: @unchecked Sendable {
  enum Stage { case connecting, handshaking, ready, closed }

  let pool: Pool
  unowned let core: ClientCore
  private(set) var stage = Stage.connecting
  private(set) var socket: Int32 = -1
  private var tls: OpaquePointer?
  private var addresses: ArraySlice<Pool.Address>
  private let offersHTTP2: Bool
  private let isPriorKnowledge: Bool

  /// The transfers that wait until the connection is ready.
  var waiting: [Transfer] = []
  /// HTTP/1: the transfer whose response is expected.
  var transfer: Transfer?
  var reader = ResponseReader()
  var requestBody = RequestBody()
  /// HTTP/2: everything.
  var http2: HTTP2Session?

  /// Bytes that the socket did not take yet, from `sent` on.
  private var unsent: [UInt8] = []
  private var sent = 0
  /// Bytes that were received while their consumer paused.
  var kept: [UInt8] = []
  var requestCount = 0
  var isRetired = false
  var isListedForFlush = false
  let openedAt: Monotonic
  private(set) var connectedAt: Monotonic?
  private(set) var securedAt: Monotonic?
  private(set) var endedCleanly = false

  init(pool: Pool, core: ClientCore, offersHTTP2: Bool, isPriorKnowledge: Bool) {
    self.pool = pool
    self.core = core
    self.offersHTTP2 = offersHTTP2
    self.isPriorKnowledge = isPriorKnowledge
    addresses = pool.addresses[...]
    openedAt = core.loop.now
  }

  var isSecure: Bool { pool.destination.address.isSecure }
  var tlsConnection: UnsafeMutableRawPointer? { tls.map { UnsafeMutableRawPointer($0) } }
  var hasUnsent: Bool { sent < unsent.count }

  // MARK: Opening

  /// Connects to the next address. The loop hears of a failure later.
  func connectNext() {
    while let address = addresses.popFirst() {
      let socket = Glibc.socket(
        Int32(address.family),
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else { return failAll(.noSocket(errno)) }
      if let refusal = address.bytes.withUnsafeBytes({
        core.options.addressRefusal?($0.baseAddress!, $0.count, waiting.first?.request.url ?? "")
      }) {
        Glibc.close(socket)
        return failAll(TransferFailure(.refusedByPolicy, message: refusal))
      }
      var one: Int32 = 1
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      let code = address.bytes.withUnsafeBytes {
        Glibc.connect(socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
      guard code == 0 || errno == EINPROGRESS else {
        Glibc.close(socket)
        continue
      }
      self.socket = socket
      core.opened(self)
      if code == 0 { didConnect() } else { want(EPOLLOUT.rawValue) }
      return
    }
    core.forgetAddresses(of: pool.destination)
    pool.addresses = []
    failAll(TransferFailure(.cannotConnect, message: "Could not connect to the server."))
  }

  private func didConnect() {
    connectedAt = core.loop.now
    guard isSecure else { return becomeReady(isHTTP2: isPriorKnowledge) }
    guard let context = core.context, let tls = pool.makeTLS(context, socket, offersHTTP2: offersHTTP2) else {
      return failAll(TransferFailure(.outOfMemory, message: "Could not start TLS: out of memory."))
    }
    self.tls = tls
    stage = .handshaking
    handshake()
  }

  private func handshake() {
    guard let tls else { return }
    ERR_clear_error()
    let code = SSL_do_handshake(tls)
    if code == 1 {
      securedAt = core.loop.now
      var name: UnsafePointer<UInt8>?
      var length: UInt32 = 0
      SSL_get0_alpn_selected(tls, &name, &length)
      return becomeReady(isHTTP2: length == 2)
    }
    switch SSL_get_error(tls, code) {
    case SSL_ERROR_WANT_READ: want(EPOLLIN.rawValue)
    case SSL_ERROR_WANT_WRITE: want(EPOLLOUT.rawValue)
    default: failAll(.handshake(verification: SSL_get_verify_result(tls)))
    }
  }

  private func becomeReady(isHTTP2: Bool) {
    stage = .ready
    pool.opening.removeAll { $0 === self }
    if pool.destination.isMultiplexed == nil || isHTTP2 != pool.destination.isMultiplexed {
      core.learn(isMultiplexed: isHTTP2, pool.destination)
    }
    var transfers = waiting
    waiting = []
    if isHTTP2 {
      http2 = HTTP2Session(self)
      pool.shared.append(self)
      want(EPOLLIN.rawValue)
      for transfer in transfers { carry(transfer) }
      core.flushLater(self)
    } else {
      if transfers.isEmpty {
        pool.idle.append(self)
        want(EPOLLIN.rawValue)
      } else {
        carry(transfers.removeFirst())
      }
      for transfer in transfers { core.place(transfer, fresh: false) }
    }
  }

  /// Gives a request to the connection, which is ready.
  func carry(_ transfer: Transfer) {
    transfer.isCarried(by: self)
    requestCount += 1
    if let http2 { return http2.submit(transfer) }
    self.transfer = transfer
    startHTTP1(transfer)
  }

  // MARK: Events

  func act(_ events: UInt32) {
    switch stage {
    case .connecting:
      var code: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
      if code == 0 { return didConnect() }
      core.closed(self)
      Glibc.close(socket)
      connectNext()
    case .handshaking: handshake()
    case .ready:
      if events & EPOLLOUT.rawValue != 0 { writable() }
      if stage == .ready, events & ~EPOLLOUT.rawValue != 0 { readable() }
    case .closed: break
    }
  }

  func want(_ events: UInt32) {
    core.loop.sockets.want(events, on: socket, for: Unmanaged.passUnretained(core))
  }

  func wantMore() { want(EPOLLIN.rawValue | (hasUnsent || requestBody.isReady ? EPOLLOUT.rawValue : 0)) }

  /// Whether an idle connection must not be used: the server has closed it, or has sent something that nobody asked for.
  func isStale() -> Bool {
    if core.loop.sockets.hasSeenNoInput(on: socket) { return false }
    var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, 0) > 0 else { return false }
    guard http2 != nil else { return true }
    readable()
    return stage == .closed || http2?.isDraining == true
  }

  // MARK: Reading

  private enum Input { case bytes(Int), later, end, failed }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Input {
    guard let tls else {
      let count = recv(socket, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 {
        endedCleanly = true
        return .end
      }
      return errno == EAGAIN || errno == EINTR ? .later : .failed
    }
    let count = SSL_read(tls, buffer.baseAddress, Int32(clamping: buffer.count))
    if count > 0 { return .bytes(Int(count)) }
    switch SSL_get_error(tls, count) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .later
    case SSL_ERROR_ZERO_RETURN:
      endedCleanly = true
      return .end
    default:
      ERR_clear_error()
      return .failed
    }
  }

  /// Reads what has arrived. A connection with more than that is ready again in the next round.
  func readable() {
    let buffer = core.input
    for _ in 0..<16 {
      guard stage == .ready, !isReceivePaused else { return }
      switch read(into: buffer) {
      case .bytes(let count):
        received(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        guard stage == .ready else { return }
        if let tls {
          if SSL_has_pending(tls) == 0 { return }
        } else if count < buffer.count {
          return
        }
      case .later: return
      case .end, .failed: return ended()
      }
    }
    // OpenSSL may hold bytes of which epoll knows nothing.
    if tls != nil { core.readLater(self) }
  }

  private var isReceivePaused: Bool { transfer?.machine.isReceivePaused == true }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    if let http2 { http2.received(bytes) } else { receivedHTTP1(bytes) }
  }

  /// The consumer of an HTTP/1 response wants more.
  func resumeReceiving() {
    guard stage == .ready, http2 == nil else { return }
    if !kept.isEmpty {
      let bytes = kept
      kept = []
      bytes.withUnsafeBytes { receivedHTTP1($0) }
    }
    guard stage == .ready, transfer != nil, !isReceivePaused else { return }
    wantMore()
    readable()
  }

  private func ended() {
    if let http2 { return http2.lose() }
    endedHTTP1()
  }

  // MARK: Writing

  /// Sends bytes after those that wait already. False means that the connection is lost.
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    if !hasUnsent {
      while !rest.isEmpty {
        let count = write(rest)
        if count < 0 { return false }
        if count == 0 { break }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      if rest.isEmpty { return true }
      unsent.removeAll(keepingCapacity: true)
      sent = 0
    }
    unsent.append(contentsOf: rest)
    return true
  }

  /// Returns the number of bytes that were taken; negative if the connection is lost.
  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let tls else {
      let count = Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return count }
      return errno == EAGAIN || errno == EINTR ? 0 : -1
    }
    let count = SSL_write(tls, bytes.baseAddress, Int32(clamping: bytes.count))
    if count > 0 { return Int(count) }
    switch SSL_get_error(tls, count) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return 0
    default:
      ERR_clear_error()
      return -1
    }
  }

  private func writable() {
    while hasUnsent {
      let count = unsent.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
      if count < 0 { return ended() }
      if count == 0 { return }
      sent += count
    }
    unsent.removeAll(keepingCapacity: true)
    sent = 0
    if let http2 { http2.flush() } else { sendBody() }
    if stage == .ready { wantMore() }
  }

  // MARK: The end

  /// Reports a failure to all transfers of a connection that did not become ready.
  private func failAll(_ failure: TransferFailure) {
    let transfers = waiting
    waiting = []
    close()
    for transfer in transfers { transfer.done(failure) }
    core.loop.touch(core)
  }

  func close() {
    guard stage != .closed else { return }
    stage = .closed
    pool.forget(self)
    if let tls {
      if connectedAt != nil { SSL_set_shutdown(tls, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
      SSL_free(tls)
      self.tls = nil
    }
    http2?.free()
    http2 = nil
    guard socket >= 0 else { return }
    core.closed(self)
    Glibc.close(socket)
    socket = -1
  }
}

extension TransferFailure {
  /// A failed handshake, by OpenSSL's reason for rejecting the certificate; 0 if it did not reject it.
  static func handshake(verification: Int) -> TransferFailure {
    switch verification {
    case 0:
      TransferFailure(.secureConnectionFailed, message: "The secure connection could not be established.")
    case 9: TransferFailure(.certificateNotYetValid, message: "The server's certificate is not valid yet.")
    case 10: TransferFailure(.certificateExpired, message: "The server's certificate has expired.")
    case 18, 19, 20, 21:
      TransferFailure(
        .certificateUnknownRoot, message: "The authority of the server's certificate is not trusted.")
    default:
      TransferFailure(
        .certificateUntrusted, message: "The server's certificate is not valid for this server.")
    }
  }
}
