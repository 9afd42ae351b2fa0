import Foundation
import Glibc
import TestSupport

/// A client that sends exactly the given bytes on its own socket.
final class RawClient: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  struct Response {
    var status: Int
    var head: String
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }

    func field(_ name: String) -> String? {
      for line in head.components(separatedBy: "\r\n").dropFirst() {
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
          continue
        }
        return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      return nil
    }
  }

  let descriptor: Int32

  init(port: UInt16, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      // All properties are initialized, so the deinitializer closes the descriptor.
      throw Failure(description: "connect: \(String(cString: strerror(errno)))")
    }
    // With a time-out, a server that hangs fails the test instead of blocking it.
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { Glibc.close(descriptor) }

  /// Runs blocking calls on a separate thread.
  func blocking<Value: Sendable>(_ body: @escaping @Sendable (RawClient) throws -> Value) async throws
    -> Value
  {
    try await runOnThread { try body(self) }
  }

  /// Ends the connection with a reset.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    // This object still owns the descriptor number, so the number is reused for /dev/null.
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(nothing, descriptor)
    Glibc.close(nothing)
  }

  /// Closes the connection normally.
  func leave() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "send: \(String(cString: strerror(errno)))") }
      sent += count
    }
  }

  /// Reads at most `count` bytes; returns none at the end.
  func read(upTo count: Int = 65536) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = recv(descriptor, &buffer, count, 0)
    if got < 0 {
      if errno == ECONNRESET { return [] }
      throw Failure(description: "recv: \(String(cString: strerror(errno)))")
    }
    return Array(buffer[..<got])
  }

  func readToEnd() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let more = try read()
      if more.isEmpty { return all }
      all += more
    }
  }

  func read(exactly count: Int) throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
      let more = try read(upTo: count - all.count)
      if more.isEmpty { throw Failure(description: "ended after \(all.count) of \(count) bytes") }
      all += more
    }
    return all
  }

  func readLine() throws -> String {
    var line: [UInt8] = []
    while true {
      let byte = try read(exactly: 1)[0]
      if byte == 10 { return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self) }
      line.append(byte)
    }
  }

  func readHead() throws -> (status: Int, head: String) {
    var lines: [String] = []
    repeat { lines.append(try readLine()) } while lines.last != ""
    guard let status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") else {
      throw Failure(description: "no status line: \(lines[0])")
    }
    return (status, lines.dropLast().joined(separator: "\r\n"))
  }

  /// Reads one chunk of a chunked body; returns no bytes for the last one.
  func readChunk() throws -> [UInt8] {
    guard let count = Int(try readLine(), radix: 16) else { throw Failure(description: "no chunk size") }
    let bytes = try read(exactly: count)
    _ = try readLine()
    return bytes
  }

  func readResponse(hasBody: Bool = true) throws -> Response {
    let (status, head) = try readHead()
    var response = Response(status: status, head: head, body: [])
    guard hasBody, status != 304, status != 204 else { return response }
    if let length = response.field("Content-Length").flatMap(Int.init) {
      response.body = try read(exactly: length)
    } else if response.field("Transfer-Encoding") == "chunked" {
      while true {
        let chunk = try readChunk()
        if chunk.isEmpty { break }
        response.body += chunk
      }
    } else {
      response.body = try readToEnd()
    }
    return response
  }
}
