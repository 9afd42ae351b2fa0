#if !canImport(Darwin)

import Foundation

/// An error of a view of a byte stream, such as its lines or events.
///
/// Failures of the transfer itself are `URLError`s. This type is for errors in the content.
public struct StreamingError: Error, Sendable {
  /// The kinds of failure. New ones may be added, so a `switch` needs a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case lineTooLong, eventTooLong, invalidJSONLine, concurrentIteration
    }

    private let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// A line was longer than the limit of the sequence.
    public static let lineTooLong = Code(.lineTooLong)
    /// A server-sent event was larger than the limit of the sequence.
    public static let eventTooLong = Code(.eventTooLong)
    /// A line of a JSON Lines stream could not be decoded.
    public static let invalidJSONLine = Code(.invalidJSONLine)
    /// Two tasks were reading the same stream at the same time.
    public static let concurrentIteration = Code(.concurrentIteration)

    /// The name of the code.
    public var description: String { kind.rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// The number of the line with the error, counted from 1, if it is known.
  public let lineNumber: Int?
  /// The underlying error, such as a `DecodingError`.
  public let underlyingError: (any Error)?
  /// The limit in bytes that was exceeded, if any.
  public let limit: Int?

  package init(
    _ code: Code, lineNumber: Int? = nil, limit: Int? = nil, underlyingError: (any Error)? = nil
  ) {
    self.code = code
    self.lineNumber = lineNumber
    self.limit = limit
    self.underlyingError = underlyingError
  }
}

extension StreamingError: CustomStringConvertible, LocalizedError {
  /// A message that says what happened, where, and what to do about it.
  public var description: String {
    let place = lineNumber.map { "Line \($0)" } ?? "A line"
    switch code {
    case .lineTooLong:
      return "\(place) is longer than \(limit ?? 0) bytes. Raise the limit or read the bytes in chunks."
    case .eventTooLong:
      return "A server-sent event is larger than \(limit ?? 0) bytes. Raise the limit of the sequence."
    case .invalidJSONLine:
      return "\(place) is not the expected JSON: \(underlyingError.map { "\($0)" } ?? "unknown")"
    case .concurrentIteration:
      return "Two tasks read the same stream concurrently. Read it from one task only."
    default:
      return "Could not read the stream: \(code)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

#endif
