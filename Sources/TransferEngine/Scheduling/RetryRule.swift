/// Decides whether to send a request again after an attempt without a response. It has no side effects.
///
/// A request that is not idempotent is never repeated after any of it has been sent, unless the server reported that it
/// did not process it. Otherwise a payment could be made twice (RFC 9110, 9.2.2).
struct RetryRule: Sendable {
  /// How an attempt without any bytes of a response ended.
  struct Attempt: Equatable, Sendable {
    /// Whether any byte of the request may have reached the server.
    var sentBytes: Bool
    /// Whether the connection had been used before. The server may have closed it just as it was reused.
    var reusedConnection: Bool
    /// HTTP/2: whether the server refused the stream, or GOAWAY reported that it was not processed.
    var wasRefused = false
  }

  enum Decision: Equatable, Sendable {
    /// Send the request again; if `fresh`, on a new connection, so that no other dead connection is tried.
    case repeats(onFreshConnection: Bool)
    case fails
  }

  /// The maximum number of times an idempotent request is repeated after bytes of it were sent.
  static let maximumRepeats = 2
  /// The maximum number of times any request is repeated that the server refused before processing it.
  static let maximumRefusals = 8
  /// The maximum number of times any request is repeated if nothing was sent. The second attempt uses a new connection.
  static let maximumUnsent = 8

  let isIdempotent: Bool
  private(set) var repeats = 0
  private(set) var refusals = 0
  private(set) var unsent = 0
  private(set) var hasDroppedExpectation = false

  init(method: String) {
    isIdempotent = TransferRequest.isIdempotent(method)
  }

  /// Returns whether to send a request again, without `Expect: 100-continue`, because the server answered the expectation
  /// with 417 (RFC 9110, 10.1.1). It then has no part of the body, so any method may be repeated; but only once.
  mutating func repeatsWithoutExpectation(sentBody: Bool) -> Bool {
    guard !sentBody, !hasDroppedExpectation else { return false }
    hasDroppedExpectation = true
    return true
  }

  mutating func decide(after attempt: Attempt) -> Decision {
    if attempt.wasRefused {
      guard refusals < Self.maximumRefusals else { return .fails }
      refusals += 1
      return .repeats(onFreshConnection: false)
    }
    // If a new connection ends without a byte, that is the server's answer, not a race with its time-out.
    guard attempt.reusedConnection else { return .fails }
    guard attempt.sentBytes else {
      guard unsent < Self.maximumUnsent else { return .fails }
      unsent += 1
      return .repeats(onFreshConnection: true)
    }
    guard isIdempotent, repeats < Self.maximumRepeats else { return .fails }
    repeats += 1
    return .repeats(onFreshConnection: true)
  }
}
