#if !canImport(Darwin)
import Glibc

/// Which networks the machine has, read from the kernel's messages (rtnetlink(7)). It uses no socket.
///
/// The machine is online if it has a default route over an interface that is up, is not the loopback interface, and has
/// a carrier. The names of a message's fields are those of the manual.
struct NetworkState: Sendable, Equatable {
  private struct Link: Sendable, Equatable {
    var isUsable: Bool
  }

  private struct Route: Sendable, Hashable {
    var family: UInt8
    /// The interface; 0 if the route names several.
    var link: Int32
    var table: UInt32
    var priority: UInt32
  }

  /// The end of a dump, and errors.
  enum Outcome: Sendable, Equatable {
    case more
    case done
    case failed
  }

  private var links: [Int32: Link] = [:]
  private var routes: Set<Route> = []

  /// Whether there is a way to other networks.
  var isOnline: Bool {
    routes.contains { route in
      route.link == 0 ? links.values.contains { $0.isUsable } : links[route.link]?.isUsable == true
    }
  }

  // MARK: Messages

  /// Takes one datagram of the kernel. Anything that is not understood is ignored.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    var rest = bytes[...]
    var outcome = Outcome.more
    // struct nlmsghdr: length, type, flags, sequence number, port.
    while rest.count >= 16 {
      let start = UnsafeRawBufferPointer(rebasing: rest)
      let length = Int(start.loadUnaligned(as: UInt32.self))
      guard length >= 16, length <= start.count else { return .failed }
      let type = start.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
      let payload = UnsafeRawBufferPointer(rebasing: start[16..<length])
      switch type {
      case 2: return .failed  // NLMSG_ERROR
      case 3: outcome = .done  // NLMSG_DONE
      case 16: takeLink(payload, isRemoved: false)  // RTM_NEWLINK
      case 17: takeLink(payload, isRemoved: true)  // RTM_DELLINK
      case 24: takeRoute(payload, isRemoved: false)  // RTM_NEWROUTE
      case 25: takeRoute(payload, isRemoved: true)  // RTM_DELROUTE
      default: break
      }
      rest = rest.dropFirst(min(Self.aligned(length), rest.count))
    }
    return outcome
  }

  private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

  /// struct ifinfomsg: family, type, index, flags, change.
  private mutating func takeLink(_ message: UnsafeRawBufferPointer, isRemoved: Bool) {
    guard message.count >= 16 else { return }
    let index = message.loadUnaligned(fromByteOffset: 4, as: Int32.self)
    let flags = message.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    let (up, loopback, running): (UInt32, UInt32, UInt32) = (0x1, 0x8, 0x40)
    let isUsable = flags & up != 0 && flags & running != 0 && flags & loopback == 0
    links[index] = isRemoved ? nil : Link(isUsable: isUsable)
  }

  /// struct rtmsg: family, lengths of the destination and the source, tos, table, protocol, scope, type, flags.
  private mutating func takeRoute(_ message: UnsafeRawBufferPointer, isRemoved: Bool) {
    guard message.count >= 12, message[1] == 0, message[7] == 1 else { return }  // RTN_UNICAST to anywhere
    let family = message[0]
    guard family == UInt8(AF_INET) || family == UInt8(AF_INET6) else { return }
    var route = Route(family: family, link: 0, table: UInt32(message[4]), priority: 0)
    var rest = message.dropFirst(12)
    while rest.count >= 4 {
      let start = UnsafeRawBufferPointer(rebasing: rest)
      let length = Int(start.loadUnaligned(as: UInt16.self))
      guard length >= 4, length <= start.count else { break }
      if length >= 8 {
        let value = start.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        switch start.loadUnaligned(fromByteOffset: 2, as: UInt16.self) {
        case 4: route.link = Int32(bitPattern: value)  // RTA_OIF
        case 6: route.priority = value  // RTA_PRIORITY
        case 15: route.table = value  // RTA_TABLE
        default: break
        }
      }
      rest = rest.dropFirst(min(Self.aligned(length), rest.count))
    }
    if isRemoved { routes.remove(route) } else { routes.insert(route) }
  }
}
#endif
