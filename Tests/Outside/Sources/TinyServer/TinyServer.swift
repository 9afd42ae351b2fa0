import Foundation
import Glibc

/// A server for tests: each connection has a thread, and a handler that reads and writes.
public final class TinyServer: @unchecked Sendable {
  // Unchecked because the descriptor is closed by `stop` only, and the rest does not change.
  /// The port that the server listens on.
  public let port: Int
  private let descriptor: Int32

  /// Starts a server. The connection is closed when the handler returns or throws.
  public init(_ handler: @escaping @Sendable (Connection) throws -> Void) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listening = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listening, pointer, size) == 0 && listen(listening, 64) == 0
          && getsockname(listening, pointer, &size) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread {
      while true {
        let client = accept(listening, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread {
          let connection = Connection(client)
          try? handler(connection)
          shutdown(client, Int32(SHUT_RDWR))
          close(client)
        }
      }
    }
  }

  /// Returns a URL of the server.
  public func url(_ path: String = "/", scheme: String = "http") -> URL {
    URL(string: "\(scheme)://127.0.0.1:\(port)\(path)")!
  }

  /// Takes no more connections.
  public func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  /// One connection of a client.
  public final class Connection {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads exactly a number of bytes.
    public func read(_ count: Int) throws -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      var filled = 0
      while filled < count {
        let rest = count - filled
        let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, rest, 0) }
        guard got > 0 else { throw POSIXError(.ECONNRESET) }
        filled += got
      }
      return bytes
    }

    /// Writes all bytes.
    public func write(_ bytes: [UInt8]) throws {
      var sent = 0
      while sent < bytes.count {
        let rest = bytes.count - sent
        let count = bytes.withUnsafeBytes {
          send(descriptor, $0.baseAddress! + sent, rest, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { throw POSIXError(.EPIPE) }
        sent += count
      }
    }

    /// Writes a text.
    public func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// The next request: its first line and its header fields in lower case; nil at the end of the connection.
    public func nextRequest() -> (line: [String], fields: [String: String])? {
      var head: [UInt8] = []
      while !head.ends([13, 10, 13, 10]) {
        guard let byte = try? read(1) else { return nil }
        head += byte
      }
      let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        fields[line[..<colon].lowercased()] =
          line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      return (lines[0].components(separatedBy: " "), fields)
    }

    /// Writes a response.
    public func respond(_ status: Int, _ fields: [String: String] = [:], body: [UInt8] = []) throws {
      var head = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.count)\r\n"
      for (name, value) in fields { head += "\(name): \(value)\r\n" }
      try write(Array((head + "\r\n").utf8) + body)
    }
  }
}

extension [UInt8] {
  fileprivate func ends(_ bytes: [UInt8]) -> Bool { suffix(bytes.count).elementsEqual(bytes) }
}
