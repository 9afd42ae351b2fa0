#if !canImport(Darwin)

/// The characters (grapheme clusters) of a stream of UTF-8 bytes.
///
/// A character is returned when the next scalar arrives, because only then is it known to be complete. Bytes that are
/// not UTF-8 are replaced by U+FFFD.
public struct AsyncCharacterSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A character.
  public typealias Element = Character
  /// The error type of the bytes.
  public typealias Failure = Base.Failure

  let base: AsyncUnicodeScalarSequence<Base>

  init(_ base: Base) {
    self.base = AsyncUnicodeScalarSequence(base)
  }

  /// Creates an iterator over the characters.
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
    /// - Throws: Any error of the underlying bytes.
    @inlinable
    public mutating func next() async throws(Base.Failure) -> Character? {
      try await next(isolation: nil)
    }

    /// The next character, or nil at the end of the stream, without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Throws: Any error of the underlying bytes.
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
  /// The bytes decoded as UTF-8, as characters.
  public var characters: AsyncCharacterSequence<Self> {
    AsyncCharacterSequence(self)
  }
}

#endif
