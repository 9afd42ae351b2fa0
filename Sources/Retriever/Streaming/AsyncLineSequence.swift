#if !canImport(Darwin)

  /// The lines of a stream of UTF-8 bytes, as they arrive.
  ///
  /// A line ends at LF, CR, CRLF, VT, FF, NEL, LS or PS and is given, without it, as soon as that has arrived. Empty
  /// lines are left out unless asked for with `lines(omittingEmptyLines:maximumLength:)`. A last line that is
  /// not terminated is given too, and bytes that are not UTF-8 are replaced by U+FFFD.
  public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    /// A line without what ended it.
    public typealias Element = String
    /// What the bytes may throw.
    public typealias Failure = Base.Failure

    let base: Base
    let scanner: LineScanner

    /// The length in bytes at which a line is taken for an attack on memory: 64 MiB.
    public static var defaultMaximumLength: Int { 64 << 20 }

    init(_ base: Base, omittingEmptyLines: Bool, maximumLength: Int) {
      self.base = base
      scanner = LineScanner(
        terminators: .unicode, omittingEmptyLines: omittingEmptyLines, maximumLength: maximumLength)
    }

    /// An iterator over the lines.
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
      /// - Throws: What the bytes throw; ``StreamingError/Code/lineTooLong`` for a line beyond the limit. (If the
      ///   bytes cannot throw, such a line is given in pieces.)
      @inlinable
      public mutating func next() async throws(Base.Failure) -> String? {
        try await reader.next(isolation: nil)
      }

      /// The next line, or nil at the end of the stream, without leaving the caller's actor.
      ///
      /// - Parameter actor: The actor the caller runs on.
      /// - Throws: What the bytes throw; ``StreamingError/Code/lineTooLong`` for a line beyond the limit. (If the
      ///   bytes cannot throw, such a line is given in pieces.)
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
    /// The lines of the bytes, read as UTF-8, without the empty ones.
    ///
    /// A line longer than 64 MiB is an error.
    public var lines: AsyncLineSequence<Self> {
      lines(omittingEmptyLines: true)
    }

    /// The lines of the bytes, read as UTF-8. Not part of Apple's API.
    ///
    /// - Parameters:
    ///   - omittingEmptyLines: False to get the empty lines too, as for a format in which a blank line means
    ///     something.
    ///   - maximumLength: The longest line to accept, in bytes; a longer one is an error.
    public func lines(
      omittingEmptyLines: Bool,
      maximumLength: Int = AsyncLineSequence<Self>.defaultMaximumLength
    ) -> AsyncLineSequence<Self> {
      AsyncLineSequence(self, omittingEmptyLines: omittingEmptyLines, maximumLength: maximumLength)
    }
  }

#endif
