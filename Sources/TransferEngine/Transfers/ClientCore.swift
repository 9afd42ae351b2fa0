import CCurl
import CLinux
import Glibc
import Synchronization

/// The part of a client that belongs to the loop: the multi handle, and the idle easy handles.
///
/// `@unchecked Sendable`: `loop` and `options` are immutable; only the holder of the loop's lock uses everything else.
/// libcurl keeps unretained pointers to a core; they become invalid with the multi handle, which the core frees itself.
final class ClientCore: DeadlineOwner, @unchecked Sendable {
  let loop: EventLoop
  let options: TransferClientOptions

  private let multi: UnsafeMutableRawPointer
  /// The TLS sessions, which make the next handshake with a server shorter. Nil if there was no memory for them.
  let tlsSessions: UnsafeMutableRawPointer?
  private var idleHandles: [EasyHandle] = []
  private var isClosed = false
  private var connectedSockets = ConnectedSockets()
  /// Set from any thread when the open connections are to be used by no later request. A flag, because a command could
  /// be overtaken by a transfer that the same thread starts.
  let wantsNewConnections = Atomic<Bool>(false)
  /// The transfers whose connections have left HTTP, by their sockets.
  private var upgraded: [Int32: Transfer] = [:]
  private var upgradedCount = 0
  /// Whether a delegate has accepted a server although its certificates were not valid.
  var hasExceptions = false
  /// Whether libcurl's limits must follow the number of upgraded connections. libcurl takes none inside a callback.
  private var needsLimits = false
  /// The connections of the transport of our own; nil until a transfer needs one.
  var pools: ConnectionPools?
  var scheduler: LoadScheduler
  var http3 = HTTP3Servers()
  var trust: TrustState

  // State that the loop keeps for this core.
  var timerDue: Monotonic?
  /// The core's index in the loop's heap of deadlines; -1 if it is not in the heap.
  var deadlineIndex = -1
  var isInDueList = false
  var isTouched = false
  var pace = ResponsePace()

  /// Idle handles beyond this number are freed to save memory.
  static let maximumIdleHandles = 256
  static let maximumIdleConnections = 1024
  /// The same for this process: less if few files can be open.
  static let idleConnections = max(
    64, min(maximumIdleConnections, LoadScheduler.descriptorLimit / 8))

  init(loop: EventLoop, options: TransferClientOptions) throws(CurlError) {
    self.loop = loop
    self.options = options
    _ = EasyHandle.observesStreams
    self.multi = try Curl.makeMulti()
    self.tlsSessions = Curl.makeSessionShare()
    self.scheduler = LoadScheduler(options: options)
    self.trust = TrustState(options.trust)
    let context = Unmanaged.passUnretained(self).toOpaque()
    Curl.setFunctions(
      multi: multi,
      socket: { _, socket, what, context, _ in
        guard let context else { return 0 }
        let core = Unmanaged<ClientCore>.fromOpaque(context)
        core._withUnsafeGuaranteedRef { $0.libcurlWants(what, on: socket, core) }
        return 0
      },
      timer: { _, milliseconds, context in
        guard let context else { return 0 }
        Unmanaged<ClientCore>.fromOpaque(context)._withUnsafeGuaranteedRef { core in
          let due = milliseconds < 0 ? nil : core.loop.now + .milliseconds(milliseconds)
          core.loop.setTimer(of: core, due: due)
        }
        return 0
      },
      context: context)
    limitConnections()
    Curl.set(multi: multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    Curl.set(multi: multi, CURLMOPT_MAX_CONCURRENT_STREAMS, LoadScheduler.streamsPerConnection)
  }

  private func limitConnections() {
    needsLimits = false
    // Upgraded connections count for libcurl, but not for the queue.
    let perHost = max(1, options.connectionsPerHost) + upgradedCount
    Curl.set(multi: multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
    // libcurl's default depends on the number of handles in use, which is zero between requests here.
    Curl.set(multi: multi, CURLMOPT_MAXCONNECTS, max(Self.idleConnections + upgradedCount, perHost))
  }

  /// Records that a transfer's connection has left HTTP.
  func keepUpgraded(_ transfer: Transfer) {
    if let socket = transfer.upgradedSocket { upgraded[socket] = transfer }
    upgradedCount += 1
    needsLimits = true
    loop.touch(self)
  }

  /// Records that such a transfer has ended.
  func forgetUpgraded(_ transfer: Transfer) {
    if let socket = transfer.upgradedSocket, upgraded[socket] === transfer { upgraded[socket] = nil }
    upgradedCount -= 1
    needsLimits = true
    loop.touch(self)
  }

  /// Frees everything that libcurl holds. No transfers are left: each one holds the client, which calls this at its
  /// end.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.setTimer(of: self, due: nil)
    pools?.close()
    for handle in idleHandles { handle.free() }
    idleHandles.removeAll()
    scheduler.removeAll()
    Curl.free(multi: multi)
    if let tlsSessions { Curl.free(share: tlsSessions) }
  }

  // MARK: Handles

  func takeHandle() throws(CurlError) -> EasyHandle {
    guard !isClosed else { throw CurlError(code: CURLE_FAILED_INIT.rawValue) }
    if let handle = idleHandles.popLast() { return handle }
    return try EasyHandle(core: self)
  }

  func giveBack(_ handle: EasyHandle) {
    handle.transfer = nil
    handle.resetStreamState()
    if idleHandles.count < Self.maximumIdleHandles, !isClosed {
      idleHandles.append(handle)
    } else {
      handle.free()
    }
  }

  func attach(_ handle: EasyHandle) throws(CurlError) { try Curl.add(handle.easy, to: multi) }

  func detach(_ handle: EasyHandle) {
    guard !isClosed else { return }
    Curl.remove(handle.easy, from: multi)
    // Removing a handle may allow another one that waits for a connection to start.
    loop.touch(self)
  }

  // MARK: Called by the loop

  func act(on socket: Int32, events: UInt32) {
    if let pools, pools.act(on: socket, events: events) { return }
    Curl.act(
      multi: multi, socket: socket,
      readable: events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLRDHUP.rawValue) != 0,
      writable: events & EPOLLOUT.rawValue != 0,
      failed: events & EPOLLERR.rawValue != 0)
    loop.touch(self)
  }

