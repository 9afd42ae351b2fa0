#if !canImport(Darwin)

/// The events of an event stream, each returned as soon as the blank line that completes it has arrived.
///
/// Not part of Apple's API. Follows the HTML standard: it skips a byte order mark and comments, and lines end at LF,
/// CR or CRLF. An incomplete event at the end of the stream is discarded.
public struct AsyncServerSentEventSequence<Base: AsyncSequence>: AsyncSequence
where Base.Element == UInt8 {
  /// An event.
  public typealias Element = ServerSentEvent
  /// Errors of the bytes, and ``StreamingError``.
  public typealias Failure = any Error

  let base: Base
  let maximumLength: Int

  init(_ base: Base, maximumLength: Int) {
    self.base = base
    self.maximumLength = maximumLength
  }

  /// Creates an iterator over the events.
  public func makeAsyncIterator() -> AsyncIterator {
    let scanner = LineScanner(
      terminators: .eventStream, omittingEmptyLines: false, maximumLength: maximumLength)
    return AsyncIterator(
      lines: LineReader(base.makeAsyncIterator(), scanner: scanner),
      parser: ServerSentEventParser(maximumLength: maximumLength))
  }

  /// The iterator of the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var lines: LineReader<Base.AsyncIterator, String>
    var parser: ServerSentEventParser

    /// The next event, or nil at the end of the stream.
    ///
    /// - Throws: Any error of the underlying bytes; ``StreamingError`` for a line or an event that is too long.
    public mutating func next() async throws -> ServerSentEvent? {
      try await next(isolation: nil)
    }

    /// The next event, or nil at the end of the stream, without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Throws: Any error of the underlying bytes; ``StreamingError`` for a line or an event that is too long.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
      while let line = try await lines.next(isolation: actor) {
        if let event = try parser.consume(line) { return event }
      }
      return nil
    }
  }
}

extension AsyncServerSentEventSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncServerSentEventSequence.AsyncIterator: Sendable {}

extension AsyncSequence where Element == UInt8 {
  /// The bytes as an event stream (`text/event-stream`). Not part of Apple's API.
  ///
  /// An event larger than 16 MiB is an error.
  public var serverSentEvents: AsyncServerSentEventSequence<Self> {
    serverSentEvents(maximumLength: 16 << 20)
  }

  /// The bytes as an event stream (`text/event-stream`). Not part of Apple's API.
  ///
  /// - Parameter maximumLength: The maximum number of data bytes in one event; a larger event is an error.
  public func serverSentEvents(maximumLength: Int) -> AsyncServerSentEventSequence<Self> {
    AsyncServerSentEventSequence(self, maximumLength: maximumLength)
  }
}

#endif
