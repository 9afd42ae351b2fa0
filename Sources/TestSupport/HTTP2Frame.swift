/// An HTTP/2 frame (RFC 9113), received or to be sent.
public struct HTTP2Frame: Sendable, Equatable {
  /// The frame types that the tests use.
  public enum Kind: UInt8, Sendable {
    /// DATA.
    case data = 0
    /// HEADERS.
    case headers = 1
    /// RST_STREAM.
    case resetStream = 3
    /// SETTINGS.
    case settings = 4
    /// PING.
    case ping = 6
    /// GOAWAY.
    case goAway = 7
    /// WINDOW_UPDATE.
    case windowUpdate = 8
    /// CONTINUATION.
    case continuation = 9
  }

  /// END_STREAM of DATA and HEADERS.
  public static let endStream: UInt8 = 0x1
  /// ACK of SETTINGS and PING.
  public static let acknowledgement: UInt8 = 0x1
  /// END_HEADERS of HEADERS and CONTINUATION.
  public static let endHeaders: UInt8 = 0x4

  /// The number of the frame type.
  public var type: UInt8
  /// The flags.
  public var flags: UInt8
  /// The stream, 0 for the connection.
  public var stream: UInt32
  /// The bytes after the frame's header.
  public var payload: [UInt8]

  /// Creates a frame of a known type.
  public init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32, payload: [UInt8] = []) {
    self.init(type: kind.rawValue, flags: flags, stream: stream, payload: payload)
  }

  /// Creates a frame of any type.
  public init(type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8]) {
    self.type = type
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  /// The frame type, if it is one of those that the tests use.
  public var kind: Kind? { Kind(rawValue: type) }

  /// The window increment of WINDOW_UPDATE in bytes.
  public var windowIncrement: Int { payload.suffix(4).reduce(0) { $0 << 8 | Int($1) } }

  /// The initial window of a new stream in SETTINGS, if it is set. The last value counts.
  public var initialWindow: Int? {
    var window: Int?
    for start in stride(from: 0, to: payload.count - 5, by: 6) {
      let identifier = UInt16(payload[start]) << 8 | UInt16(payload[start + 1])
      guard identifier == HTTP2Connection.initialWindowSize else { continue }
      window = payload[(start + 2)..<(start + 6)].reduce(0) { $0 << 8 | Int($1) }
    }
    return window
  }

  /// The encoded frame.
  public var bytes: [UInt8] {
    Self.bigEndian(UInt32(payload.count))[1...] + [type, flags] + Self.bigEndian(stream) + payload
  }

  /// Returns four bytes, with the most significant byte first.
  public static func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// Returns a field section (RFC 7541): literals without indexing and without Huffman coding.
  public static func fieldSection(_ fields: [(String, String)]) -> [UInt8] {
    var block: [UInt8] = []
    for (name, value) in fields {
      block.append(0)
      for text in [name.lowercased(), value] {
        appendLength(text.utf8.count, to: &block)
        block += Array(text.utf8)
      }
    }
    return block
  }

  private static func appendLength(_ length: Int, to block: inout [UInt8]) {
    guard length >= 127 else { return block.append(UInt8(length)) }
    block.append(127)
    var rest = length - 127
    while rest >= 128 {
      block.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    block.append(UInt8(rest))
  }
}
