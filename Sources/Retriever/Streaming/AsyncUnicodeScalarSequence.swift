#if !canImport(Darwin)

/// The Unicode scalars of a stream of UTF-8 bytes, each returned as soon as its last byte has arrived.
///
/// Bytes that are not UTF-8 are replaced by U+FFFD.
public struct AsyncUnicodeScalarSequence<Base: AsyncSequence>: AsyncSequence
where Base.Element == UInt8 {
  /// A Unicode scalar.
  public typealias Element = Unicode.Scalar
  /// The error type of the bytes.
  public typealias Failure = Base.Failure

  let base: Base

  init(_ base: Base) {
    self.base = base
  }

  /// Creates an iterator over the scalars.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator())
  }

  /// The iterator of the scalars.
  public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline var decoder = IncrementalUTF8Decoder()
    /// The byte that made the bytes before it invalid.
    @usableFromInline var pendingByte: UInt8?

    init(base: Base.AsyncIterator) {
      self.base = base
    }

    /// The next scalar, or nil at the end of the stream.
    ///
    /// - Throws: Any error of the underlying bytes.
    @inlinable
    public mutating func next() async throws(Base.Failure) -> Unicode.Scalar? {
      try await next(isolation: nil)
    }

    /// The next scalar, or nil at the end of the stream, without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Throws: Any error of the underlying bytes.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Unicode.Scalar? {
      while true {
        let byte: UInt8
        if let waiting = pendingByte {
          pendingByte = nil
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
          pendingByte = byte
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
  /// The bytes decoded as UTF-8, as Unicode scalars.
  public var unicodeScalars: AsyncUnicodeScalarSequence<Self> {
    AsyncUnicodeScalarSequence(self)
  }
}

#endif
