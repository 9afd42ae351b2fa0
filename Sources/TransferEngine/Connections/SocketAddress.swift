import Glibc

/// The address of a socket as bytes.
struct SocketAddress: Equatable {
  let family: sa_family_t
  let bytes: [UInt8]

  /// Parses a number: an IPv4 or IPv6 address, the latter with or without brackets.
  init?(_ text: String, port: UInt16) {
    let text = text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
    var v4 = sockaddr_in()
    if inet_pton(AF_INET, text, &v4.sin_addr) == 1 {
      v4.sin_family = sa_family_t(AF_INET)
      v4.sin_port = port.bigEndian
      family = v4.sin_family
      bytes = withUnsafeBytes(of: v4) { Array($0) }
      return
    }
    var v6 = sockaddr_in6()
    guard inet_pton(AF_INET6, text, &v6.sin6_addr) == 1 else { return nil }
    v6.sin6_family = sa_family_t(AF_INET6)
    v6.sin6_port = port.bigEndian
    family = v6.sin6_family
    bytes = withUnsafeBytes(of: v6) { Array($0) }
  }

  /// Orders addresses so that the families alternate, beginning with that of the first one (RFC 8305, 4).
  static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let first = addresses.first else { return [] }
    let preferred = addresses.filter { $0.family == first.family }
    let others = addresses.filter { $0.family != first.family }
    var result: [SocketAddress] = []
    for index in 0..<max(preferred.count, others.count) {
      if index < preferred.count { result.append(preferred[index]) }
      if index < others.count { result.append(others[index]) }
    }
    return result
  }

  /// The text and port of one end of a socket; nil for a Unix-domain socket.
  static func text(of socket: Int32, isRemote: Bool) -> (address: String, port: Int)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> (String, Int)? in
        let code =
          isRemote ? getpeername(socket, address, &length) : getsockname(socket, address, &length)
        guard code == 0 else { return nil }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        guard
          getnameinfo(
            address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0
        else { return nil }
        let name = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let port = service.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return Int(String(decoding: port, as: UTF8.self)).map { (String(decoding: name, as: UTF8.self), $0) }
      }
    }
  }
}
