import Foundation
import Glibc

/// An incremental parser for `multipart/form-data` (RFC 7578). A pure value that is fed with bytes. It buffers no more
/// than a boundary or the head of a part.
struct MultipartParser: Sendable {
  enum Event: Sendable, Equatable {
    /// A part begins.
    case part(name: String, type: String)
    /// Bytes of the part.
    case bytes(Data)
    /// The part is complete.
    case endOfPart
  }

  struct Malformed: Error, Sendable, Equatable {
    var reason: String
  }

  private enum State: Sendable {
    /// Before the first boundary.
    case preamble
    /// After a boundary: two dashes end the form, and a line break begins a part.
    case afterBoundary
    case head
    /// At the line break that ends a head. The boundary of an empty part begins with the same line break.
    case contentStart
    case content
    case over
  }

  private let delimiter: [UInt8]
  private var state = State.preamble
  private var buffer: [UInt8] = []
  private var partCount = 0

  static let maximumHeadSize = 8 << 10
  static let maximumPartCount = 32

  /// - Parameter boundary: the boundary from the content type.
  init(boundary: String) throws(Malformed) {
    guard 1...70 ~= boundary.utf8.count, boundary.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
      throw Malformed(reason: "The boundary of the form is missing or not valid.")
    }
    delimiter = Array("\r\n--\(boundary)".utf8)
    // The first boundary may be at the very beginning.
    buffer = [0x0D, 0x0A]
  }

  /// Whether the last boundary was found.
  var isOver: Bool { state == .over }

  /// Parses more bytes and returns the events in them.
  mutating func feed(_ bytes: Data) throws(Malformed) -> [Event] {
    if state == .over { return [] }
    buffer.append(contentsOf: bytes)
    var events: [Event] = []
    var start = 0
    while try step(&start, &events) {}
    buffer.removeFirst(start)
    return events
  }

  /// Performs one step. Returns false if more bytes are needed.
  private mutating func step(_ start: inout Int, _ events: inout [Event]) throws(Malformed) -> Bool {
    switch state {
    case .preamble:
      guard let found = find(delimiter, from: start) else {
        // Bytes that may be the start of a boundary are kept.
        start = max(start, buffer.count - delimiter.count + 1)
        return false
      }
      start = found + delimiter.count
      state = .afterBoundary
    case .afterBoundary: return try beginPart(&start)
    case .head: return try readHead(&start, &events)
    case .contentStart: return beginContent(&start, &events)
    case .content: return readContent(&start, &events)
    case .over:
      start = buffer.count
      return false
    }
    return true
  }

  private mutating func beginPart(_ start: inout Int) throws(Malformed) -> Bool {
    // White space may follow a boundary.
    var index = start
    while index < buffer.count, buffer[index] == 0x20 || buffer[index] == 0x09 { index += 1 }
    guard buffer.count - index >= 2 else {
      guard index - start <= 256 else { throw Self.brokenBoundary }
      return false
    }
    switch (buffer[index], buffer[index + 1]) {
    case (0x2D, 0x2D): state = .over
    case (0x0D, 0x0A):
      partCount += 1
      guard partCount <= Self.maximumPartCount else {
        throw Malformed(reason: "The form has too many parts.")
      }
      state = .head
    default: throw Self.brokenBoundary
    }
    // A head without fields begins with the line break that ends the boundary's line.
    start = state == .head ? index : index + 2
    return true
  }

  private static let brokenBoundary = Malformed(
    reason: "The form has a boundary that is not followed by a line break.")

  private mutating func readHead(_ start: inout Int, _ events: inout [Event]) throws(Malformed) -> Bool {
    guard let end = find([0x0D, 0x0A, 0x0D, 0x0A], from: start) else {
      guard buffer.count - start <= Self.maximumHeadSize else {
        throw Malformed(reason: "A part of the form has a head that is too long.")
      }
      return false
    }
    guard end - start <= Self.maximumHeadSize else {
      throw Malformed(reason: "A part of the form has a head that is too long.")
    }
    let head = String(decoding: buffer[start..<end], as: UTF8.self)
    events.append(try Self.part(head))
    start = end + 2
    state = .contentStart
    return true
  }

  private mutating func beginContent(_ start: inout Int, _ events: inout [Event]) -> Bool {
    // Every complete form has at least this many bytes left.
    guard buffer.count - start >= delimiter.count else { return false }
    if buffer[start..<start + delimiter.count].elementsEqual(delimiter) {
      events.append(.endOfPart)
      start += delimiter.count
      state = .afterBoundary
    } else {
      start += 2
      state = .content
    }
    return true
  }

  private mutating func readContent(_ start: inout Int, _ events: inout [Event]) -> Bool {
    let found = find(delimiter, from: start)
    // Bytes that may be the start of a boundary are kept.
    let end = found ?? max(start, buffer.count - delimiter.count + 1)
    if start < end { events.append(.bytes(Data(buffer[start..<end]))) }
    start = end
    guard found != nil else { return false }
    events.append(.endOfPart)
    start = end + delimiter.count
    state = .afterBoundary
    return true
  }

  private func find(_ pattern: [UInt8], from start: Int) -> Int? {
    guard buffer.count - start >= pattern.count else { return nil }
    return buffer.withUnsafeBytes { bytes -> Int? in
      pattern.withUnsafeBytes { pattern -> Int? in
        var index = start
        let last = bytes.count - pattern.count
        while index <= last {
          guard let base = bytes.baseAddress, let wanted = pattern.baseAddress,
            let hit = memchr(base + index, Int32(pattern[0]), last - index + 1)
          else { return nil }
          index = base.distance(to: UnsafeRawPointer(hit))
          if memcmp(hit, wanted, pattern.count) == 0 { return index }
          index += 1
        }
        return nil
      }
    }
  }

  private static func part(_ head: String) throws(Malformed) -> Event {
    var name: String?
    var type = ""
    // The lines are split as bytes because Swift treats CR LF as one character.
    for line in head.utf8.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let field = String(Substring(line[..<colon])).lowercased()
      let value = String(Substring(line[line.index(after: colon)...]))
      switch field {
      case "content-disposition":
        let disposition = ContentType(value)
        if disposition.type == "form-data" { name = disposition.parameter("name") }
      case "content-type": type = ContentType(value).type
      default: continue
      }
    }
    guard let name else { throw Malformed(reason: "A part of the form has no name.") }
    return .part(name: name, type: type)
  }
}
