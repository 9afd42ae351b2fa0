#if !canImport(Darwin)

/// Reads lines from any iterator over bytes. It reads this library's iterators one chunk at a time.
@usableFromInline
package struct LineReader<Base: AsyncIteratorProtocol, Line: LineValue> where Base.Element == UInt8 {
  @usableFromInline var base: Base
  /// The same iterator if its buffer can be scanned; `base` is then not used.
  @usableFromInline var buffered: AsyncByteIterator?
  @usableFromInline var scanner: LineScanner
  @usableFromInline var isAtEnd = false

  package init(_ base: Base, scanner: LineScanner) {
    self.base = base
    self.scanner = scanner
    buffered = base as? AsyncByteIterator
  }

  /// The next line, or nil at the end. After an error, every call returns nil.
  @inlinable
  package mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Line? {
    if let line = buffered?.nextBufferedLine(Line.self, of: &scanner) { return line }
    do throws(Base.Failure) {
      return buffered == nil
        ? try await nextFromBytes(isolation: actor)
        : try await nextFromChunks(isolation: actor)
    } catch {
      isAtEnd = true
      scanner.clearPartialLine()
      throw error
    }
  }

  /// The next line if its end is not in the buffer yet.
  @inlinable
  mutating func nextFromChunks(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Line? {
    while !isAtEnd {
      if scanner.isOverLimit { return try takePartialLine() }
      do {
        isAtEnd = try await buffered?.refill(isolation: actor) != true
      } catch {
        isAtEnd = true
        scanner.clearPartialLine()
        // The cast always succeeds, because a buffered iterator fails with `any Error`.
        if let failure = error as? Base.Failure { throw failure }
      }
      if let line = buffered?.nextBufferedLine(Line.self, of: &scanner) { return line }
    }
    return scanner.finish(Line.self)
  }

  /// The next line, read byte by byte, because the reader must not wait for any byte after the end of the line.
  @inlinable
  mutating func nextFromBytes(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Line? {
    while !isAtEnd, let byte = try await base.next(isolation: actor) {
      if scanner.appendOrdinaryByte(byte) { continue }
      if let line = scanner.append(byte, Line.self) { return line }
      if scanner.isOverLimit {
        let excess = try takePartialLine()
        // Now there is room for the byte. It cannot end the line, because then the line would not have been too long.
        _ = scanner.append(byte, Line.self)
        return excess
      }
    }
    isAtEnd = true
    return scanner.finish(Line.self)
  }

  /// Throws for a line that is too long. If the base cannot throw, returns the line in pieces instead.
  @inlinable
  mutating func takePartialLine() throws(Base.Failure) -> Line {
    if let failure = scanner.limitError as? Base.Failure { throw failure }
    return scanner.takePartialLine(Line.self)
  }

  /// The number of the line that was returned last, counted from 1.
  package var lineNumber: Int { scanner.lineNumber }
}

extension AsyncByteIterator {
  /// The next line if its end is already in the buffer.
  @inlinable
  mutating func nextBufferedLine<Line: LineValue>(
    _: Line.Type, of scanner: inout LineScanner
  ) -> Line? {
    withExtendedLifetime(chunk) {
      scanner.next(Line.self, from: &cursor, to: end)
    }
  }
}

#endif
