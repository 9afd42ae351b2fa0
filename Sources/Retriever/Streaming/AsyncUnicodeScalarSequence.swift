#if !canImport(Darwin)

  /// The Unicode scalars of a stream of UTF-8 bytes, each as soon as its last byte has arrived.
  ///
  /// Bytes that are not UTF-8 are replaced by U+FFFD.
  public struct AsyncUnicodeScalarSequence<Base: AsyncSequence>: AsyncSequence
  where Base.Element == UInt8 {
    /// A Unicode scalar.
    public typealias Element = Unicode.Scalar
    /// What the bytes may throw.
    public typealias Failure = Base.Failure

    let base: Base

    init(_ base: Base) {
      self.base = base
    }

    /// An iterator over the scalars.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base: base.makeAsyncIterator())
    }

    /// The iterator of the scalars.
    public struct AsyncIterator: AsyncIteratorProtocol {
      @usableFromInline var base: Base.AsyncIterator
      @usableFromInline var decoder = IncrementalUTF8Decoder()
      /// The byte that showed the ones before it to be invalid.
      @usableFromInline var heldBack: UInt8?

      init(base: Base.AsyncIterator) {
        self.base = base
      }

      /// The next scalar, or nil at the end of the stream.
      ///
      /// - Throws: What the bytes throw.
      @inlinable
      public mutating func next() async throws(Base.Failure) -> Unicode.Scalar? {
        try await next(isolation: nil)
      }

      /// The next scalar, or nil at the end of the stream, without leaving the caller's actor.
      ///
      /// - Parameter actor: The actor the caller runs on.
      /// - Throws: What the bytes throw.
      @inlinable
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(Base.Failure) -> Unicode.Scalar? {
        while true {
          let byte: UInt8
          if let waiting = heldBack {
            heldBack = nil
            byte = waiting
          } else if let arrived = try await base.next(isolation: actor) {
            byte = arrived
          } else {
            return decoder.finish()
          }
          if byte < 0x80, decoder.isIdle { return Unicode.Scalar(byte) }
          switch decoder.consume(byte) {
          case .needsMore:
            continue
          case .scalar(let scalar):
            return scalar
          case .invalidBefore:
            heldBack = byte
            return IncrementalUTF8Decoder.replacement
          }
        }
      }
    }
  }

  extension AsyncUnicodeScalarSequence: Sendable where Base: Sendable {}

  @available(*, unavailable)
  extension AsyncUnicodeScalarSequence.AsyncIterator: Sendable {}

  extension AsyncSequence where Element == UInt8 {
    /// The Unicode scalars of the bytes, read as UTF-8.
    public var unicodeScalars: AsyncUnicodeScalarSequence<Self> {
      AsyncUnicodeScalarSequence(self)
    }
  }

#endif
