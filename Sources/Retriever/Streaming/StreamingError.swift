#if !canImport(Darwin)

  import Foundation

  /// Why a view of a byte stream, such as lines or events, could not go on.
  ///
  /// Failures of the transfer itself are `URLError`s; this is about what was made of its bytes.
  public struct StreamingError: Error, Sendable {
    /// The kinds of failure. New ones may be added: a `switch` needs a `default`.
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

    /// What went wrong.
    public let code: Code
    /// The number of the line it went wrong in, counted from 1, where that is known.
    public let lineNumber: Int?
    /// The error below this one, such as a `DecodingError`.
    public let underlyingError: (any Error)?
    /// The limit that was exceeded, in bytes, where one was.
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
    /// A sentence that says what went wrong, where, and what can be done about it.
    public var description: String {
      let place = lineNumber.map { "Line \($0)" } ?? "A line"
      switch code {
      case .lineTooLong:
        return "\(place) is longer than \(limit ?? 0) bytes. Raise the limit or read the bytes in chunks."
      case .eventTooLong:
        return "A server-sent event is larger than \(limit ?? 0) bytes. Raise the limit of the sequence."
      case .invalidJSONLine:
        return "\(place) is not the JSON that was expected: \(underlyingError.map { "\($0)" } ?? "unknown")"
      case .concurrentIteration:
        return "Two tasks read the same stream at once. It can be read only once, by one task at a time."
      default:
        return "The stream could not be read: \(code)."
      }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
  }

#endif
