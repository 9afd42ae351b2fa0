import Glibc

/// The network interfaces of this machine.
enum NetworkInterfaces {
  /// Returns the IPv4 addresses with which other machines reach this one, without those of bridges that containers use.
  static func addresses() -> [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var addresses: [String] = []
    for interface in sequence(first: first, next: { $0?.pointee.ifa_next }) {
      guard let interface, let address = interface.pointee.ifa_addr else { continue }
      let flags = Int32(bitPattern: interface.pointee.ifa_flags)
      let name = String(cString: interface.pointee.ifa_name)
      guard address.pointee.sa_family == sa_family_t(AF_INET), flags & Int32(IFF_UP) != 0,
        flags & Int32(IFF_LOOPBACK) == 0,
        !["docker", "br-", "veth", "virbr"].contains(where: { name.hasPrefix($0) })
      else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let length = socklen_t(MemoryLayout<sockaddr_in>.size)
      guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
        continue
      }
      addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    return addresses
  }
}
