#if !canImport(Darwin)

  /// Reads lines from any iterator over bytes; from the iterators of this library a chunk at a time.
  @usableFromInline
  package struct LineReader<Base: AsyncIteratorProtocol, Line: LineValue> where Base.Element == UInt8 {
    @usableFromInline var base: Base
    /// The same iterator, if it is one whose buffer can be scanned; then `base` is left alone.
    @usableFromInline var buffered: AsyncByteIterator?
    @usableFromInline var scanner: LineScanner
    @usableFromInline var isAtEnd = false

    package init(_ base: Base, scanner: LineScanner) {
      self.base = base
      self.scanner = scanner
      buffered = base as? AsyncByteIterator
    }

    /// The next line, or nil at the end. After an error there is nothing more.
    @inlinable
    package mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Line? {
      if let line = buffered?.nextBufferedLine(Line.self, of: &scanner) { return line }
      do throws(Base.Failure) {
        return buffered == nil
          ? try await nextFromBytes(isolation: actor)
          : try await nextFromChunks(isolation: actor)
      } catch {
        isAtEnd = true
        scanner.clearCarry()
        throw error
      }
    }

    /// The next line, its end not being in the buffer yet.
    @inlinable
    mutating func nextFromChunks(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Line? {
      while !isAtEnd {
        if scanner.isOverLimit { return try takeExcess() }
        do {
          isAtEnd = try await buffered?.refill(isolation: actor) != true
        } catch {
          isAtEnd = true
          scanner.clearCarry()
          // Always so: a buffered iterator fails with `any Error`.
          if let failure = error as? Base.Failure { throw failure }
        }
        if let line = buffered?.nextBufferedLine(Line.self, of: &scanner) { return line }
      }
      return scanner.finish(Line.self)
    }

    /// The next line, read byte by byte, as no byte behind the end of the line may be waited for.
    @inlinable
    mutating func nextFromBytes(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Line? {
      while !isAtEnd, let byte = try await base.next(isolation: actor) {
        if scanner.appendPlain(byte) { continue }
        if let line = scanner.append(byte, Line.self) { return line }
        if scanner.isOverLimit {
          let excess = try takeExcess()
          // There is room for it now. It ends no line, or the line would not have been too long.
          _ = scanner.append(byte, Line.self)
          return excess
        }
      }
      isAtEnd = true
      return scanner.finish(Line.self)
    }

    /// Throws for a line that is too long. Where the base cannot throw, the line is given in pieces instead.
    @inlinable
    mutating func takeExcess() throws(Base.Failure) -> Line {
      if let failure = scanner.limitError as? Base.Failure { throw failure }
      return scanner.takeExcess(Line.self)
    }

    /// The number of the line given last, counted from 1.
    package var lineNumber: Int { scanner.lineNumber }
  }

  extension AsyncByteIterator {
    /// The next line if its end is in the buffer already.
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
