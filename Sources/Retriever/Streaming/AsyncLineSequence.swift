#if !canImport(Darwin)

/// The lines of a stream of UTF-8 bytes, as they arrive.
///
/// A line ends at LF, CR, CRLF, VT, FF, NEL, LS or PS. It is returned, without the terminator, as soon as the
/// terminator has arrived. Empty lines are omitted; use `lines(omittingEmptyLines:maximumLength:)` to keep them. A
/// last line without a terminator is returned too. Bytes that are not UTF-8 are replaced by U+FFFD.
public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A line without its terminator.
  public typealias Element = String
  /// The error type of the bytes.
  public typealias Failure = Base.Failure

  let base: Base
  let scanner: LineScanner

  /// The default maximum line length: 64 MiB. It protects memory against endless lines.
  public static var defaultMaximumLength: Int { 64 << 20 }

  init(_ base: Base, omittingEmptyLines: Bool, maximumLength: Int) {
    self.base = base
    scanner = LineScanner(
      terminators: .unicode, omittingEmptyLines: omittingEmptyLines, maximumLength: maximumLength)
  }

  /// Creates an iterator over the lines.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: LineReader(base.makeAsyncIterator(), scanner: scanner))
  }

  /// The iterator of the lines.
  public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline var reader: LineReader<Base.AsyncIterator, String>

    init(reader: LineReader<Base.AsyncIterator, String>) {
      self.reader = reader
    }

    /// The next line, or nil at the end of the stream.
    ///
    /// - Throws: Any error of the underlying bytes; ``StreamingError/Code/lineTooLong`` for a line that exceeds the
    ///   limit. If the bytes cannot throw, such a line is returned in pieces.
    @inlinable
    public mutating func next() async throws(Base.Failure) -> String? {
      try await reader.next(isolation: nil)
    }

    /// The next line, or nil at the end of the stream, without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Throws: Any error of the underlying bytes; ``StreamingError/Code/lineTooLong`` for a line that exceeds the
    ///   limit. If the bytes cannot throw, such a line is returned in pieces.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> String? {
      try await reader.next(isolation: actor)
    }
  }
}

extension AsyncLineSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncLineSequence.AsyncIterator: Sendable {}

extension AsyncSequence where Element == UInt8 {
  /// The bytes decoded as UTF-8, as lines, without empty ones.
  ///
  /// A line longer than 64 MiB is an error.
  public var lines: AsyncLineSequence<Self> {
    lines(omittingEmptyLines: true)
  }

  /// The bytes decoded as UTF-8, as lines. Not part of Apple's API.
  ///
  /// - Parameters:
  ///   - omittingEmptyLines: Pass false to keep empty lines, for formats in which they have a meaning.
  ///   - maximumLength: The maximum line length in bytes; a longer line is an error.
  public func lines(
    omittingEmptyLines: Bool,
    maximumLength: Int = AsyncLineSequence<Self>.defaultMaximumLength
  ) -> AsyncLineSequence<Self> {
    AsyncLineSequence(self, omittingEmptyLines: omittingEmptyLines, maximumLength: maximumLength)
  }
}

#endif
