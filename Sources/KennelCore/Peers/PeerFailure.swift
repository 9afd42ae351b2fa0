import Foundation
import Retriever

/// Why something could not be had from another kennel.
package enum PeerFailure: Error, Sendable {
  /// Worth another try, at the earliest after a while that the peer may have asked for.
  case passing(KennelError, retryAfter: Duration? = nil)
  /// Nobody is there. It may pass, unless the address is wrong.
  case absent(KennelError)
  /// It would be the same again.
  case lasting(KennelError)
  /// The peer does not have it.
  case missing

  var retryAfter: Duration? {
    if case .passing(_, let asked) = self { asked } else { nil }
  }

  var error: KennelError {
    switch self {
    case .passing(let error, _), .absent(let error), .lasting(let error): error
    case .missing: KennelError(.badPeer, "There is nothing of a kennel at that address. Check it.")
    }
  }

  /// Whether another try may do.
  var mayPass: Bool {
    switch self {
    case .passing, .absent: true
    case .lasting, .missing: false
    }
  }

  /// What a load threw.
  init(_ error: any Error) {
    switch error {
    case let failure as PeerFailure: self = failure
    case let error as KennelError: self = .lasting(error)
    case is CancellationError: self = .lasting(.cancelled)
    case let error as URLError: self.init(error)
    default: self = .lasting(KennelError(.badPeer, "The other kennel could not be read: \(error)"))
    }
  }

  private init(_ error: URLError) {
    let sentence = "The other kennel could not be reached: \(error.localizedDescription)"
    switch error.code {
    case .cancelled: self = .lasting(.cancelled)
    case .dataNotAllowed:
      self = .lasting(
        KennelError(
          .notAllowed,
          error.localizedDescription + " With --allow-private it is allowed: for kennels in your own network."
        )
      )
    case .cannotConnectToHost, .cannotFindHost: self = .absent(KennelError(.unreachable, sentence))
    case .timedOut, .networkConnectionLost, .dnsLookupFailed, .notConnectedToInternet, .badServerResponse:
      self = .passing(KennelError(.unreachable, sentence))
    default: self = .lasting(KennelError(.unreachable, sentence))
    }
  }

  /// What an answer other than the one that was hoped for means; nil for one of those.
  init?(_ response: URLResponse, hopingFor statuses: Set<Int>) {
    guard let response = response as? HTTPURLResponse else {
      self = .lasting(KennelError(.badPeer, "The other kennel does not speak HTTP."))
      return
    }
    let status = response.statusCode
    if statuses.contains(status) { return nil }
    switch status {
    case 404, 410: self = .missing
    case 429, 500...599:
      let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
      self = .passing(
        KennelError(
          .unreachable, "The other kennel is busy or in trouble (status \(status)). Try again later."),
        retryAfter: seconds.map { .seconds(min(max($0, 0), 86_400)) })
    case 300..<400:
      self = .lasting(
        KennelError(.badPeer, "The other kennel has moved (status \(status)). Give its new address."))
    case 401, 403:
      self = .lasting(
        KennelError(.notAllowed, "The other kennel does not share its posts (status \(status))."))
    case 421:
      let name = response.url?.host ?? "this name"
      self = .lasting(
        KennelError(
          .notAllowed,
          "The other kennel is not known as “\(name)”. Its owner has to say so, with --name \(name)."))
    default:
      self = .lasting(
        KennelError(.badPeer, "What is at that address answers as no kennel does (status \(status))."))
    }
  }
}
