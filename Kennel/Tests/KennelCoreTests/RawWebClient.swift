import Foundation
import Glibc
import TestSupport

/// Sends the given bytes unchanged, and reads until the server closes the connection.
final class RawWebClient: Sendable {
  struct Failure: Error {
    var number: Int32
  }

  private let descriptor: Int32

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw Failure(number: errno) }
    // With a time-out, a server that hangs fails the test and does not block it.
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Returns the complete response. It blocks, so it runs on a separate thread.
  func exchange(_ head: String, _ body: Data = Data()) async throws -> String {
    let bytes = Array(head.utf8) + body
    let answer = try await runOnThread { try self.exchange(bytes) }
    return String(decoding: answer, as: UTF8.self)
  }

  private func exchange(_ bytes: [UInt8]) throws -> [UInt8] {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      sent += count
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno != ECONNRESET { throw Failure(number: errno) }
      if count <= 0 { return answer }
      answer += buffer[..<count]
    }
  }
}
