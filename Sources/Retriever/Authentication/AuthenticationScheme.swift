#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// A scheme that this library can answer. The cases stand from the weakest to the strongest.
  ///
  /// A new scheme is a new case here; nothing else decides which offers are answered, and in which order.
  package enum AuthenticationScheme: Int, CaseIterable, Sendable {
    case basic

    /// The scheme with this name, whatever its case.
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

    /// The value of `Authorization` that answers an offer; `nil` when the credential is not one for this scheme.
    func authorization(with credential: URLCredential, for offer: AuthenticateOffer) -> String? {
      guard let user = credential.user else { return nil }
      switch self {
      case .basic: return BasicAuthorization.fieldValue(user: user, password: credential.password ?? "")
      }
    }

    /// The value of `Authorization` before any challenge; `nil` for schemes that need the server's word first.
    func preemptiveAuthorization(with credential: URLCredential) -> String? {
      switch self {
      case .basic: authorization(with: credential, for: AuthenticateOffer(scheme: name))
      }
    }
  }

  extension AuthenticateOffer {
    /// The offers that can be answered, the strongest first; among equals the server's order holds.
    static func answerable(_ offers: [AuthenticateOffer]) -> [(AuthenticationScheme, AuthenticateOffer)] {
      let known = offers.compactMap { offer in
        AuthenticationScheme(named: offer.scheme).map { ($0, offer) }
      }
      // The sort of the standard library is stable, but does not promise to be: the index decides.
      return known.enumerated()
        .sorted { ($1.element.0.rawValue, $0.offset) < ($0.element.0.rawValue, $1.offset) }
        .map(\.element)
    }
  }

  extension URLProtectionSpace {
    /// The space on an origin that an offer is about.
    convenience init(origin: Origin, scheme: AuthenticationScheme, realm: String?) {
      self.init(
        host: origin.host, port: origin.port, protocol: origin.scheme, realm: realm,
        authenticationMethod: scheme.method)
    }
  }
#endif
