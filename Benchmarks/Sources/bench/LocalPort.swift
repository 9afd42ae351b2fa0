// TCP ports of this machine.
import Foundation

enum LocalPort {
  /// Returns a free port.
  static func free() throws -> Int {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = loopback(port: 0)
    guard withSockaddr(&address, { bind(listener, $0, $1) }) == 0 else { throw Problem("no port is free") }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withSockaddr(&address) { pointer, _ in getsockname(listener, pointer, &length) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Waits until a program listens on the port. Returns false if none does in time.
  static func waitUntilOpen(_ port: Int, seconds: Double) -> Bool {
    for _ in 0..<Int(seconds * 40) {
      let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(probe) }
      var address = loopback(port: port)
      if withSockaddr(&address, { connect(probe, $0, $1) }) == 0 { return true }
      usleep(25_000)
    }
    return false
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

private func withSockaddr<Result>(
  _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
