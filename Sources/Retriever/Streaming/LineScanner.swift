#if !canImport(Darwin)

  import Foundation

  /// What a line can be turned into.
  @usableFromInline
  package protocol LineValue {
    init(lineBytes: UnsafeBufferPointer<UInt8>)
  }

  extension String: LineValue {
    /// The text, with U+FFFD for what is not UTF-8.
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

  /// Cuts bytes into lines, whatever pieces the bytes come in.
  ///
  /// A line is given as soon as its terminator is complete, and not one byte later: a CR ends a line at once, and an LF
  /// that follows is skipped when it comes. Most lines lie inside one buffer and are made straight from it; only what
  /// crosses into the next buffer is carried over in a copy.
  @usableFromInline
  package struct LineScanner: Sendable {
    private let terminators: LineTerminators
    private let omitsEmptyLines: Bool
    @usableFromInline let maximumLength: Int

    /// The beginning of a line whose end has not been seen.
    @usableFromInline var carry: [UInt8] = []
    /// What the carry ends with, if that may be the beginning of a terminator.
    private var prefix = LineTerminators.Prefix.none
    private var skipsLineFeed = false
    /// Whether a byte that cannot be part of a terminator needs no more than to be carried.
    @usableFromInline var isInsideLine = true

    /// The number of the line given last, blank ones included, counted from 1.
    @usableFromInline
    package private(set) var lineNumber = 0
    /// A line grew beyond the limit; ``takeExcess()`` gives what there is of it.
    @usableFromInline
    package private(set) var isOverLimit = false

    package init(terminators: LineTerminators, omittingEmptyLines: Bool, maximumLength: Int) {
      self.terminators = terminators
      self.omitsEmptyLines = omittingEmptyLines
      self.maximumLength = max(maximumLength, 1)
    }

    /// The next line between the pointers, moving `cursor` behind it; nil when all bytes are used up or the line is
    /// too long.
    @inlinable
    package mutating func next<Line: LineValue>(
      _: Line.Type, from cursor: inout UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
    ) -> Line? {
      guard let line = nextBytes(from: &cursor, to: end) else { return nil }
      if carry.isEmpty { return Line(lineBytes: line) }
      return takeCarry()
    }

    /// Takes one byte, and gives the line if that was the last one it waited for.
    @inlinable
    package mutating func append<Line: LineValue>(_ byte: UInt8, _: Line.Type) -> Line? {
      withUnsafePointer(to: byte) { start in
        var cursor = start
        return next(Line.self, from: &cursor, to: start + 1)
      }
    }

    /// Takes one byte that is no terminator and no part of one. False if the byte needs a closer look.
    @inlinable
    package mutating func appendPlain(_ byte: UInt8) -> Bool {
      guard isInsideLine, byte &- 0x0A > 3, byte != 0xC2, byte != 0xE2, carry.count < maximumLength else {
        return false
      }
      carry.append(byte)
      return true
    }

    /// The last line, if the stream ended without terminating it.
    @inlinable
    package mutating func finish<Line: LineValue>(_: Line.Type) -> Line? {
      if carry.isEmpty { return nil }
      countLine()
      return takeCarry()
    }

    /// What was read of a line that is too long; the rest of it will come as if it were a line.
    @inlinable
    package mutating func takeExcess<Line: LineValue>(_: Line.Type) -> Line {
      takeCarry()
    }

    /// Why no more can be read while ``isOverLimit``.
    @usableFromInline
    package var limitError: any Error {
      StreamingError(.lineTooLong, lineNumber: lineNumber + 1, limit: maximumLength)
    }

    @inlinable
    mutating func takeCarry<Line: LineValue>() -> Line {
      let line = carry.withUnsafeBufferPointer(Line.init(lineBytes:))
      clearCarry()
      return line
    }

    @usableFromInline
    mutating func clearCarry() {
      // One long line must not hold on to its memory for the rest of the stream.
      carry.removeAll(keepingCapacity: carry.capacity <= 64 << 10)
      isOverLimit = false
      prefix = .none
      isInsideLine = !skipsLineFeed
    }

    @usableFromInline
    mutating func countLine() {
      lineNumber += 1
    }

    /// Finds the end of the next line. If the carry is not empty afterwards, the complete line is in there; otherwise
    /// it is what was returned.
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
          carry.append(0x80)
          prefix = .e280
          continue
        case (.c2, 0x85):
          cursor += 1
          carry.removeLast()
        case (.e280, 0xA8), (.e280, 0xA9):
          cursor += 1
          carry.removeLast(2)
        default:
          guard let match = terminators.firstMatch(from: cursor, to: end) else {
            carryOver(from: &cursor, count: end - cursor)
            return nil
          }
          if carry.count + match.offset > maximumLength {
            carryOver(from: &cursor, count: match.offset)
            return nil
          }
          length = match.offset
          skipsLineFeed = start[length] == 0x0D && terminators != .lineFeed
          cursor += length + match.length
        }
        countLine()
        prefix = .none
        isInsideLine = !skipsLineFeed
        if omitsEmptyLines, length == 0, carry.isEmpty { continue }
        let line = UnsafeBufferPointer(start: start, count: length)
        if !carry.isEmpty { carry.append(contentsOf: line) }
        return line
      }
      return nil
    }

    /// Keeps bytes of an unfinished line, as many as the limit allows.
    private mutating func carryOver(from cursor: inout UnsafePointer<UInt8>, count: Int) {
      // What begins a terminator is carried whatever the limit: it may turn out not to belong to the line.
      let kept = min(count, max(maximumLength - carry.count, 0))
      carry.append(contentsOf: UnsafeBufferPointer(start: cursor, count: kept))
      cursor += kept
      isOverLimit = kept < count || carry.count > maximumLength
      prefix = terminators == .unicode && !isOverLimit ? .init(endOf: carry) : .none
      isInsideLine = prefix == .none
    }
  }

#endif
