import CLinux
import Glibc

/// A bound, listening socket, which is closed on deinitialization.
struct ListeningSocket: ~Copyable {
  let descriptor: Int32
  /// The port; 0 for a Unix socket.
  let port: UInt16
  private let path: String?

  init(_ address: HTTPServerConfiguration.Address) throws(HTTPServerError) {
    switch address {
    case .unixSocket(let path):
      var unix = sockaddr_un()
      unix.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      guard !bytes.isEmpty, !bytes.contains(0), bytes.count < MemoryLayout.size(ofValue: unix.sun_path) else {
        throw HTTPServerError(.cannotListen, "The path of a Unix socket must have 1 to 107 bytes.")
      }
      withUnsafeMutableBytes(of: &unix.sun_path) { $0.copyBytes(from: bytes) }
      if Self.isAbandoned(unix, path) { unlink(path) }
      descriptor = try Self.listen(AF_UNIX, unix)
      port = 0
      self.path = path
    case .ip(let host, let wanted):
      var four = sockaddr_in()
      var six = sockaddr_in6()
      if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = wanted.bigEndian
        descriptor = try Self.listen(AF_INET, four)
      } else if inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = wanted.bigEndian
        descriptor = try Self.listen(AF_INET6, six)
      } else {
        throw HTTPServerError(.cannotListen, "\(host.debugDescription) is not an IP address.")
      }
      port = Self.boundPort(descriptor)
      path = nil
    }
  }

  deinit {
    close(descriptor)
    if let path { unlink(path) }
  }

  private static func listen<Address>(_ family: Int32, _ address: Address) throws(HTTPServerError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else {
      throw HTTPServerError(.cannotListen, "A socket cannot be created", errno: errno)
    }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let size = socklen_t(MemoryLayout<Address>.size)
    let isBound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
    }
    guard isBound, Glibc.listen(descriptor, backlog) == 0 else {
      let code = errno
      close(descriptor)
      throw HTTPServerError(.cannotListen, "The server cannot listen on the address", errno: code)
    }
    return descriptor
  }

  static let backlog: Int32 = 4096

  /// Returns whether the path is a socket file that no process listens on, as a killed server leaves behind.
  private static func isAbandoned(_ address: sockaddr_un, _ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let probe = socket(AF_UNIX, type, 0)
    guard probe >= 0 else { return false }
    defer { close(probe) }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0 && errno == ECONNREFUSED
      }
    }
  }

  private static func boundPort(_ descriptor: Int32) -> UInt16 {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    // The port is at the same offset in both kinds of address.
    return UInt16(bigEndian: address.sin6_port)
  }
}
