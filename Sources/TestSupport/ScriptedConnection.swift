import Foundation
import Glibc
import Synchronization

/// One accepted connection, used by its script on a thread of its own; every call blocks that thread.
///
/// A call throws `Ended` when the peer is gone or the server is being stopped: scripts let it through.
public final class ScriptedConnection: Sendable {
  /// Why a blocking call did not go on.
  public enum Ended: Error, Sendable {
    /// The peer closed or reset the connection.
    case byPeer
    /// The server is being stopped.
    case byServer
    /// What came was not a request.
    case unreadable
  }

  /// The number of this connection, from 0.
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

  /// Sends text as UTF-8; the line ends are the caller's.
  public func send(_ text: String) throws { try send(text.utf8) }

  /// Sends a well-formed response.
  public func send(_ reply: Reply) throws { try send(reply.bytes) }

  /// Sends byte by byte, each in a segment of its own.
  ///
  /// - Parameter pause: given to the peer after each byte so that it can be read alone; it paces the
  ///   bytes and proves nothing.
  public func sendSlowly(_ bytes: some Sequence<UInt8>, pause: Duration = .microseconds(200)) throws {
    for byte in bytes {
      try send(CollectionOfOne(byte))
      try pacing(pause)
    }
  }

  /// Lets time pass, for servers that trickle; ends early when the server is stopped.
  public func pacing(_ pause: Duration) throws {
    if stopping.wait(pause) { throw Ended.byServer }
  }

  // MARK: Reading

  /// Reads what has come, at most `limit` bytes; empty at the end of the stream.
  public func read(upTo limit: Int = 65536) throws -> [UInt8] {
    let buffered = state.withLock { state in
      let taken = Array(state.unread.prefix(limit))
      state.unread.removeFirst(taken.count)
      return taken
    }
    guard buffered.isEmpty else { return buffered }
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

  /// Reads and drops everything until the peer ends the connection, by closing or by a reset.
  public func readUntilClosed() throws {
    do {
      while try !read().isEmpty {}
    } catch Ended.byPeer {
      return
    }
  }

  /// Reads one request with its body (by length or chunked), answers `Expect: 100-continue`, records it.
  public func readRequest() throws -> ScriptedRequest {
    guard let request = try nextRequest() else { throw Ended.byPeer }
    return request
  }

  /// The same, nil when the peer closed instead of sending another request.
  public func nextRequest() throws -> ScriptedRequest? {
    guard let head = try readHead() else { return nil }
    return try readRest(of: head)
  }

  /// Reads the body of a request whose head `readHead()` returned, as `readRequest()` does.
  public func readRest(of head: ScriptedRequest) throws -> ScriptedRequest {
    var request = head
    if request["Expect"]?.lowercased() == "100-continue" { try send("HTTP/1.1 100 Continue\r\n\r\n") }
    request.body = Data(try readBody(of: request))
    record(request)
    return request
  }

  /// Reads one request's head and leaves its body unread; not recorded.
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

  /// Takes what was read too far, to be passed on.
  func takeUnread() -> [UInt8] {
    state.withLock { state in
      defer { state.unread = [] }
      return state.unread
    }
  }

  /// Reads the body of a request whose head was read.
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

  /// Keeps the connection open, silent, until the server stops.
  public func hold() throws {
    _ = Polling.wait(for: [.readable(stopping.descriptor)], within: nil)
    throw Ended.byServer
  }

  /// Ends the sending side (the peer reads the end of the stream) and goes on reading.
  public func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Closes the connection; bytes the peer sent and nobody read may turn it into a reset.
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

  private func wait(_ interest: Polling.Interest) throws {
    if state.withLock({ $0.isClosed }) { throw Ended.byServer }
    let ready = Polling.wait(for: [.readable(stopping.descriptor), interest], within: nil)
    if ready == 0 { throw Ended.byServer }
  }
}
