#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// An authentication scheme that this library supports. The cases are ordered from the weakest to the strongest.
///
/// To add a scheme, add a case: nothing else decides which offers are answered, and in which order.
package enum AuthenticationScheme: Int, CaseIterable, Sendable {
  case basic

  /// Creates the scheme with this name, ignoring case.
  init?(named name: String) {
    guard let scheme = Self.allCases.first(where: { ASCII.equalIgnoringCase($0.name, name) }) else {
      return nil
    }
    self = scheme
  }

  /// The name in `WWW-Authenticate`.
  var name: String {
    switch self {
    case .basic: "basic"
    }
  }

  /// The name in a protection space.
  var method: String {
    switch self {
    case .basic: NSURLAuthenticationMethodHTTPBasic
    }
  }

  /// The value of `Authorization` that answers an offer; `nil` if the credential is not suitable for this scheme.
  func authorization(with credential: URLCredential, for offer: AuthenticateOffer) -> String? {
    guard let user = credential.user else { return nil }
    switch self {
    case .basic: return BasicAuthorization.fieldValue(user: user, password: credential.password ?? "")
    }
  }

  /// The value of `Authorization` before any challenge; `nil` for schemes that need a challenge first.
  func preemptiveAuthorization(with credential: URLCredential) -> String? {
    switch self {
    case .basic: authorization(with: credential, for: AuthenticateOffer(scheme: name))
    }
  }
}

extension AuthenticateOffer {
  /// The offers with a supported scheme, the strongest first. Offers of equal strength stay in the server's order.
  static func answerable(_ offers: [AuthenticateOffer]) -> [(AuthenticationScheme, AuthenticateOffer)] {
    let known = offers.compactMap { offer in
      AuthenticationScheme(named: offer.scheme).map { ($0, offer) }
    }
    // The standard library's sort is stable but does not guarantee it, so the index breaks ties.
    return known.enumerated()
      .sorted { ($1.element.0.rawValue, $0.offset) < ($0.element.0.rawValue, $1.offset) }
      .map(\.element)
  }
}

extension URLProtectionSpace {
  /// Creates the protection space on an origin that an offer refers to.
  convenience init(origin: Origin, scheme: AuthenticationScheme, realm: String?) {
    self.init(
      host: origin.host, port: origin.port, protocol: origin.scheme, realm: realm,
      authenticationMethod: scheme.method)
  }
}
#endif
