import CCurl
import CLinux
import Glibc

/// The loop's side of a client: the multi handle, and the easy handles that wait to be used again.
///
/// `@unchecked Sendable`: `loop` and `options` are immutable; everything else is touched by the holder of the loop's
/// turn only.
/// libcurl keeps unretained pointers to a core; they die with the multi handle, which the core frees itself.
final class ClientCore: DeadlineOwner, @unchecked Sendable {
  let loop: EventLoop
  let options: TransferClientOptions

  private let multi: UnsafeMutableRawPointer
  /// TLS sessions, so that the next connection to a server takes a shorter handshake. Nil without memory for it.
  let tlsSessions: UnsafeMutableRawPointer?
  private var idleHandles: [EasyHandle] = []
  private var isClosed = false
  /// The sockets of connections by their local ports, which is how libcurl names them, and the other way round.
  private var connectedSockets: [Int32: Int32] = [:]
  private var localPorts: [Int32: Int32] = [:]
  var scheduler: LoadScheduler
  var trust: TrustState

  // The loop's notes about this core.
  var timerDue: Monotonic?
  /// Where the loop's heap of deadlines has this core; -1 when it does not.
  var deadlineIndex = -1
  var isInDueList = false
  var isTouched = false
  var pace = AnswerPace()

  /// More idle handles than this are freed: they are memory, and a burst is soon over.
  private static let maximumIdleHandles = 256

  init(loop: EventLoop, options: TransferClientOptions) throws(CurlError) {
    self.loop = loop
    self.options = options
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
    Curl.set(multi: multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, options.connectionsPerHost))
    // libcurl's own default follows the number of handles in use, which here falls to none between requests.
    Curl.set(multi: multi, CURLMOPT_MAXCONNECTS, max(64, options.connectionsPerHost))
    Curl.set(multi: multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    Curl.set(multi: multi, CURLMOPT_MAX_CONCURRENT_STREAMS, LoadScheduler.streamsPerConnection)
  }

  /// Frees all that libcurl holds. No transfer is left: each one holds the client, and this follows its end.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.setTimer(of: self, due: nil)
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
    handle.forgetStream()
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
    // Removing one may let another that waited for a connection begin.
    loop.touch(self)
  }

  // MARK: What the loop calls

  func act(on socket: Int32, events: UInt32) {
    Curl.act(
      multi: multi, socket: socket,
      readable: events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLRDHUP.rawValue) != 0,
      writable: events & EPOLLOUT.rawValue != 0,
      failed: events & EPOLLERR.rawValue != 0)
    loop.touch(self)
  }

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
    startWaiting()
  }

  // MARK: What libcurl calls

  private func libcurlWants(_ what: Int32, on socket: Int32, _ core: Unmanaged<ClientCore>) {
    let events: UInt32 =
      switch what {
      case CURL_POLL_IN: EPOLLIN.rawValue
      case CURL_POLL_OUT: EPOLLOUT.rawValue
      case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
      default: 0
      }
    loop.sockets.want(events, on: socket, for: core)
  }

  /// Opens a connection's socket, unless the client's address policy refuses the address.
  func openSocket(for address: UnsafeMutablePointer<curl_sockaddr>, transfer: Transfer?) -> curl_socket_t {
    if let refusal = options.addressRefusal {
      // The struct declares 16 bytes of address; libcurl puts longer ones behind it, so the address is passed on raw.
      let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 16
      let length = Int(address.pointee.addrlen)
      if let sentence = refusal(UnsafeRawPointer(address) + start, length, transfer?.request.url ?? "") {
        transfer?.noteConnectFailure(TransferFailure(.refusedByPolicy, message: sentence))
        return -1
      }
    }
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let socket =
      CurlFault.strikes(.openSocket)
      ? {
        errno = EMFILE; return -1
      }() : Glibc.socket(address.pointee.family, type, address.pointee.protocol)
    if socket >= 0 {
      loop.sockets.opened(socket)
      transfer?.opensConnection(over: socket)
    } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
      transfer?.noteConnectFailure(.noSocket(errno))
    }
    return socket
  }

  func closeSocket(_ socket: curl_socket_t) {
    loop.sockets.closed(socket)
    if let port = localPorts.removeValue(forKey: socket), connectedSockets[port] == socket {
      connectedSockets[port] = nil
    }
    Glibc.close(socket)
  }

  /// A new connection has come about from this port, over one of these sockets.
  func connected(localPort port: Int32, over sockets: [Int32]) {
    guard port > 0, let socket = sockets.first(where: { Self.localPort(of: $0) == port }) else { return }
    connectedSockets[port] = socket
    localPorts[socket] = port
  }

  /// Whether there is something to be read from an idle connection, which only ever means that it is of no use any more.
  func hasInput(onLocalPort port: Int32) -> Bool {
    guard let socket = connectedSockets[port] else { return false }
    var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0
  }

  private static func localPort(of socket: Int32) -> Int32? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard code == 0 else { return nil }
    return withUnsafePointer(to: &address) { pointer in
      // The port is in the same place for both families.
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
      ? "Close files, allow fewer loads at a time, or raise the limit (ulimit -n)." : "Try again later."
    return TransferFailure(
      .outOfDescriptors, message: "Could not open a socket: \(reason). \(advice)")
  }
}
