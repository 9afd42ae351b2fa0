import Foundation
import Glibc

/// A client that sends exactly the given bytes on its own socket. Its calls block the calling thread.
public final class RawClient: Sendable {
  /// The connection could not be established, ended early, or was silent for too long.
  public struct Failure: Error, CustomStringConvertible {
    /// The call that failed, and why.
    public let description: String
  }

  /// The connected socket. The client closes it.
  public let descriptor: Int32

  /// Connects to a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - receiveBuffer: The size of the kernel's receive buffer (default: the system's).
  ///   - limit: The maximum time in seconds that sending or receiving may wait; 0 for no maximum. With it, a server
  ///     that hangs fails the test instead of blocking it.
  public convenience init(port: UInt16, receiveBuffer: Int32? = nil, limit: Int = 90) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try self.init(family: AF_INET, address, receiveBuffer: receiveBuffer, limit: limit)
  }

  /// Connects to a Unix socket.
  public convenience init(socket path: String, limit: Int = 90) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw TestSupportError("The socket's path is too long: \(path)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try self.init(family: AF_UNIX, address, receiveBuffer: nil, limit: limit)
  }

  private init<Address>(family: Int32, _ address: Address, receiveBuffer: Int32?, limit: Int) throws {
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ListeningSocket.failure("Could not create a socket") }
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
    }
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    // All properties are initialized, so the deinitializer closes the descriptor.
    guard code == 0 else { throw Self.failure("connect") }
    var limit = timeval(tv_sec: limit, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { Glibc.close(descriptor) }

  static func failure(_ call: String) -> Failure {
    Failure(description: "\(call): \(String(cString: strerror(errno)))")
  }

  /// Runs blocking calls on a separate thread.
  public func blocking<Value: Sendable>(
    _ body: @escaping @Sendable (RawClient) throws -> Value
  ) async throws -> Value {
    try await runOnThread { try body(self) }
  }

  // MARK: Sending

  /// Sends text as UTF-8. The caller includes the line ends.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends all of `bytes`.
  public func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Self.failure("send") }
      sent += count
    }
  }

  /// Sends small pieces immediately, without waiting for acknowledgements (TCP_NODELAY).
  public func sendWithoutDelay() {
    var immediate: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &immediate, socklen_t(MemoryLayout<Int32>.size))
  }

  // MARK: Reading

  /// Reads at most `count` bytes; returns none at the end of the connection or after a reset.
  public func read(upTo count: Int = 65536) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = recv(descriptor, &buffer, count, 0)
    if got < 0 {
      if errno == ECONNRESET { return [] }
      throw Self.failure("recv")
    }
    return Array(buffer[..<got])
  }

  /// Reads until the server closes the connection.
  public func readToEnd() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let more = try read()
      if more.isEmpty { return all }
      all += more
    }
  }

  /// Reads exactly `count` bytes.
  public func read(exactly count: Int) throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
      let more = try read(upTo: count - all.count)
      if more.isEmpty { throw Failure(description: "ended after \(all.count) of \(count) bytes") }
      all += more
    }
    return all
  }

  // MARK: Ending

  /// Ends the connection with a reset.
  public func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    // This object still owns the descriptor number, so the number is reused for /dev/null.
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(nothing, descriptor)
    Glibc.close(nothing)
  }

  /// Closes the connection normally.
  public func leave() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
