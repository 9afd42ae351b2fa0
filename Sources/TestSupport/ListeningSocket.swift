import Foundation
import Glibc

/// Where a scripted server listens.
public enum ServerEndpoint: Sendable, Hashable {
  /// 127.0.0.1, with a port that the system chooses.
  case ipv4
  /// [::1], with a port that the system chooses.
  case ipv6
  /// A Unix domain socket at this path (maximum: 107 bytes).
  case unixSocket(String)
}

/// A bound, listening socket. Its owner closes it.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  init(on endpoint: ServerEndpoint, backlog: Int32 = 1024) throws {
    (descriptor, port) = try Self.bound(on: endpoint)
    guard Glibc.listen(descriptor, backlog) == 0 else {
      defer { close(descriptor) }
      throw Self.failure("Could not listen on the socket")
    }
  }

  /// Creates a socket that is bound to its address but does not listen yet.
  static func bound(on endpoint: ServerEndpoint) throws -> (descriptor: Int32, port: UInt16) {
    switch endpoint {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return try bind(family: AF_INET, address)
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      return try bind(family: AF_INET6, address)
    case .unixSocket(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw TestSupportError("The socket path is too long: \(path)")
      }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      unlink(path)
      return try bind(family: AF_UNIX, address)
    }
  }

  /// Returns a port of 127.0.0.1 that was free a moment ago, for servers that cannot bind port 0 and report the port.
  static func freePort() throws -> UInt16 {
    let socket = try ListeningSocket(on: .ipv4)
    close(socket.descriptor)
    return socket.port
  }

  private static func bind<Address>(family: Int32, _ address: Address) throws -> (Int32, UInt16) {
    let descriptor = socket(
      family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw failure("Could not create a socket") }
    var reuse: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var address = address
    let size = socklen_t(MemoryLayout<Address>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, size) }
    }
    guard bound == 0 else {
      defer { close(descriptor) }
      throw failure("Could not bind the socket to its address")
    }
    guard family != AF_UNIX else { return (descriptor, 0) }
    var actual = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    _ = withUnsafeMutablePointer(to: &actual) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    // The port is at the same offset in sockaddr_in and sockaddr_in6.
    return (descriptor, UInt16(bigEndian: actual.sin6_port))
  }

  static func failure(_ what: String) -> TestSupportError {
    TestSupportError("\(what): \(String(cString: strerror(errno)))")
  }
}
