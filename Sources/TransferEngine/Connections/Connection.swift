import CLinux
import COwnTransport
import Glibc

/// A connection to a server: the socket, TLS, and the protocol that was negotiated.
///
/// `@unchecked Sendable`: only the holder of its loop's lock uses it.
final class Connection: DeadlineOwner, @unchecked Sendable {
  enum Stage { case connecting, handshaking, ready, closed }

  /// What is known about an open connection.
  struct Facts {
    var connectedAt: Monotonic?
    var securedAt: Monotonic?
    var local: (address: String, port: Int)?
    var remote: (address: String, port: Int)?
    var tlsVersion: UInt16?
    var tlsCipherSuite: UInt16?
  }

  let pool: ConnectionPool
  unowned let pools: ConnectionPools
  private(set) var stage = Stage.connecting
  private(set) var facts = Facts()
  private var socket: Int32 = -1
  private(set) var tls: UnsafeMutableRawPointer?
  private let offersHTTP2: Bool
  private let isPriorKnowledge: Bool

  /// The addresses that were not tried yet, and the sockets that are connecting.
  private var addresses: ArraySlice<SocketAddress>
  private var attempts: [Int32] = []
  private var connectError: Int32 = 0
  /// Why this machine did not try an address.
  private var localFailure: TransferFailure?
  /// The time after which the next address is tried as well (RFC 8305, 5).
  private static let attemptDelay = Duration.milliseconds(200)

  /// The requests that wait until the connection is ready.
  private var waiting: [any Exchange] = []
  /// HTTP/1: the request whose response is expected.
  var exchange: (any Exchange)?
  var reader = ResponseReader()
  var requestBody = RequestBody()
  /// HTTP/2: everything.
  private(set) var http2: HTTP2Session?

  /// Bytes that the socket did not take yet, from `sent` on.
  private var unsent: [UInt8] = []
  private var sent = 0
  /// Bytes that were received while their consumer paused.
  var kept: [UInt8] = []
  private(set) var requestCount = 0
  var isRetired = false
  var isListedForFlush = false
  var isIdle = false
  var idleSince = Monotonic(nanoseconds: 0)
  /// Whether the server announced the end of the connection.
  private(set) var endedCleanly = false
  /// Why the connection failed, if the server said it.
  private var alert: TransferFailure?
  var deadlineIndex = -1

  init(pool: ConnectionPool, pools: ConnectionPools, offersHTTP2: Bool, isPriorKnowledge: Bool) {
    self.pool = pool
    self.pools = pools
    self.offersHTTP2 = offersHTTP2
    self.isPriorKnowledge = isPriorKnowledge
    addresses = pool.socketAddresses[...]
  }

  private var isSecure: Bool { pool.server.address.isSecure }
  var hasUnsent: Bool { sent < unsent.count }
  /// Whether no request uses the connection or waits for it.
  var isUnused: Bool { waiting.isEmpty && exchange == nil && http2?.isEmpty != false }
  var isTooOld: Bool { idleSince + ConnectionPools.maximumIdleTime < pools.host.now }
  /// A connection that turns out to be for one request at a time has no use for many that wait.
  var hasRoomToWait: Bool { waiting.count < HTTP2Session.maximumStreams }

  // MARK: Opening

  /// The time has come to try another address as well, or to give up the handshake.
  func actOnTimer() {
    if stage == .handshaking { fail(.handshakeTimedOut) } else { connectNext() }
  }

  /// Makes a request wait until the connection is ready.
  func add(_ exchange: any Exchange) {
    waiting.append(exchange)
    exchange.waits(for: self)
  }

