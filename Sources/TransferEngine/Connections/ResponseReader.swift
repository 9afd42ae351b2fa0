import Glibc
import HTTPSyntax

/// Where the reader of an HTTP/1 connection is within a response. It decides how the next bytes are understood, and has no
/// side effects.
struct ResponseReader {
  enum Part: Equatable {
    case head
    case body(remaining: Int64)
    case untilClose
    case chunkSize
    case chunk(remaining: Int64)
    case chunkEnd
    case trailers
  }

  /// The maximum length of a line, which is that of libcurl.
  static let maximumLineBytes = 100 << 10

  var part = Part.head
  /// The beginning of a line whose end has not arrived.
  var line: [UInt8] = []
  /// Whether the next line is a status line.
  var isAtStatusLine = true
  private(set) var closes = false
  private var keepsAlive = false
  var trailerBytes = 0

  /// Prepares for the next response.
  mutating func reset() {
    part = .head
    isAtStatusLine = true
    closes = false
    keepsAlive = false
    trailerBytes = 0
    if !line.isEmpty { line.removeAll(keepingCapacity: true) }
  }

  /// Whether a line has the form of a status line: `HTTP/1.1 200 OK`.
  static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    let start: StaticString = "HTTP/1."
    guard line.count >= 13, let base = line.baseAddress, memcmp(base, start.utf8Start, 7) == 0 else {
      return false
    }
    let isDigit = { (byte: UInt8) in byte &- 48 < 10 }
    return (line[7] == 48 || line[7] == 49) && line[8] == 32 && (9...11).allSatisfy { isDigit(line[$0]) }
      && !isDigit(line[12])
  }

  /// Looks for the field that says whether the connection stays open.
  mutating func note(_ line: UnsafeRawBufferPointer) {
    guard line.count > 12, line[0] | 0x20 == UInt8(ascii: "c"), line[10] == UInt8(ascii: ":") else { return }
    let text = String(decoding: line, as: UTF8.self)
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, ASCII.equalIgnoringCase(String(parts[0]), "connection") else { return }
    for member in ASCII.listMembers(parts[1].filter { $0 != "\r\n" && $0 != "\r" && $0 != "\n" }) {
      if ASCII.equalIgnoringCase(member, "close") { closes = true }
      if ASCII.equalIgnoringCase(member, "keep-alive") { keepsAlive = true }
    }
  }

  /// The head is complete. Decides how the body is read.
  mutating func endHead(version: String, hasNoBody: Bool, isChunked: Bool, length: Int64?) {
    if version == "HTTP/1.0", !keepsAlive { closes = true }
    if hasNoBody {
      part = .body(remaining: 0)
    } else if isChunked {
      part = .chunkSize
    } else {
      part = length.map { .body(remaining: $0) } ?? .untilClose
    }
  }

  /// The number of a chunk's line: hexadecimal digits, and extensions that are ignored. Nil if it is not valid.
  static func chunkSize(_ line: UnsafeRawBufferPointer) -> Int64? {
    var size: Int64 = 0
    var digits = 0
    for byte in line {
      let digit: UInt8
      switch byte {
      case 48...57: digit = byte - 48
      case 65...70: digit = byte - 55
      case 97...102: digit = byte - 87
      case 32, 9, 13, 10, UInt8(ascii: ";"): return digits > 0 ? size : nil
      default: return nil
      }
      digits += 1
      guard digits <= 15 else { return nil }
      size = size << 4 | Int64(digit)
    }
    return digits > 0 ? size : nil
  }
}
