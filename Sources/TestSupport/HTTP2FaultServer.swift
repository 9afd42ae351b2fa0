import Foundation

/// The server side of one HTTP/2 connection, frame by frame. Every call blocks the connection's thread.
public struct HTTP2Connection: Sendable {
  /// SETTINGS_INITIAL_WINDOW_SIZE.
  public static let initialWindowSize: UInt16 = 4
  /// SETTINGS_MAX_CONCURRENT_STREAMS.
  public static let maximumConcurrentStreams: UInt16 = 3
  /// The error code of a stream whose request the server only accepts over HTTP/1.1.
  public static let http11Required: UInt32 = 13

  /// The underlying connection.
  public let raw: ScriptedConnection

  /// Reads the client's preface and sends the server's settings.
  public func handshake(settings: [(UInt16, UInt32)] = []) throws {
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    guard try raw.read(exactly: preface.count) == preface else { throw ScriptedConnection.Ended.unreadable }
    let payload = settings.flatMap { identifier, value in
      [UInt8(identifier >> 8), UInt8(identifier & 0xff)] + HTTP2Frame.bigEndian(value)
    }
    try send(HTTP2Frame(.settings, stream: 0, payload: payload))
  }

  /// Reads the next frame, and acknowledges it if it is SETTINGS or PING. Returns nil if the client closed the
  /// connection.
  public func nextFrame() throws -> HTTP2Frame? {
    let first = try raw.read(upTo: 1)
    guard let first = first.first else { return nil }
    let head = [first] + (try raw.read(exactly: 8))
    let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
    let frame = HTTP2Frame(
      type: head[3], flags: head[4], stream: stream, payload: try raw.read(exactly: length))
    if frame.flags & HTTP2Frame.acknowledgement == 0, frame.kind == .settings || frame.kind == .ping {
      let payload = frame.kind == .ping ? frame.payload : []
      try send(
        HTTP2Frame(type: frame.type, flags: HTTP2Frame.acknowledgement, stream: 0, payload: payload))
    }
    return frame
  }

  /// Reads frames until a request's head is complete. If `withBody`, also reads its body, keeping the windows open.
  /// Returns the stream's number.
  public func nextRequest(withBody: Bool = true) throws -> UInt32 {
    var open: UInt32?
    while let frame = try nextFrame() {
      switch frame.kind {
      case .headers, .continuation:
        if frame.kind == .headers { open = frame.stream }
        let isComplete = !withBody || frame.flags & HTTP2Frame.endStream != 0
        if frame.flags & HTTP2Frame.endHeaders != 0, isComplete { return frame.stream }
      case .data where withBody && frame.stream == open:
        if frame.flags & HTTP2Frame.endStream != 0 { return frame.stream }
        try openWindow(stream: 0, by: UInt32(frame.payload.count))
        try openWindow(stream: frame.stream, by: UInt32(frame.payload.count))
      default: break
      }
    }
    throw ScriptedConnection.Ended.byPeer
  }

  /// Reads frames until a request's head is complete. Returns its stream, and whether a body follows. Data that the client
  /// sends in the meantime, for streams that were reset, must not use up the connection's window.
  public func nextHead() throws -> (stream: UInt32, hasBody: Bool) {
    var hasBody = true
    while let frame = try nextFrame() {
      if frame.kind == .data, !frame.payload.isEmpty {
        try openWindow(stream: 0, by: UInt32(frame.payload.count))
      }
      if frame.kind == .headers { hasBody = frame.flags & HTTP2Frame.endStream == 0 }
      if frame.kind == .headers || frame.kind == .continuation, frame.flags & HTTP2Frame.endHeaders != 0 {
        return (frame.stream, hasBody)
      }
    }
    throw ScriptedConnection.Ended.byPeer
  }

