import Foundation
import TestSupport

extension ConformanceSuite {
  static let connections: [ConformanceCase] =
    webSocket("websocket-text", "A text is sent and received.", .webSocketText, expecting: "text hello") {
      try $0.send(.text, $0.next().payload)
    }
    + webSocket("websocket-bytes", "Bytes are sent and received.", .webSocketBytes, expecting: "bytes 70000")
  {
    try $0.send(.binary, $0.next().payload)
  }
    + webSocket(
      "websocket-fragments", "A message in fragments is received as one.", .webSocketText,
      expecting: "text hello"
    ) {
      _ = try $0.next()
      try $0.send(.text, Array("hel".utf8), isFinal: false)
      try $0.send(.ping, [1])
      try $0.send(.continuation, Array("lo".utf8))
    }
    + webSocket("websocket-ping", "A ping is answered.", .webSocketPing, expecting: "pong") {
      let ping = try $0.next()
      try expect(ping.opcode == .ping, "The frame is \(ping.opcode).")
      try $0.send(.pong, ping.payload)
    }
    + webSocket(
      "websocket-closed", "A Close of the server ends the messages.", .webSocketClosedByServer,
      expecting: "text one", "error", "closed 4000 nap"
    ) {
      try $0.send(.text, Array("one".utf8))
      try $0.send(.close, [0x0f, 0xa0] + Array("nap".utf8))
      _ = try $0.next()
    }
    + webSocket(
      "websocket-close", "A Close is sent with code and reason.", .webSocketClosedByClient,
      expecting: "complete", "closed 1001"
    ) {
      let close = try $0.next()
      try expect(close.opcode == .close, "The frame is \(close.opcode).")
      try expect(close.payload == [0x03, 0xe9] + Array("bye".utf8), "The Close is \(close.payload).")
      try $0.send(.close, [0x03, 0xe9])
    }
    + webSocket(
      "websocket-subprotocol", "The server chooses a subprotocol.", .webSocketSubprotocol,
      field: "Sec-WebSocket-Protocol: kennel\r\n", expecting: "opened kennel"
    ) { _ in }
    + webSocket(
      "websocket-long", "A message above the maximum ends the connection.", .webSocketTooLong,
      expecting: "error"
    ) { try $0.send(.binary, [UInt8](repeating: 7, count: 2000)) }
    + each(.connections, "websocket-refused", "A refused connection is an error.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(403, text: "no") }
      try await context.play(.webSocketRefused, at: origin, expecting: ["error -1011"])
    }
    + each(.connections, "stream-task", "A stream task writes, reads and closes.") { context in
      let (origin, _) = try context.serve { connection in
        let question = try connection.read(exactly: 5)
        try connection.send(question.reversed())
        try connection.readUntilClosed()
      }
      try await context.play(.streamTask, at: origin, expecting: ["read olleh", "complete"])
    }

  /// Plays a scenario against a WebSocket server. What the server's side throws fails the case.
  private static func webSocket(
    _ id: String, _ title: String, _ scenario: Scenario, field: String = "", expecting expected: String...,
    serving: @escaping @Sendable (WebSocketPeer) throws -> Void
  ) -> [ConformanceCase] {
    each(.connections, id, title) { context in
      let fault = Slot<CaseFailure>()
      let (origin, _) = try context.serve { connection in
        let peer = try WebSocketPeer(connection, field)
        do {
          try serving(peer)
        } catch let failure as CaseFailure {
          fault.value = failure
        }
        // The server ends the connection first (RFC 6455, 7.1.1).
        connection.finishSending()
        try connection.readUntilClosed()
      }
      try await context.play(scenario, at: origin, expecting: expected)
      if let fault = fault.value { throw fault }
    }
  }
}

/// The server's side of a WebSocket connection.
struct WebSocketPeer {
  enum Opcode: UInt8 {
    case continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10
  }

  private let connection: ScriptedConnection

  /// Answers the handshake, with additional lines in the head.
  init(_ connection: ScriptedConnection, _ field: String) throws {
    self.connection = connection
    guard let request = try connection.readHead(), let key = request["Sec-WebSocket-Key"] else {
      throw CaseFailure(reason: "The request has no key.")
    }
    let digits = try MessageDigest.hexadecimal("EVP_sha1", key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
    let hash = stride(from: 0, to: digits.count, by: 2).compactMap { place in
      UInt8(digits.dropFirst(place).prefix(2), radix: 16)
    }
    try connection.send(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(field)"
        + "Sec-WebSocket-Accept: \(Data(hash).base64EncodedString())\r\n\r\n")
  }

  func next() throws -> (opcode: Opcode, payload: [UInt8]) {
    let start = try connection.read(exactly: 2)
    guard let opcode = Opcode(rawValue: start[0] & 0x0f), start[1] & 0x80 != 0 else {
      throw CaseFailure(reason: "The frame begins with \(start).")
    }
    var length = Int(start[1] & 0x7f)
    if length == 126 { length = try connection.read(exactly: 2).reduce(0) { $0 << 8 | Int($1) } }
    if length == 127 { length = try connection.read(exactly: 8).reduce(0) { $0 << 8 | Int($1) } }
    let key = try connection.read(exactly: 4)
    let payload = try connection.read(exactly: length).enumerated().map { $1 ^ key[$0 % 4] }
    return (opcode, payload)
  }

  func send(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) throws {
    var head = [opcode.rawValue | (isFinal ? 0x80 : 0)]
    switch payload.count {
    case ...125: head.append(UInt8(payload.count))
    case ...0xffff: head += [126, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
    default: head += [127] + withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Array($0) }
    }
    try connection.send(head + payload)
  }
}
