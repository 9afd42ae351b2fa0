import Foundation

// The server's side of WebSocket, as far as the tests need it.
extension TinyServer.Connection {
  /// A frame of a client.
  public struct Frame {
    /// What kind of frame it is.
    public let opcode: UInt8
    /// The bytes, without the mask.
    public let payload: [UInt8]
    /// The bytes as text.
    public var text: String { String(decoding: payload, as: UTF8.self) }
  }

  /// Answers the opening handshake.
  public func acceptWebSocket() throws {
    guard let request = nextRequest(), let key = request.fields["sec-websocket-key"] else {
      throw POSIXError(.EPROTO)
    }
    let hash = SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    try write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(Data(hash).base64EncodedString())\r\n\r\n")
  }

  /// Reads a frame.
  public func readFrame() throws -> Frame {
    let head = try read(2)
    var length = Int(head[1] & 0x7f)
    if length == 126 { length = try read(2).reduce(0) { $0 << 8 | Int($1) } }
    if length == 127 { length = try read(8).reduce(0) { $0 << 8 | Int($1) } }
    let key = try read(4)
    let payload = try read(length).enumerated().map { $1 ^ key[$0 % 4] }
    return Frame(opcode: head[0] & 0x0f, payload: payload)
  }

  /// Writes a complete frame.
  public func writeFrame(_ opcode: UInt8, _ payload: [UInt8]) throws {
    var head: [UInt8] = [0x80 | opcode]
    switch payload.count {
    case ...125: head.append(UInt8(payload.count))
    case ...0xffff: head += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
    default: head += [127] + withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Array($0) }
    }
    try write(head + payload)
  }

  /// Writes a Close frame.
  public func writeClose(_ code: Int, _ reason: String) throws {
    try writeFrame(8, [UInt8(code >> 8), UInt8(code & 0xff)] + Array(reason.utf8))
  }
}

/// SHA-1 (RFC 3174), which only the handshake uses.
enum SHA1 {
  static func hash(_ message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    bytes += withUnsafeBytes(of: UInt64(message.count * 8).bigEndian) { Array($0) }
    func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 { value << count | value >> (32 - count) }
    for start in stride(from: 0, to: bytes.count, by: 64) {
      var words = stride(from: start, to: start + 64, by: 4).map { index in
        bytes[index..<index + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      }
      for index in 16..<80 {
        words.append(
          rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
      }
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for (index, word) in words.enumerated() {
        let (f, constant): (UInt32, UInt32)
        switch index {
        case ..<20: (f, constant) = (b & c | ~b & d, 0x5a82_7999)
        case ..<40: (f, constant) = (b ^ c ^ d, 0x6ed9_eba1)
        case ..<60: (f, constant) = (b & c | b & d | c & d, 0x8f1b_bcdc)
        default: (f, constant) = (b ^ c ^ d, 0xca62_c1d6)
        }
        let next = rotated(a, 5) &+ f &+ e &+ constant &+ word
        (e, d, c, b, a) = (d, c, rotated(b, 30), a, next)
      }
      for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }
    return state.flatMap { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } }
  }
}
