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

  private let client: RawClient
  private var unread: [UInt8] = []

  var descriptor: Int32 { client.descriptor }

  convenience init(port: Int) throws {
    try self.init { try RawClient(port: UInt16(clamping: port), limit: 30) }
    client.sendWithoutDelay()
  }

  convenience init(socket path: String) throws {
    try self.init { try RawClient(socket: path, limit: 30) }
  }

  private init(_ connect: () throws -> RawClient) throws {
    do { client = try connect() } catch is RawClient.Failure { throw Gone() }
  }

  func send(_ bytes: [UInt8]) throws {
    do { try client.send(bytes) } catch is RawClient.Failure { throw Gone() }
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
    // Without a body, there is no length.
    guard let length = status == 204 ? 0 : length else {
      throw TestSupportError("A response of unknown length: \(head)")
    }
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