  /// A connection is ready that waits for nothing. libcurl finds out itself when it wants to use it again.
  func actOnIdle(_ socket: Int32) { _ = pools?.act(on: socket, events: EPOLLIN.rawValue) }

  func actOnTimer() {
    guard !isClosed else { return }
    Curl.actOnTimer(multi: multi)
    loop.touch(self)
  }

  func finishDoneTransfers() {
    guard !isClosed else { return }
    while let (easy, result) = Curl.nextDone(multi: multi) {
      guard let context = Curl.context(easy) else { continue }
      Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue().transfer?.done(result)
    }
    if needsLimits { limitConnections() }
    startWaiting()
    guard let pools else { return }
    pools.finishRound()
  }

  // MARK: Called by libcurl

  private func libcurlWants(_ what: Int32, on socket: Int32, _ core: Unmanaged<ClientCore>) {
    let events: UInt32 =
      switch what {
      case CURL_POLL_IN: EPOLLIN.rawValue
      case CURL_POLL_OUT: EPOLLOUT.rawValue
      case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
      default: 0
      }
    loop.sockets.want(events, on: socket, for: core)
    if !upgraded.isEmpty, let transfer = upgraded[socket] {
      transfer.libcurlWaitsForInput(events & EPOLLIN.rawValue != 0)
    }
  }

  /// Opens a socket for a connection, unless the client's address policy rejects the address.
  func openSocket(for address: UnsafeMutablePointer<curl_sockaddr>, transfer: Transfer?) -> curl_socket_t {
    if let refusal = options.addressRefusal {
      // The struct declares 16 bytes of address. libcurl writes longer addresses past them, so the raw memory is
      // passed.
      let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 16
      let length = Int(address.pointee.addrlen)
      if let message = refusal(UnsafeRawPointer(address) + start, length, transfer?.request.url ?? "") {
        transfer?.noteConnectFailure(TransferFailure(.refusedByPolicy, message: message))
        return -1
      }
    }
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let socket =
      CurlFault.shouldFail(.openSocket)
      ? {
        errno = EMFILE; return -1
      }() : Glibc.socket(address.pointee.family, type, address.pointee.protocol)
    if socket >= 0 {
      loop.sockets.opened(socket)
      let isStream = address.pointee.socktype == Int32(SOCK_STREAM.rawValue)
      transfer?.opensConnection(over: socket, isStream: isStream)
    } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
      transfer?.noteConnectFailure(.noSocket(errno))
    }
    return socket
  }

  func closeSocket(_ socket: curl_socket_t) {
    loop.sockets.closed(socket)
    connectedSockets.closed(socket)
    Glibc.close(socket)
  }

  /// Records that a new connection was established over one of these sockets, and returns it.
  @discardableResult func connected(_ connection: ConnectionEnds, over sockets: [Int32]) -> Int32? {
    let port = connection.localPort
    // A Unix-domain socket has no port.
    guard port > 0 else { return sockets.last }
    guard let socket = sockets.first(where: { Self.localPort(of: $0) == port }) else { return nil }
    retireConnectionsIfWanted()
    connectedSockets.connected(connection, over: socket)
    return socket
  }

  /// Whether an idle connection has data to read, which always means that it is no longer usable.
  ///
  /// If `afterLook` is true, the connection is not polled if epoll would already have shown the data. This may miss data
  /// that arrived during the last fraction of a millisecond.
  func hasInput(on connection: ConnectionEnds, afterLook: Bool) -> Bool {
    guard let socket = connectedSockets[connection] else { return false }
    if afterLook, loop.sockets.hasSeenNoInput(on: socket) { return false }
    var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0
  }

  /// Whether a request that is about to begin must not use this connection.
  func isRetired(_ connection: ConnectionEnds) -> Bool {
    retireConnectionsIfWanted()
    return connectedSockets.isRetired(connection)
  }

  func retireConnectionsIfWanted() {
    guard wantsNewConnections.load(ordering: .acquiring) else { return }
    wantsNewConnections.store(false, ordering: .relaxed)
    connectedSockets.retireAll()
    pools?.retire()
  }

  private static func localPort(of socket: Int32) -> Int32? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard code == 0 else { return nil }
    return withUnsafePointer(to: &address) { pointer in
      // The port is at the same offset in both address families.
      pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Int32(UInt16(bigEndian: $0.pointee.sin_port))
      }
    }
  }
}

extension TransferFailure {
  static func noSocket(_ code: Int32) -> TransferFailure {
    let reason = String(cString: strerror(code))
    let advice =
      code == EMFILE
      ? "Close files, run fewer loads at the same time, or raise the limit (ulimit -n)." : "Try again later."
    return TransferFailure(
      .outOfDescriptors, message: "Could not open a socket: \(reason). \(advice)")
  }
}
