import Foundation
import Glibc
import TestSupport

/// A blocking keep-alive connection for one thread, which immediately reports that the server is gone.
///
/// It needs less CPU time than a real client, because a test sends tens of thousands of requests while the server needs
/// the processors.
final class LoadConnection {
  struct Answer {
    var status: Int
    var body: Data

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try JSONDecoder().decode(type, from: body)
    }
  }

  /// The server closed the connection, or no server is listening.
  struct Gone: Error {}

  let descriptor: Int32
  private var unread: [UInt8] = []

  convenience init(port: Int) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try self.init(family: AF_INET, address)
    var immediate: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &immediate, socklen_t(MemoryLayout<Int32>.size))
  }

  convenience init(socket path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw TestSupportError("The socket's path is too long: \(path)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try self.init(family: AF_UNIX, address)
  }

  private init<Address>(family: Int32, _ address: Address) throws {
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw TestSupportError("No socket: \(String(cString: strerror(errno)))") }
    // With a time-out, a server that hangs fails the test instead of blocking it.
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    // `deinit` closes the descriptor.
    guard code == 0 else { throw Gone() }
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.send(
          descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Gone() }
      sent += count
    }
  }

  /// Sends a request.
  ///
  /// - Parameter fields: complete header lines.
  func send(_ method: String, _ path: String, fields: String = "", body: Data = Data()) throws {
    let length = method == "GET" ? "" : "Content-Length: \(body.count)\r\n"
    try send(Array("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\(length)\r\n".utf8) + body)
  }

  func ask(
    _ method: String, _ path: String, fields: String = "", body: Data = Data()
  ) throws -> Answer {
    try send(method, path, fields: fields, body: body)
    return try answer()
  }

  /// Reads the next response, which must have a Content-Length.
  func answer() throws -> Answer {
    let head = try text(through: "\r\n\r\n")
    let lines = head.split(separator: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw TestSupportError("No response: \(head)")
    }
    let length = lines.lazy.map { $0.lowercased() }.first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
    guard let length else { throw TestSupportError("A response of unknown length: \(head)") }
    while unread.count < length { try receive() }
    defer { unread.removeFirst(length) }
    return Answer(status: status, body: Data(unread[..<length]))
  }

  /// Reads the text up to and including `end`.
  func text(through end: String) throws -> String {
    let wanted = Array(end.utf8)
    var searched = 0
    while true {
      if let found = unread.firstIndex(of: wanted, from: searched) {
        defer { unread.removeFirst(found + wanted.count) }
        return String(decoding: unread[..<(found + wanted.count)], as: UTF8.self)
      }
      searched = max(0, unread.count - wanted.count)
      try receive()
    }
  }

  private func receive() throws {
    try withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      guard count > 0 else { throw Gone() }
      unread += UnsafeRawBufferPointer(buffer)[..<count]
    }
  }
}

extension [UInt8] {
  /// Returns the first index of the bytes at `start` or after it.
  func firstIndex(of wanted: [UInt8], from start: Int = 0) -> Int? {
    guard let first = wanted.first else { return start }
    return withUnsafeBytes { here -> Int? in
      guard let base = here.baseAddress else { return nil }
      var index = start
      while index + wanted.count <= here.count {
        guard let found = memchr(base + index, Int32(first), here.count - wanted.count - index + 1) else {
          return nil
        }
        if memcmp(found, wanted, wanted.count) == 0 { return UnsafeRawPointer(found) - base }
        index = UnsafeRawPointer(found) - base + 1
      }
      return nil
    }
  }
}
