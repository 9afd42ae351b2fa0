import Glibc
import HTTPSyntax

/// Understands the responses of an HTTP/1 connection, however their bytes are cut. It has no side effects.
struct ResponseReader {
  enum Part: Equatable {
    case head
    case body(remaining: Int64)
    case untilClose
    case chunkSize
    case chunk(remaining: Int64)
    case chunkEnd
    case trailers
    case end
  }

  /// What comes next.
  enum Event {
    /// All bytes were taken.
    case needsMore
    /// A line of a head, which was taken. The owner reports the end of the head.
    case headLine(UnsafeRawBufferPointer)
    /// The same, if the line arrived in several pieces.
    case joinedHeadLine([UInt8])
    /// A piece of the body, which remains until ``took(_:from:)``.
    case piece(UnsafeRawBufferPointer)
    case end
    case failure(TransferFailure)
  }

  /// The maximum length of a line, which is that of libcurl.
  static let maximumLineBytes = 100 << 10

  private(set) var part = Part.head
  /// The beginning of a line whose end has not arrived.
  private var line: [UInt8] = []
  /// Whether the next line is a status line.
  private var isAtStatusLine = true
  /// Whether the next line would continue the status line if it began with a space.
  private var isAtFirstField = false
  private(set) var closes = false
  private var keepsAlive = false
  private var trailerBytes = 0
  private var maximumTrailerBytes = 0

  /// Prepares for the next response.
  mutating func reset(maximumTrailerBytes: Int) {
    part = .head
    isAtStatusLine = true
    isAtFirstField = false
    closes = false
    keepsAlive = false
    trailerBytes = 0
    self.maximumTrailerBytes = maximumTrailerBytes
    if !line.isEmpty { line.removeAll(keepingCapacity: true) }
  }

  // MARK: Reading

  /// Returns what comes next in bytes that arrived, and removes from them what it has taken.
  mutating func next(from rest: inout UnsafeRawBufferPointer) -> Event {
    while true {
      switch part {
      case .end: return .end
      case _ where rest.isEmpty: return .needsMore
      case .body(let remaining), .chunk(let remaining):
        return .piece(UnsafeRawBufferPointer(rebasing: rest[..<Int(min(Int64(rest.count), remaining))]))
      case .untilClose: return .piece(rest)
      case .head, .chunkSize, .chunkEnd, .trailers:
        if let event = takeLine(from: &rest) { return event }
      }
    }
  }

  /// A piece of the body was taken.
  mutating func took(_ count: Int, from rest: inout UnsafeRawBufferPointer) {
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    switch part {
    case .body(let remaining):
      part = remaining == Int64(count) ? .end : .body(remaining: remaining - Int64(count))
    case .chunk(let remaining):
      part = remaining == Int64(count) ? .chunkEnd : .chunk(remaining: remaining - Int64(count))
    case .head, .untilClose, .chunkSize, .chunkEnd, .trailers, .end: break
    }
  }

  /// Takes a line, or the beginning of one. Nil if the owner needs to know nothing.
  private mutating func takeLine(from rest: inout UnsafeRawBufferPointer) -> Event? {
    guard let base = rest.baseAddress, let found = memchr(base, 10, rest.count) else {
      guard line.count + rest.count <= Self.maximumLineBytes else { return .failure(.tooLongLine) }
      line += rest
      rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
      return canBecomeStatusLine ? .needsMore : .failure(.notHTTP)
    }
    let count = base.distance(to: UnsafeRawPointer(found)) + 1
    guard line.count + count <= Self.maximumLineBytes else { return .failure(.tooLongLine) }
    let piece = UnsafeRawBufferPointer(rebasing: rest[..<count])
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    if line.isEmpty { return handle(piece) ?? (part == .head ? .headLine(piece) : nil) }
    let joined = line + piece
    line.removeAll(keepingCapacity: true)
    let isHead = part == .head
    return joined.withUnsafeBytes { handle($0) } ?? (isHead ? .joinedHeadLine(joined) : nil)
  }

  /// Acts on a line. Returns a failure if it is not valid.
  private mutating func handle(_ line: UnsafeRawBufferPointer) -> Event? {
    switch part {
    case .head:
      if Self.isEmpty(line) { return isAtStatusLine ? .failure(.notHTTP) : nil }
      if isAtStatusLine {
        guard Self.isStatusLine(line) else { return .failure(.notHTTP) }
      } else {
        guard isField(line) else { return .failure(.badField) }
        note(line)
      }
      (isAtFirstField, isAtStatusLine) = (isAtStatusLine, false)
    case .chunkSize:
      guard let size = Self.chunkSize(line) else { return .failure(.badChunk) }
      part = size == 0 ? .trailers : .chunk(remaining: size)
    case .chunkEnd:
      guard Self.isEmpty(line) else { return .failure(.badChunk) }
      part = .chunkSize
    case .trailers:
      trailerBytes += line.count
      guard trailerBytes <= maximumTrailerBytes else { return .failure(.tooLongLine) }
      if Self.isEmpty(line) {
        part = .end
      } else if !isField(line) {
        return .failure(.badField)
      }
    case .body, .untilClose, .chunk, .end: break
    }
    return nil
  }

  /// Whether a line is a field, or continues the one before. What is refused here could be understood in two ways.
  private func isField(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let base = line.baseAddress, memchr(base, 0, line.count) == nil else { return false }
    if line[0] == 32 || line[0] == 9 { return !isAtFirstField }
    guard let colon = memchr(base, Int32(UInt8(ascii: ":")), line.count) else { return false }
    return memchr(base, 13, base.distance(to: UnsafeRawPointer(colon))) == nil
  }

  /// Whether what is kept of a line can be the beginning of a status line, if it is one.
  private var canBecomeStatusLine: Bool {
    guard part == .head, isAtStatusLine else { return true }
    return Self.statusLineStart.withUTF8Buffer { line.starts(with: $0.prefix(line.count)) }
  }

  private static let statusLineStart: StaticString = "HTTP/1."

  private static func isEmpty(_ line: UnsafeRawBufferPointer) -> Bool {
    line.first == 10 || line.first == 13 && line.count == 2
  }

  /// Whether a line has the form of a status line: `HTTP/1.1 200 OK`.
  static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count >= 13, let base = line.baseAddress,
      memcmp(base, statusLineStart.utf8Start, statusLineStart.utf8CodeUnitCount) == 0,
      memchr(base, 0, line.count) == nil
    else { return false }
    let isDigit = { (byte: UInt8) in byte &- 48 < 10 }
    return (line[7] == 48 || line[7] == 49) && line[8] == 32 && (9...11).allSatisfy { isDigit(line[$0]) }
      && !isDigit(line[12])
  }

  // MARK: The head

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
    if hasNoBody || length == 0 && !isChunked {
      part = .end
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

extension TransferFailure {
  static let badChunk = TransferFailure(
    .badReply, message: "The response is not valid HTTP: it has an invalid chunk.")
  static let badField = TransferFailure(
    .badReply, message: "The response is not valid HTTP: its header has an invalid line.")
  static let notHTTP = TransferFailure(
    .badReply,
    message: "The response is not valid HTTP: it does not begin with a status line. "
      + "Check that the URL has the port of an HTTP server.")
  static let tooLongLine = TransferFailure(.headTooLarge, message: "The response's header is too long.")
}