  /// Reads a stream's body to its end, or until `count` bytes have arrived. Keeps the windows open.
  @discardableResult
  public func readBody(of stream: UInt32, atLeast count: Int = .max) throws -> [UInt8] {
    var body: [UInt8] = []
    while body.count < count, let frame = try nextFrame() {
      guard frame.kind == .data, frame.stream == stream else { continue }
      body += frame.payload
      if frame.flags & HTTP2Frame.endStream != 0 { break }
      try openWindow(stream: 0, by: UInt32(frame.payload.count))
      try openWindow(stream: stream, by: UInt32(frame.payload.count))
    }
    return body
  }

  /// Sends a frame.
  public func send(_ frame: HTTP2Frame) throws { try raw.send(frame.bytes) }

  /// Sends a response's head, in as many frames as necessary.
  public func sendHead(
    stream: UInt32, status: Int = 200, fields: [(String, String)] = [], isLast: Bool = false
  ) throws {
    try sendFields([(":status", "\(status)")] + fields, stream: stream, isLast: isLast)
  }

  /// Sends the trailers after a body, which end the stream.
  public func sendTrailers(stream: UInt32, fields: [(String, String)]) throws {
    try sendFields(fields, stream: stream, isLast: true)
  }

  private func sendFields(_ fields: [(String, String)], stream: UInt32, isLast: Bool) throws {
    var rest = HTTP2Frame.fieldSection(fields)[...]
    var kind = HTTP2Frame.Kind.headers
    repeat {
      let piece = rest.prefix(16_384)
      rest = rest.dropFirst(piece.count)
      var flags = rest.isEmpty ? HTTP2Frame.endHeaders : 0
      if kind == .headers, isLast { flags |= HTTP2Frame.endStream }
      try send(HTTP2Frame(kind, flags: flags, stream: stream, payload: Array(piece)))
      kind = .continuation
    } while !rest.isEmpty
  }

  /// Sends a piece of a body of at most 16,384 bytes. It does not check the client's window.
  public func sendData(stream: UInt32, _ bytes: some Sequence<UInt8>, isLast: Bool = false) throws {
    let flags = isLast ? HTTP2Frame.endStream : 0
    try send(HTTP2Frame(.data, flags: flags, stream: stream, payload: Array(bytes)))
  }

  /// Sends a complete small response.
  public func respond(
    stream: UInt32, status: Int = 200, fields: [(String, String)] = [], text: String = "ok"
  ) throws {
    try sendHead(stream: stream, status: status, fields: fields)
    try sendData(stream: stream, text.utf8, isLast: true)
  }

  /// Sends RST_STREAM.
  public func reset(stream: UInt32, code: UInt32) throws {
    try send(HTTP2Frame(.resetStream, stream: stream, payload: HTTP2Frame.bigEndian(code)))
  }

  /// Sends GOAWAY.
  public func goAway(lastStream: UInt32, code: UInt32) throws {
    let payload = HTTP2Frame.bigEndian(lastStream) + HTTP2Frame.bigEndian(code)
    try send(HTTP2Frame(.goAway, stream: 0, payload: payload))
  }

  /// Sends WINDOW_UPDATE.
  public func openWindow(stream: UInt32, by count: UInt32) throws {
    guard count > 0 else { return }
    try send(HTTP2Frame(.windowUpdate, stream: stream, payload: HTTP2Frame.bigEndian(count)))
  }
}

/// An HTTP/2 server that violates the protocol as a test requires: over TLS with ALPN `h2`, and without TLS for clients
/// with prior knowledge.
public final class HTTP2FaultServer: Sendable {
  /// The port with TLS.
  public let port: UInt16
  /// The underlying server. Its port accepts HTTP/2 without TLS.
  public let server: ScriptedServer

  /// Starts a server that runs `handler` for each connection. The handler first reads the preface with `handshake`.
  public init(_ handler: @escaping @Sendable (HTTP2Connection) throws -> Void) throws {
    server = try ScriptedServer { try handler(HTTP2Connection(raw: $0)) }
    port = try TLSRelay.shared().forward(to: server.port, as: .http2)
  }

  /// The `https` URL of a path, as text.
  public func address(_ path: String = "/") -> String { "https://localhost:\(port)\(path)" }

  /// Stops the server.
  public func stop() { server.stop() }
}
