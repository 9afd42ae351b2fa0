#if !canImport(Darwin)

  /// The characters (grapheme clusters) of a stream of UTF-8 bytes.
  ///
  /// A character is given when the scalar after it has arrived, since only that shows that it is complete. Bytes that
  /// are not UTF-8 are replaced by U+FFFD.
  public struct AsyncCharacterSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    /// A character.
    public typealias Element = Character
    /// What the bytes may throw.
    public typealias Failure = Base.Failure

    let base: AsyncUnicodeScalarSequence<Base>

    init(_ base: Base) {
      self.base = AsyncUnicodeScalarSequence(base)
    }

    /// An iterator over the characters.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(scalars: base.makeAsyncIterator())
    }

    /// The iterator of the characters.
    public struct AsyncIterator: AsyncIteratorProtocol {
      @usableFromInline var scalars: AsyncUnicodeScalarSequence<Base>.AsyncIterator
      @usableFromInline var assembler = CharacterAssembler()

      init(scalars: AsyncUnicodeScalarSequence<Base>.AsyncIterator) {
        self.scalars = scalars
      }

      /// The next character, or nil at the end of the stream.
      ///
      /// - Throws: What the bytes throw.
      @inlinable
      public mutating func next() async throws(Base.Failure) -> Character? {
        try await next(isolation: nil)
      }

      /// The next character, or nil at the end of the stream, without leaving the caller's actor.
      ///
      /// - Parameter actor: The actor the caller runs on.
      /// - Throws: What the bytes throw.
      @inlinable
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(Base.Failure) -> Character? {
        while let scalar = try await scalars.next(isolation: actor) {
          if let character = assembler.append(scalar) { return character }
        }
        return assembler.finish()
      }
    }
  }

  extension AsyncCharacterSequence: Sendable where Base: Sendable {}

  @available(*, unavailable)
  extension AsyncCharacterSequence.AsyncIterator: Sendable {}

  extension AsyncSequence where Element == UInt8 {
    /// The characters of the bytes, read as UTF-8.
    public var characters: AsyncCharacterSequence<Self> {
      AsyncCharacterSequence(self)
    }
  }

#endif
