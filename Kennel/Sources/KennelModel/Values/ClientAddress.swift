import Glibc

enum ClientAddress {
  /// Returns the key by which attempts are counted: an IPv4 address, or the 64-bit prefix of an IPv6 address. A single
  /// client usually owns the complete prefix.
  static func key(_ address: String) -> String {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, String(address.prefix { $0 != "%" }), &bytes) == 1 else { return address }
    let all = withUnsafeBytes(of: &bytes) { Array($0) }
    // ::ffff:a.b.c.d is an IPv4 client on a dual-stack socket.
    if all[..<10].allSatisfy({ $0 == 0 }), all[10] == 0xff, all[11] == 0xff {
      return all[12...].map { String($0) }.joined(separator: ".")
    }
    return all[..<8].map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }
}
