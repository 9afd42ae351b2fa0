import Foundation
import Glibc
import Synchronization

/// An accepted connection. Its script uses it on a separate thread, and every call blocks that thread.
///
/// A call throws `Ended` if the client has disconnected or the server is stopping. Scripts rethrow it.
public final class ScriptedConnection: Sendable {
  /// Why a blocking call stopped.
  public enum Ended: Error, Sendable {
    /// The client closed or reset the connection.
    case byPeer
    /// The server is stopping.
    case byServer
    /// The received data was not a valid request.
    case unreadable
  }

  /// The index of this connection, starting from 0.
  public let index: Int

  let descriptor: Int32
  let stopping: Signal
  let record: @Sendable (ScriptedRequest) -> Void

  private struct State {
    var isClosed = false
    var unread: [UInt8] = []
  }

  private let state = Mutex(State())

  init(
    descriptor: Int32, index: Int, stopping: Signal, record: @escaping @Sendable (ScriptedRequest) -> Void
  ) {
    self.descriptor = descriptor
    self.index = index
    self.stopping = stopping
    self.record = record
  }

  deinit { close() }

  // MARK: Sending

  /// Sends all of `bytes`.
  public func send(_ bytes: some Sequence<UInt8>) throws {
    let bytes = Array(bytes)
    var sent = 0
    try checkOpen()
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        try wait(.writable(descriptor))
      } else if errno != EINTR {
        throw Ended.byPeer
      }
    }
  }

  /// Sends text as UTF-8. The caller includes the line ends.
  public func send(_ text: String) throws { try send(text.utf8) }

  /// Sends a valid response.
  public func send(_ reply: Reply) throws { try send(reply.bytes) }

  /// Sends bytes one at a time, each in its own segment.
  ///
  /// - Parameter pause: The time after each byte for the client to read it alone. It does not guarantee that the client
  ///   does.
  public func sendSlowly(_ bytes: some Sequence<UInt8>, pause: Duration = .microseconds(200)) throws {
    for byte in bytes {
      try send(CollectionOfOne(byte))
      try pacing(pause)
    }
  }

  /// Waits for a moment, for servers that send slowly. Stops early if the server is stopping.
  public func pacing(_ pause: Duration) throws {
    if stopping.wait(pause) { throw Ended.byServer }
  }

  // MARK: Reading

  /// Reads at most `limit` available bytes. Returns an empty array at the end of the stream.
  public func read(upTo limit: Int = 65536) throws -> [UInt8] {
    let buffered = state.withLock { state in
      let taken = Array(state.unread.prefix(limit))
      state.unread.removeFirst(taken.count)
      return taken
    }
    guard buffered.isEmpty else { return buffered }
    try checkOpen()
    var buffer = [UInt8](repeating: 0, count: limit)
    while true {
      let count = recv(descriptor, &buffer, limit, 0)
      if count >= 0 { return Array(buffer[..<count]) }
      if errno == EAGAIN {
        try wait(.readable(descriptor))
      } else if errno != EINTR {
        throw Ended.byPeer
      }
    }
  }

  /// Reads exactly `count` bytes.
  public func read(exactly count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try read(upTo: count - bytes.count)
      if more.isEmpty { throw Ended.byPeer }
      bytes += more
    }
    return bytes
  }

  /// Reads and discards everything until the client closes or resets the connection.
  public func readUntilClosed() throws {
    do {
      while try !read().isEmpty {}
    } catch Ended.byPeer {
      return
    }
  }

  /// Reads and records one request with its body (by length or chunked). Responds to `Expect: 100-continue`.
  public func readRequest() throws -> ScriptedRequest {
    guard let request = try nextRequest() else { throw Ended.byPeer }
    return request
  }

  /// The same, but returns nil if the client closed the connection instead of sending another request.
  public func nextRequest() throws -> ScriptedRequest? {
    guard let head = try readHead() else { return nil }
    return try readRest(of: head)
  }

  /// Reads the body of a request whose head `readHead()` returned, like `readRequest()`.
  public func readRest(of head: ScriptedRequest) throws -> ScriptedRequest {
    var request = head
    if request["Expect"]?.lowercased() == "100-continue" { try send("HTTP/1.1 100 Continue\r\n\r\n") }
    request.body = Data(try readBody(of: request))
    record(request)
    return request
  }

  /// Reads one request's head without its body. The request is not recorded.
  public func readHead() throws -> ScriptedRequest? {
    var head: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while true {
      let more = try read()
      if more.isEmpty {
        if head.isEmpty { return nil }
        throw Ended.byPeer
      }
      let searched = max(0, head.count - 3)
      head += more
      guard let range = head[searched...].firstRange(of: end) else { continue }
      let rest = Array(head[range.upperBound...])
      state.withLock { $0.unread = rest + $0.unread }
      guard let request = ScriptedRequest(head: Data(head[..<range.lowerBound]), connection: index) else {
        throw Ended.unreadable
      }
      return request
    }
  }

  /// Returns and clears the bytes that were read too far, so that they can be forwarded.
  func takeUnread() -> [UInt8] {
    state.withLock { state in
      defer { state.unread = [] }
      return state.unread
    }
  }

  /// Reads the body of a request whose head has been read.
  public func readBody(of request: ScriptedRequest) throws -> [UInt8] {
    if request["Transfer-Encoding"]?.lowercased().contains("chunked") == true {
      var body: [UInt8] = []
      while true {
        let line = try readLine().prefix { $0 != UInt8(ascii: ";") }
        guard let size = Int(String(decoding: line, as: UTF8.self), radix: 16) else { throw Ended.unreadable }
        body += try read(exactly: size)
        if size > 0 {
          _ = try readLine()
        } else {
          while try !readLine().isEmpty {}
          return body
        }
      }
    }
    guard let length = request["Content-Length"].flatMap({ Int($0) }) else { return [] }
    return try read(exactly: length)
  }

  /// Reads the first `limit` bytes of the body of a request whose head has been read, in pieces as they arrive. After less
  /// than the complete body, the rest must not be read as a body.
  public func readBody(
    of request: ScriptedRequest, upTo limit: Int = .max, each use: ([UInt8]) throws -> Void
  ) throws {
    var left = limit
    func pass(_ count: Int) throws {
      var missing = min(count, left)
      left -= missing
      while missing > 0 {
        let piece = try read(upTo: min(missing, 65536))
        if piece.isEmpty { throw Ended.byPeer }
        missing -= piece.count
        try use(piece)
      }
    }
    guard request["Transfer-Encoding"]?.lowercased().contains("chunked") == true else {
      return try pass(request["Content-Length"].flatMap { Int($0) } ?? 0)
    }
    while left > 0 {
      let line = try readLine().prefix { $0 != UInt8(ascii: ";") }
      guard let size = Int(String(decoding: line, as: UTF8.self), radix: 16) else { throw Ended.unreadable }
      if size == 0 {
        while try !readLine().isEmpty {}
        return
      }
      try pass(size)
      if left > 0 { _ = try readLine() }
    }
  }

  private func readLine() throws -> [UInt8] {
    var line: [UInt8] = []
    while true {
      let byte = try read(exactly: 1)[0]
      if byte == UInt8(ascii: "\n") { return line.last == UInt8(ascii: "\r") ? line.dropLast() : line }
      line.append(byte)
    }
  }

  // MARK: Waiting and ending

  /// Waits until the gate opens.
  public func wait(for gate: Gate) throws {
    let opened = try Signal()
    let token = gate.onOpen { opened.raise() }
    defer { gate.abandon(token: token) }
    try wait(.readable(opened.descriptor))
  }

  /// Keeps the connection open and silent until the server stops.
  public func hold() throws {
    _ = Polling.wait(for: [.readable(stopping.descriptor)], within: nil)
    throw Ended.byServer
  }

  /// Ends the sending side, so that the client reads the end of the stream. Reading is still possible.
  public func finishSending() {
    if state.withLock({ $0.isClosed }) { return }
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Closes the connection. Unread bytes from the client may turn this into a reset.
  public func close() {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed
    }
    if !wasClosed { Glibc.close(descriptor) }
  }

  /// Ends the connection with a reset (RST).
  public func reset() {
    var abortive = linger(l_onoff: 1, l_linger: 0)
    if !state.withLock({ $0.isClosed }) {
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abortive, socklen_t(MemoryLayout<linger>.size))
    }
    close()
  }

  /// A closed descriptor may already belong to someone else, whose bytes must not be read.
  private func checkOpen() throws {
    if state.withLock({ $0.isClosed }) { throw Ended.byServer }
  }

  private func wait(_ interest: Polling.Interest) throws {
    try checkOpen()
    let ready = Polling.wait(for: [.readable(stopping.descriptor), interest], within: nil)
    if ready == 0 { throw Ended.byServer }
  }
}
