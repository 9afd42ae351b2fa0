import CLinux
import Glibc

/// The sockets of one loop and their epoll registrations, indexed by descriptor.
///
/// libcurl removes the socket of a kept-alive connection after each response and adds it again for the next request.
/// For connections that we open and close ourselves, a removal is therefore only recorded, which saves two system calls
/// for each request. If such a socket becomes ready in the meantime because the server closed it, it is removed then.
struct SocketTable<Owner: AnyObject>: ~Copyable {
  private struct Slot {
    var owner: Unmanaged<Owner>?
    var wanted: UInt32 = 0
    var registered: UInt32 = 0
    /// Whether we opened the socket. Then we also close it, so no stale registration can remain.
    var isConnection = false
    /// The number of the last look before the connection became idle.
    var idleSinceLook: UInt64 = 0
  }

  private let epoll: Int32
  private var slots: [Slot] = []
  /// While not nil, connections that wait for a response are kept here instead of in epoll.
  private var heldBack: [Int32]?
  /// The number of times that epoll was asked for the sockets that are ready.
  private var looks: UInt64 = 0
  /// Whether the sockets that were ready at the last look are known.
  private var hasLooked = false

  init(epoll: Int32) { self.epoll = epoll }

  /// Returns a negative number if the system has no descriptor left.
  static func makeEpoll() -> Int32 { epoll_create1(Int32(EPOLL_CLOEXEC)) }

  /// Records that a connection was opened.
  mutating func opened(_ socket: Int32) {
    grow(to: socket)
    slots[Int(socket)] = Slot(isConnection: true)
  }

  /// Records that a connection is about to be closed, and removes it from epoll. The kernel would only do this if no
  /// other process had the socket open, but a child process that was forked without `exec` does.
  mutating func closed(_ socket: Int32) {
    guard Int(socket) < slots.count else { return }
    register(0, at: Int(socket))
    slots[Int(socket)] = Slot()
  }

  /// Sets the events that libcurl waits for; 0 means none.
  mutating func want(_ events: UInt32, on socket: Int32, for owner: Unmanaged<Owner>) {
    guard socket >= 0 else { return }
    grow(to: socket)
    let index = Int(socket)
    slots[index].owner = owner
    slots[index].wanted = events
    if heldBack != nil, slots[index].isConnection, events == EPOLLIN.rawValue {
      register(0, at: index)
      heldBack?.append(socket)
      return
    }
    if events == 0, slots[index].isConnection {
      slots[index].idleSinceLook = looks
      return
    }
    register(events, at: index)
    if events == 0 { slots[index] = Slot() }
  }

  /// Returns the client that waits for a ready socket; nil if there is none.
  mutating func owner(ofReady socket: Int32) -> Unmanaged<Owner>? {
    guard Int(socket) < slots.count else { return nil }
    let slot = slots[Int(socket)]
    if slot.wanted == 0 {
      register(0, at: Int(socket))
      return nil
    }
    return slot.owner
  }

  /// Returns the client whose connection is ready although it is idle; nil if there is none.
  func owner(ofIdle socket: Int32) -> Unmanaged<Owner>? {
    guard Int(socket) < slots.count, slots[Int(socket)].isConnection else { return nil }
    return slots[Int(socket)].owner
  }

  /// Epoll is about to be asked for the sockets that are ready.
  mutating func beginLook() {
    looks += 1
    hasLooked = false
  }

  /// The owners of all sockets that were ready have been asked for.
  mutating func endLook() { hasLooked = true }

  /// Whether the last look would have shown input on this idle connection. The caller must otherwise poll it.
  func hasSeenNoInput(on socket: Int32) -> Bool {
    guard hasLooked, Int(socket) < slots.count else { return false }
    let slot = slots[Int(socket)]
    // A connection that was ready while idle is no longer registered.
    return slot.registered & EPOLLIN.rawValue != 0 && slot.idleSinceLook < looks
  }

  /// Starts holding back connections: the caller polls them itself.
  mutating func holdBack() { heldBack = [] }

  /// The only connection that is held back and waits for a response; nil if there is none or more than one.
  var onlyHeldBack: Int32? {
    guard let heldBack, let socket = heldBack.last, heldBack.allSatisfy({ $0 == socket }),
      slots[Int(socket)].wanted == EPOLLIN.rawValue
    else { return nil }
    return socket
  }

  /// Registers the connections that were held back and are still waiting with epoll.
  mutating func releaseHeldBack() {
    let sockets = heldBack ?? []
    heldBack = nil
    for socket in sockets where slots[Int(socket)].isConnection {
      register(slots[Int(socket)].wanted, at: Int(socket))
    }
  }

  private mutating func grow(to socket: Int32) {
    while slots.count <= Int(socket) { slots.append(Slot()) }
  }

  private mutating func register(_ events: UInt32, at index: Int) {
    let known = slots[index].registered
    guard known != events else { return }
    slots[index].registered = events
    let socket = Int32(index)
    var event = epoll_event()
    event.events = events
    event.data.fd = socket
    if events == 0 {
      epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event)
    } else if known == 0 {
      if epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) != 0, errno == EEXIST {
        epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event)
      }
    } else if epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) != 0, errno == ENOENT {
      epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event)
    }
  }
}

/// Identifies an open connection of a client. Connections to different servers may have the same local port.
struct ConnectionEnds: Hashable {
  var localPort: Int32
  var remoteAddress: String
  var remotePort: Int32
}

/// The sockets of a client's open connections. libcurl identifies a connection only by its ends.
struct ConnectedSockets {
  private var sockets: [ConnectionEnds: Int32] = [:]
  private var ends: [Int32: ConnectionEnds] = [:]
  /// The connections that requests must no longer use.
  private var retired: Set<ConnectionEnds> = []

  mutating func connected(_ connection: ConnectionEnds, over socket: Int32) {
    closed(socket)
    sockets[connection] = socket
    ends[socket] = connection
  }

  mutating func closed(_ socket: Int32) {
    guard let connection = ends.removeValue(forKey: socket), sockets[connection] == socket else { return }
    sockets[connection] = nil
    retired.remove(connection)
  }

  /// Retires all connections that are open now.
  mutating func retireAll() { retired.formUnion(sockets.keys) }

  func isRetired(_ connection: ConnectionEnds) -> Bool { !retired.isEmpty && retired.contains(connection) }

  subscript(connection: ConnectionEnds) -> Int32? { sockets[connection] }
}
