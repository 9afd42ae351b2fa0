#if !canImport(Darwin)

import Foundation

/// The values of a JSON Lines stream, each decoded as soon as the line feed after it has arrived.
///
/// Not part of Apple's API. Blank lines are skipped, and the last line need not be terminated. A line that cannot be
/// decoded ends the sequence with an error that contains its line number.
public struct AsyncJSONLineSequence<Base: AsyncSequence, Element: Decodable>: AsyncSequence
where Base.Element == UInt8 {
  /// Errors of the bytes, and ``StreamingError``.
  public typealias Failure = any Error

  let base: Base
  let decoder: JSONDecoder
  let maximumLength: Int

  init(_ base: Base, decoder: JSONDecoder, maximumLength: Int) {
    self.base = base
    self.decoder = decoder
    self.maximumLength = maximumLength
  }

  /// Creates an iterator over the values.
  public func makeAsyncIterator() -> AsyncIterator {
    let scanner = LineScanner(
      terminators: .lineFeed, omittingEmptyLines: true, maximumLength: maximumLength)
    return AsyncIterator(lines: LineReader(base.makeAsyncIterator(), scanner: scanner), decoder: decoder)
  }

  /// The iterator of the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var lines: LineReader<Base.AsyncIterator, Data>
    let decoder: JSONDecoder
    var hasFailed = false

    init(lines: LineReader<Base.AsyncIterator, Data>, decoder: JSONDecoder) {
      self.lines = lines
      self.decoder = decoder
    }

    /// The next value, or nil at the end of the stream.
    ///
    /// - Throws: Any error of the underlying bytes; ``StreamingError`` with the line's number for a line that is too
    ///   long or cannot be decoded.
    public mutating func next() async throws -> Element? {
      try await next(isolation: nil)
    }

    /// The next value, or nil at the end of the stream, without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Throws: Any error of the underlying bytes; ``StreamingError`` with the line's number for a line that is too
    ///   long or cannot be decoded.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      while !hasFailed, let line = try await lines.next(isolation: actor) {
        if line.allSatisfy(isJSONBlank) { continue }
        do {
          return try decoder.decode(Element.self, from: line)
        } catch {
          hasFailed = true
          throw StreamingError(.invalidJSONLine, lineNumber: lines.lineNumber, underlyingError: error)
        }
      }
      return nil
    }
  }
}

private func isJSONBlank(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0D
}

extension AsyncJSONLineSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncJSONLineSequence.AsyncIterator: Sendable {}

extension AsyncSequence where Element == UInt8 {
  /// The bytes as JSON Lines: one JSON text per line, decoded as it arrives. Not part of Apple's API.
  ///
  /// - Parameters:
  ///   - type: The type of the value in each line.
  ///   - decoder: The decoder for the lines.
  ///   - maximumLength: The maximum line length in bytes; a longer line is an error.
  public func jsonLines<Value: Decodable>(
    of type: Value.Type, decoder: JSONDecoder = JSONDecoder(), maximumLength: Int = 64 << 20
  ) -> AsyncJSONLineSequence<Self, Value> {
    AsyncJSONLineSequence(self, decoder: decoder, maximumLength: maximumLength)
  }
}

#endif
