#if !canImport(Darwin)

import Foundation

/// A type that can be created from the bytes of a line.
@usableFromInline
package protocol LineValue {
  init(lineBytes: UnsafeBufferPointer<UInt8>)
}

extension String: LineValue {
  /// Creates the text, with U+FFFD for invalid UTF-8.
  @inlinable
  package init(lineBytes: UnsafeBufferPointer<UInt8>) {
    self.init(decoding: lineBytes, as: UTF8.self)
  }
}

extension Data: LineValue {
  @inlinable
  package init(lineBytes: UnsafeBufferPointer<UInt8>) {
    self.init(lineBytes)
  }
}

/// Splits bytes into lines, regardless of how the bytes are divided into buffers.
///
/// A line is returned as soon as its terminator is complete. A CR ends a line immediately, and an LF that follows is
/// skipped. Most lines are inside one buffer and are created directly from it. Only a line that continues in the next
/// buffer is copied.
@usableFromInline
package struct LineScanner: Sendable {
  private let terminators: LineTerminators
  private let omitsEmptyLines: Bool
  @usableFromInline let maximumLength: Int

  /// The beginning of a line whose end has not been found yet.
  @usableFromInline var partialLine: [UInt8] = []
  /// The end of the partial line, if it may be the beginning of a terminator.
  private var prefix = LineTerminators.Prefix.none
  private var skipsLineFeed = false
  /// Whether a byte that cannot be part of a terminator only needs to be appended to the partial line.
  @usableFromInline var isInsideLine = true

  /// The number of the line that was returned last, counted from 1, including blank lines.
  @usableFromInline
  package private(set) var lineNumber = 0
  /// Whether a line exceeds the limit; ``takePartialLine()`` returns the part that was read.
  @usableFromInline
  package private(set) var isOverLimit = false

  package init(terminators: LineTerminators, omittingEmptyLines: Bool, maximumLength: Int) {
    self.terminators = terminators
    self.omitsEmptyLines = omittingEmptyLines
    self.maximumLength = max(maximumLength, 1)
  }

  /// The next line between the pointers. Moves `cursor` after it. Returns nil if all bytes are used up or the line is
  /// too long.
  @inlinable
  package mutating func next<Line: LineValue>(
    _: Line.Type, from cursor: inout UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
  ) -> Line? {
    guard let line = nextBytes(from: &cursor, to: end) else { return nil }
    if partialLine.isEmpty { return Line(lineBytes: line) }
    return takePartialLine()
  }

  /// Adds one byte. Returns the line if the byte completes it.
  @inlinable
  package mutating func append<Line: LineValue>(_ byte: UInt8, _: Line.Type) -> Line? {
    withUnsafePointer(to: byte) { start in
      var cursor = start
      return next(Line.self, from: &cursor, to: start + 1)
    }
  }

  /// Adds a byte that is not part of a terminator. Returns false if the byte needs `append(_:_:)`.
  @inlinable
  package mutating func appendOrdinaryByte(_ byte: UInt8) -> Bool {
    guard isInsideLine, byte &- 0x0A > 3, byte != 0xC2, byte != 0xE2, partialLine.count < maximumLength
    else { return false }
    partialLine.append(byte)
    return true
  }

  /// The last line, if the stream ended without terminating it.
  @inlinable
  package mutating func finish<Line: LineValue>(_: Line.Type) -> Line? {
    if partialLine.isEmpty { return nil }
    countLine()
    return takePartialLine()
  }

  /// The part that was read of a line that is too long. The rest is returned as a separate line.
  @inlinable
  package mutating func takePartialLine<Line: LineValue>(_: Line.Type) -> Line {
    takePartialLine()
  }

  /// The error while ``isOverLimit`` is true.
  @usableFromInline
  package var limitError: any Error {
    StreamingError(.lineTooLong, lineNumber: lineNumber + 1, limit: maximumLength)
  }

  @inlinable
  mutating func takePartialLine<Line: LineValue>() -> Line {
    let line = partialLine.withUnsafeBufferPointer(Line.init(lineBytes:))
    clearPartialLine()
    return line
  }

  @usableFromInline
  mutating func clearPartialLine() {
    // A single long line must not keep its memory for the rest of the stream.
    partialLine.removeAll(keepingCapacity: partialLine.capacity <= 64 << 10)
    isOverLimit = false
    prefix = .none
    isInsideLine = !skipsLineFeed
  }

  @usableFromInline
  mutating func countLine() {
    lineNumber += 1
  }

  /// Finds the end of the next line. If `partialLine` is not empty afterwards, it contains the complete line.
  /// Otherwise the return value does.
  @usableFromInline
  mutating func nextBytes(
    from cursor: inout UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    while cursor != end {
      if skipsLineFeed {
        skipsLineFeed = false
        isInsideLine = true
        if cursor.pointee == 0x0A {
          cursor += 1
          continue
        }
      }
      let start = cursor
      var length = 0
      switch (prefix, cursor.pointee) {
      case (.e2, 0x80):
        cursor += 1
        partialLine.append(0x80)
        prefix = .e280
        continue
      case (.c2, 0x85):
        cursor += 1
        partialLine.removeLast()
      case (.e280, 0xA8), (.e280, 0xA9):
        cursor += 1
        partialLine.removeLast(2)
      default:
        guard let match = terminators.firstMatch(from: cursor, to: end) else {
          keepPartialLine(from: &cursor, count: end - cursor)
          return nil
        }
        if partialLine.count + match.offset > maximumLength {
          keepPartialLine(from: &cursor, count: match.offset)
          return nil
        }
        length = match.offset
        skipsLineFeed = start[length] == 0x0D && terminators != .lineFeed
        cursor += length + match.length
      }
      countLine()
      prefix = .none
      isInsideLine = !skipsLineFeed
      if omitsEmptyLines, length == 0, partialLine.isEmpty { continue }
      let line = UnsafeBufferPointer(start: start, count: length)
      if !partialLine.isEmpty { partialLine.append(contentsOf: line) }
      return line
    }
    return nil
  }

  /// Keeps the bytes of an unfinished line, up to the limit.
  private mutating func keepPartialLine(from cursor: inout UnsafePointer<UInt8>, count: Int) {
    // The beginning of a terminator is kept even beyond the limit, because it may not be part of the line.
    let kept = min(count, max(maximumLength - partialLine.count, 0))
    partialLine.append(contentsOf: UnsafeBufferPointer(start: cursor, count: kept))
    cursor += kept
    isOverLimit = kept < count || partialLine.count > maximumLength
    prefix = terminators == .unicode && !isOverLimit ? .init(endOf: partialLine) : .none
    isInsideLine = prefix == .none
  }
}

#endif