  /// Connects to the next address, beside those to which it is connecting already.
  func connectNext() {
    guard stage == .connecting else { return }
    while let address = addresses.popFirst() {
      let socket = Glibc.socket(
        Int32(address.family),
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else {
        // This machine may have no IPv6.
        if errno != EAFNOSUPPORT { localFailure = .noSocket(errno) }
        continue
      }
      if let refusal = refusal(of: address) {
        localFailure = TransferFailure(.refusedByPolicy, message: refusal)
        Glibc.close(socket)
        continue
      }
      var one: Int32 = 1
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      let code = address.bytes.withUnsafeBytes {
        Glibc.connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
      guard code == 0 || errno == EINPROGRESS else {
        connectError = errno
        Glibc.close(socket)
        continue
      }
      attempts.append(socket)
      pools.opened(socket, by: self)
      if code == 0 { return didConnect(over: socket) }
      pools.host.want(EPOLLOUT.rawValue, on: socket)
      if !addresses.isEmpty { pools.host.setTimer(of: self, due: pools.host.now + Self.attemptDelay) }
      return
    }
    guard attempts.isEmpty else { return }
    if localFailure == nil { pool.server.wasUnreachable() }
    fail(localFailure ?? .unreachable(pool.server.address, connectError))
  }

  private func refusal(of address: SocketAddress) -> String? {
    guard let refusal = pools.settings.addressRefusal else { return nil }
    let url = waiting.first?.request.url ?? ""
    return address.bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.flatMap { refusal($0, bytes.count, url) }
    }
  }

  private func connectEvent(on socket: Int32) {
    guard let index = attempts.firstIndex(of: socket) else { return }
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
    if code == 0 {
      // The event may have been of a former socket with the same number.
      guard SocketAddress.text(of: socket, isRemote: true) != nil else { return }
      return didConnect(over: socket)
    }
    connectError = code
    attempts.remove(at: index)
    pools.closes(socket)
    connectNext()
  }

  /// An attempt was successful. The others are given up.
  private func didConnect(over socket: Int32) {
    self.socket = socket
    for other in attempts where other != socket { pools.closes(other) }
    attempts = []
    addresses = []
    facts.connectedAt = pools.host.now
    facts.local = SocketAddress.text(of: socket, isRemote: false)
    facts.remote = SocketAddress.text(of: socket, isRemote: true)
    guard isSecure else { return becomeReady(isHTTP2: isPriorKnowledge) }
    guard let context = pools.context,
      let tls = pool.makeTLS(
        in: context, over: socket, offersHTTP2: offersHTTP2, verifies: pools.settings.verifies)
    else { return fail(TransferFailure(.outOfMemory, message: "Could not start TLS: out of memory.")) }
    self.tls = tls
    stage = .handshaking
    pools.host.setTimer(of: self, due: pools.host.now + pools.settings.handshakeLimit)
    handshake()
  }

  private func handshake() {
    guard let tls else { return }
    switch Int(own_tls_handshake(tls)) {
    case 1:
      facts.securedAt = .now()
      facts.tlsVersion = OpenSSL.version(of: tls)
      facts.tlsCipherSuite = OpenSSL.cipherSuite(of: tls)
      becomeReady(isHTTP2: own_tls_selected_http2(tls))
    case Int(own_tls_wants_read): want(EPOLLIN.rawValue)
    case Int(own_tls_wants_write): want(EPOLLOUT.rawValue)
    default:
      fail(.handshake(tls, host: pool.server.address.host, verifies: pools.settings.verifies))
    }
  }

  private func becomeReady(isHTTP2: Bool) {
    stage = .ready
    pools.host.setTimer(of: self, due: nil)
    pool.opening.removeAll { $0 === self }
    let exchanges = waiting
    waiting = []
    if isHTTP2 {
      guard let http2 = HTTP2Session(self) else {
        waiting = exchanges
        return fail(TransferFailure(.outOfMemory, message: "Could not start HTTP/2: out of memory."))
      }
      self.http2 = http2
      pool.shared.append(self)
    }
    if offersHTTP2 || isPriorKnowledge || !isSecure { pool.server.spoke(isHTTP2) }
    // The server may have sent something behind the handshake, of which epoll knows nothing.
    if let tls, own_tls_has_pending(tls) { pools.continueLater(self) }
    if isHTTP2 {
      want(EPOLLIN.rawValue)
      for exchange in exchanges { carry(exchange) }
      return pools.flushLater(self)
    }
    if let first = exchanges.first {
      carry(first)
    } else {
      pools.keepIdle(self)
    }
    for exchange in exchanges.dropFirst() { exchange.isNotCarried() }
  }

  /// Gives a request to the connection, which is ready.
  func carry(_ exchange: any Exchange) {
    pools.forgetIdle(self)
    exchange.isCarried(by: self)
    requestCount += 1
    if let http2 { return http2.submit(exchange) }
    self.exchange = exchange
    startHTTP1(exchange)
  }

  /// A request gives the connection up before its end.
  func abandon(_ exchange: any Exchange) {
    if let index = waiting.firstIndex(where: { $0 === exchange }) {
      waiting.remove(at: index)
      if waiting.isEmpty, stage != .ready { close() }
    } else if let http2 {
      guard http2.drop(exchange) else { return }
      pools.flushLater(self)
    } else if self.exchange === exchange {
      self.exchange = nil
      close()
    }
  }

  // MARK: Events

  func act(_ events: UInt32, on socket: Int32) {
    switch stage {
    case .connecting: connectEvent(on: socket)
    case .handshaking: handshake()
    case .ready:
      if events & EPOLLOUT.rawValue != 0 { writable() }
      if stage == .ready, events & ~EPOLLOUT.rawValue != 0 { readable() }
    case .closed: break
    }
  }

  func want(_ events: UInt32) {
    if socket >= 0 { pools.host.want(events, on: socket) }
  }

  func wantMore() {
    guard stage == .ready else { return }
    let receives = isReceivePaused ? 0 : EPOLLIN.rawValue
    want(receives | (hasUnsent || requestBody.isReady ? EPOLLOUT.rawValue : 0))
  }

  /// Whether an idle connection must not be used: the server has closed it, or has sent something that nobody asked for.
  ///
  /// - Parameter trustsLook: Whether a look at all sockets in this round is enough. A request that cannot be repeated needs
  ///   to know how it is now.
  func isStale(trustsLook: Bool) -> Bool {
    // OpenSSL may hold bytes that nobody asked for, of which the socket shows nothing.
    if http2 == nil, let tls, own_tls_has_pending(tls) { return true }
    if trustsLook, pools.host.hasSeenNoInput(on: socket) { return false }
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
    let count = own_tls_read(tls, buffer.baseAddress, buffer.count)
    if count > 0 { return .bytes(count) }
    switch count {
    case Int(own_tls_wants_read), Int(own_tls_wants_write): return .later
    case Int(own_tls_ended):
      endedCleanly = true
      return .end
    default:
      alert = TransferFailure.refusalOfClient(OwnTLS.takeError())
      return .failed
    }
  }

  /// Reads what has arrived. A connection with more than that is ready again in the next round.
  func readable() {
    let buffer = pools.input
    for _ in 0..<16 {
      guard stage == .ready else { return }
      // Otherwise the socket would be reported as ready again and again.
      guard !isReceivePaused else { return wantMore() }
      switch read(into: buffer) {
      case .bytes(let count):
        received(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        guard stage == .ready else { return }
        if let tls {
          if !own_tls_has_pending(tls) { return }
        } else if count < buffer.count {
          return
        }
      case .later: return
      case .end, .failed: return lost()
      }
    }
    // OpenSSL may hold bytes of which epoll knows nothing.
    if tls != nil { pools.continueLater(self) }
  }

  private var isReceivePaused: Bool { exchange?.pausesConnection() == true }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    if let http2 { http2.received(bytes) } else { receivedHTTP1(bytes) }
  }

  /// The connection can no longer be used. What its requests learn of it depends on the protocol.
  func lost() {
    if let http2 { http2.lose(alert) } else { lostHTTP1(alert) }
  }

  // MARK: Pauses

  /// The consumer of a response wants more, or the source of a body has more.
  func applyPauses(of exchange: any Exchange, isSendPaused: Bool) {
    if let http2 {
      if !isSendPaused { http2.resumeSending(exchange) }
      if !exchange.pausesConnection() { http2.resumeReceiving(exchange) }
      if stage == .ready { pools.flushLater(self) }
      return
    }
    guard stage == .ready, self.exchange === exchange else { return }
    if !kept.isEmpty, !isReceivePaused {
      let bytes = kept
      kept = []
      bytes.withUnsafeBytes { receivedHTTP1($0) }
      guard stage == .ready, self.exchange === exchange else { return }
    }
    if !isSendPaused, requestBody.isWaiting {
      requestBody.isWaiting = false
      sendBody()
      finishIfAnswered()
      guard stage == .ready, self.exchange === exchange else { return }
    }
    wantMore()
    if !isReceivePaused { readable() }
  }

  // MARK: Writing

  /// Sends bytes after those that wait already. False means that the connection takes no more.
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

  /// Returns the number of bytes that were taken; negative if the connection takes no more.
  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let tls else {
      let count = Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return count }
      return errno == EAGAIN || errno == EINTR ? 0 : -1
    }
    let count = own_tls_write(tls, bytes.baseAddress, bytes.count)
    if count > 0 { return count }
    switch count {
    case Int(own_tls_wants_read), Int(own_tls_wants_write): return 0
    default:
      alert = TransferFailure.refusalOfClient(OwnTLS.takeError())
      return -1
    }
  }

  private func writable() {
    while hasUnsent {
      let count = unsent.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
      if count < 0 { return cannotSend() }
      if count == 0 { return }
      sent += count
    }
    unsent.removeAll(keepingCapacity: true)
    sent = 0
    if http2 != nil { return flush() }
    sendBody()
    finishIfAnswered()
    wantMore()
  }

  /// The connection takes no more bytes. The server may have answered before.
  func cannotSend() {
    unsent.removeAll()
    sent = 0
    requestBody = RequestBody(isBroken: true)
    finishIfAnswered()
    guard stage == .ready else { return }
    guard !isReceivePaused else { return wantMore() }
    readable()
    // The rest of what the server sends comes with an event.
    if stage == .ready { wantMore() }
  }

  /// HTTP/2: sends the frames that are due.
  func flush() {
    guard stage == .ready, let http2 else { return }
    http2.flush()
    guard stage == .ready else { return }
    if http2.isEmpty {
      if isRetired || http2.isDraining, !hasUnsent { return close() }
      pools.keepIdle(self)
    }
    wantMore()
  }

  // MARK: The end

  /// Reports a failure to all requests of a connection that did not become ready.
  private func fail(_ failure: TransferFailure) {
    let exchanges = waiting
    waiting = []
    close()
    for exchange in exchanges { exchange.ended(failure) }
    pools.host.touch()
  }

  func close() {
    guard stage != .closed else { return }
    let wasReady = stage == .ready
    stage = .closed
    pools.forgetIdle(self)
    pool.forget(self)
    pools.host.setTimer(of: self, due: nil)
    if let tls {
      own_tls_free(tls, wasReady && !endedCleanly && exchange == nil && !hasUnsent)
      self.tls = nil
    }
    http2?.free()
    http2 = nil
    for attempt in attempts { pools.closes(attempt) }
    attempts = []
    guard socket >= 0 else { return }
    pools.closes(socket)
    socket = -1
  }
}
