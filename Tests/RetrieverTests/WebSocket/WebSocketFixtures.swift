#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// A frame as a test writes it: valid or not.
struct TestFrame: Equatable {
  var first: UInt8
  var payload: [UInt8]
  var key: [UInt8]?

  init(_ opcode: UInt8, _ payload: some Sequence<UInt8>, isFinal: Bool = true, reserved: UInt8 = 0) {
    first = (isFinal ? 0x80 : 0) | reserved << 4 | opcode
    self.payload = Array(payload)
  }

  static func text(_ text: String, isFinal: Bool = true) -> TestFrame {
    .init(1, text.utf8, isFinal: isFinal)
  }
  static func close(_ code: UInt16?, _ reason: String = "") -> TestFrame {
    .init(8, (code.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } ?? []) + Array(reason.utf8))
  }

  var opcode: UInt8 { first & 0x0f }
  var isFinal: Bool { first & 0x80 != 0 }
  var isCompressed: Bool { first & 0x40 != 0 }
  var string: String { String(decoding: payload, as: UTF8.self) }
  var closeCode: Int? { payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1]) }

  /// The frame as a server sends it.
  var bytes: [UInt8] {
    var bytes = [first]
    switch payload.count {
    case ...125: bytes.append(UInt8(payload.count))
    case ...0xffff: bytes += [126, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
    default: bytes += [127] + withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Array($0) }
    }
    return bytes + payload
  }

  /// Reads a client's frame with a function that returns the next bytes. Nil if the frame is not masked.
  static func read(_ next: (Int) throws -> [UInt8]) rethrows -> TestFrame? {
    let start = try next(2)
    guard start[1] & 0x80 != 0 else { return nil }
    var length = Int(start[1] & 0x7f)
    if length == 126 { length = try next(2).reduce(0) { $0 << 8 | Int($1) } }
    if length == 127 { length = try next(8).reduce(0) { $0 << 8 | Int($1) } }
    let key = try next(4)
    var payload = try next(length)
    for index in payload.indices { payload[index] ^= key[index % 4] }
    var frame = TestFrame(0, payload)
    frame.first = start[0]
    frame.key = key
    return frame
  }

  /// The frames in a client's bytes.
  static func all(in bytes: [UInt8]) -> [TestFrame] {
    var frames: [TestFrame] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let frame = read { count in
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
      }
      guard let frame else { break }
      frames.append(frame)
    }
    return frames
  }
}

extension ScriptedConnection {
  /// Answers the handshake of a client. Returns its request.
  @discardableResult func acceptWebSocket(_ fields: String = "") throws -> ScriptedRequest {
    let request = try readRequest()
    let accept = WebSocketHandshake.accept(for: request["Sec-WebSocket-Key"] ?? "")
    try send(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(accept)\r\n\(fields)\r\n")
    return request
  }

  func send(_ frame: TestFrame) throws { try send(frame.bytes) }

  func readFrame() throws -> TestFrame {
    guard let frame = try TestFrame.read({ try read(exactly: $0) }) else { throw Ended.unreadable }
    return frame
  }

  /// Sends back each message until the client closes the connection.
  func echoFrames() throws {
    while true {
      let frame = try readFrame()
      switch frame.opcode {
      case 8: return try send(TestFrame(8, frame.payload))
      case 9: try send(TestFrame(10, frame.payload))
      default: try send(TestFrame(frame.opcode, frame.payload, isFinal: frame.isFinal))
      }
    }
  }
}

extension ScriptedServer {
  var webSocketURL: URL { URL(string: "ws://\(authority)/chat") ?? url() }

  /// A server that accepts each WebSocket and then runs the script.
  static func webSocket(
    _ fields: String = "", _ script: @escaping @Sendable (ScriptedConnection) throws -> Void
  ) throws -> ScriptedServer {
    try ScriptedServer { connection in
      try connection.acceptWebSocket(fields)
      try script(connection)
    }
  }
}

extension URLSessionWebSocketTask.Message {
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var data: Data? { if case .data(let data) = self { data } else { nil } }
}

extension WebSocketConnection {
  /// A connection after its handshake.
  static func opened() throws -> WebSocketConnection {
    let connection = WebSocketConnection()
    let request = connection.beginHandshake(subprotocols: [], offersCompression: false)
    let key = try #require(request.first { $0.name == "Sec-WebSocket-Key" }?.value)
    var response = HeaderFields()
    response.add("websocket", for: "Upgrade")
    response.add("Upgrade", for: "Connection")
    response.add(WebSocketHandshake.accept(for: key), for: "Sec-WebSocket-Accept")
    _ = try connection.open(version: "HTTP/1.1", fields: response)
    return connection
  }
}
#endif
