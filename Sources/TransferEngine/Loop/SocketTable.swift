import CLinux
import Glibc

/// The sockets of one loop and what epoll was told about each, indexed by descriptor.
///
/// libcurl takes a kept-alive connection's socket out after each response and puts it back for the next request. For
/// the connections whose opening and closing pass through us, taking out is therefore only noted: two system calls
/// less a request. If such a socket does become ready in between (the server closed it), it is taken out then.
struct SocketTable: ~Copyable {
  private struct Slot {
    var owner: Unmanaged<ClientCore>?
    var wanted: UInt32 = 0
    var registered: UInt32 = 0
    /// Opened by us, so its closing will be told and stale registrations cannot outlive it.
    var isConnection = false
  }

  private let epoll: Int32
  private var slots: [Slot] = []
  /// While set, connections that wait for an answer are kept here instead of being given to epoll.
  private var heldBack: [Int32]?

  init(epoll: Int32) { self.epoll = epoll }

  /// Negative when the system has no descriptor left.
  static func makeEpoll() -> Int32 { epoll_create1(Int32(EPOLL_CLOEXEC)) }

  /// A connection of ours was opened.
  mutating func opened(_ socket: Int32) {
    grow(to: socket)
    slots[Int(socket)] = Slot(isConnection: true)
  }

  /// The connection is about to be closed. It is taken out of epoll by hand: the kernel does so by itself only when
  /// nobody else has it open, and a child that was forked without `exec` has.
  mutating func closed(_ socket: Int32) {
    guard Int(socket) < slots.count else { return }
    register(0, at: Int(socket))
    slots[Int(socket)] = Slot()
  }

  /// libcurl wants to hear of these events; none when `events` is empty.
  mutating func want(_ events: UInt32, on socket: Int32, for owner: Unmanaged<ClientCore>) {
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
    if events == 0, slots[index].isConnection { return }
    register(events, at: index)
    if events == 0 { slots[index] = Slot() }
  }

  /// Who is to be told that the socket is ready; nil when nobody waits for it.
  mutating func owner(ofReady socket: Int32) -> Unmanaged<ClientCore>? {
    guard Int(socket) < slots.count else { return nil }
    let slot = slots[Int(socket)]
    if slot.wanted == 0 {
      register(0, at: Int(socket))
      return nil
    }
    return slot.owner
  }

  /// From now on connections are held back: the caller is going to look at them itself.
  mutating func holdBack() { heldBack = [] }

  /// The one connection that is held back and waits for an answer; nil when there is none, or more than one.
  var onlyHeldBack: Int32? {
    guard let heldBack, let socket = heldBack.last, heldBack.allSatisfy({ $0 == socket }),
      slots[Int(socket)].wanted == EPOLLIN.rawValue
    else { return nil }
    return socket
  }

  /// Gives epoll what was held back and is still wanted.
  mutating func letGo() {
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
