import Foundation
import KennelStorage
import Retriever

/// The reason why a request to another kennel failed.
package enum PeerFailure: Error, Sendable {
  /// A temporary failure. The request can be repeated, after the delay that the peer asked for, if any.
  case temporary(KennelError, retryAfter: Duration? = nil)
  /// There is no server at the address. This may be temporary, or the address is wrong.
  case unreachable(KennelError)
  /// A permanent failure. Another attempt would fail in the same way.
  case permanent(KennelError)
  /// The peer does not have the requested item.
  case missing

  var retryAfter: Duration? {
    if case .temporary(_, let asked) = self { asked } else { nil }
  }

  var error: KennelError {
    switch self {
    case .temporary(let error, _), .unreachable(let error), .permanent(let error): error
    case .missing: KennelError(.badPeer, "There is no kennel at this address. Check the address.")
    }
  }

  /// Whether another attempt may succeed.
  var isRetryable: Bool {
    switch self {
    case .temporary, .unreachable: true
    case .permanent, .missing: false
    }
  }

  /// Creates a failure from an error that a load threw.
  init(_ error: any Error) {
    switch error {
    case let failure as PeerFailure: self = failure
    case let error as KennelError: self = .permanent(error)
    case is CancellationError: self = .permanent(.cancelled)
    case let error as URLError: self.init(error)
    default: self = .permanent(KennelError(.badPeer, "The other kennel could not be read: \(error)"))
    }
  }

  private init(_ error: URLError) {
    let sentence = "The other kennel could not be reached. \(error.localizedDescription)"
    switch error.code {
    case .cancelled: self = .permanent(.cancelled)
    case .dataNotAllowed:
      self = .permanent(
        KennelError(
          .notAllowed,
          error.localizedDescription + " Use --allow-private for kennels in your own network."
        )
      )
    case .cannotConnectToHost, .cannotFindHost: self = .unreachable(KennelError(.unreachable, sentence))
    case .timedOut, .networkConnectionLost, .dnsLookupFailed, .notConnectedToInternet, .badServerResponse:
      self = .temporary(KennelError(.unreachable, sentence))
    default: self = .permanent(KennelError(.unreachable, sentence))
    }
  }

  /// Creates a failure from a response with an unexpected status. Returns nil for an expected status.
  init?(_ response: URLResponse, expecting statuses: Set<Int>) {
    guard let response = response as? HTTPURLResponse else {
      self = .permanent(KennelError(.badPeer, "The other kennel does not speak HTTP."))
      return
    }
    let status = response.statusCode
    if statuses.contains(status) { return nil }
    switch status {
    case 404, 410: self = .missing
    case 429, 500...599:
      let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
      self = .temporary(
        KennelError(
          .unreachable, "The other kennel is busy or has an error (status \(status)). Try again later."),
        retryAfter: seconds.map { .seconds(min(max($0, 0), 86_400)) })
    case 300..<400:
      self = .permanent(
        KennelError(.badPeer, "The other kennel has moved (status \(status)). Use its new address."))
    case 401:
      self = .permanent(
        KennelError(
          .notAllowed,
          "The other kennel shares its posts only with kennels that have a valid token. Ask its owner to run kennel peer add NAME, save the token in a file, and use --token-file FILE."
        ))
    case 403:
      self = .permanent(
        KennelError(.notAllowed, "The other kennel does not share its posts (status \(status))."))
    case 421:
      let name = response.url?.host ?? "this name"
      self = .permanent(
        KennelError(
          .notAllowed,
          "The other kennel does not accept the name “\(name)”. Its owner has to add --name \(name)."))
    default:
      self = .permanent(
        KennelError(
          .badPeer, "The server at this address is not a kennel (status \(status)). Check the address."))
    }
  }
}
