/// Decides whether a request is sent again after an attempt that brought no response. Pure.
///
/// A request that is not idempotent is never repeated once a byte of it has been sent, unless the server said that it
/// did not process it: sent twice, a payment is paid twice (RFC 9110, 9.2.2).
struct RetryRule: Sendable {
  /// How an attempt ended that brought not a byte of response.
  struct Attempt: Equatable, Sendable {
    /// Whether a byte of the request may have reached the server.
    var sentBytes: Bool
    /// Whether the connection had been used before. The server may have closed it at the moment it was used again.
    var reusedConnection: Bool
    /// HTTP/2: the stream was refused, or GOAWAY says that it was not processed.
    var wasRefused = false
  }

  enum Decision: Equatable, Sendable {
    /// Send it again; `fresh` on a connection of its own, so that no other dead one is tried.
    case repeats(onFreshConnection: Bool)
    case fails
  }

  /// How often an idempotent request is repeated after bytes of it were sent.
  static let maximumRepeats = 2
  /// How often any request is repeated that the server refused before it looked at it.
  static let maximumRefusals = 8
  /// How often any request is repeated of which nothing left. The second time already goes over a fresh connection.
  static let maximumUnsent = 8

  let isIdempotent: Bool
  private(set) var repeats = 0
  private(set) var refusals = 0
  private(set) var unsent = 0

  init(method: String) {
    isIdempotent =
      switch method {
      case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
      default: false
      }
  }

  mutating func decide(after attempt: Attempt) -> Decision {
    if attempt.wasRefused {
      guard refusals < Self.maximumRefusals else { return .fails }
      refusals += 1
      return .repeats(onFreshConnection: false)
    }
    // A new connection that ends without a byte is the server's answer, not a race with its time-out.
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
