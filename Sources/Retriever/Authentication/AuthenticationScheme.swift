#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import TransferEngine

/// An authentication scheme that this library supports. The cases are ordered from the weakest to the strongest.
package enum AuthenticationScheme: Int, CaseIterable, Sendable {
  case basic
  case digest
  case ntlm
  case negotiate

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
    case .digest: "digest"
    case .ntlm: "ntlm"
    case .negotiate: "negotiate"
    }
  }

  /// The name in a protection space.
  var method: String {
    switch self {
    case .basic: NSURLAuthenticationMethodHTTPBasic
    case .digest: NSURLAuthenticationMethodHTTPDigest
    case .ntlm: NSURLAuthenticationMethodNTLM
    case .negotiate: NSURLAuthenticationMethodNegotiate
    }
  }

  /// The scheme as libcurl performs it over a connection; nil for those that this library performs itself.
  var ofConnection: ConnectionSignIn.Scheme? {
    switch self {
    case .basic, .digest: nil
    case .ntlm: .ntlm
    case .negotiate: .negotiate
    }
  }
}

/// An offer with a supported scheme and supported parameters.
struct AnswerableOffer: Sendable {
  let scheme: AuthenticationScheme
  let realm: String?
  /// The parameters of a Digest offer.
  let digest: DigestChallenge?

  init?(_ offer: AuthenticateOffer) {
    guard let scheme = AuthenticationScheme(named: offer.scheme) else { return nil }
    self.scheme = scheme
    realm = offer.realm
    switch scheme {
    case .basic: digest = nil
    case .ntlm, .negotiate:
      guard let scheme = scheme.ofConnection, SignInSupport.isAvailable(scheme) else { return nil }
      digest = nil
    case .digest:
      guard let challenge = DigestChallenge(offer) else { return nil }
      digest = challenge
    }
  }

  private var strength: (Int, Int) { (scheme.rawValue, digest?.strength ?? 0) }

  /// The offers that can be answered, the strongest first. Offers of equal strength stay in the server's order.
  static func sorted(_ offers: [AuthenticateOffer]) -> [AnswerableOffer] {
    // The standard library's sort is stable but does not guarantee it, so the index breaks ties.
    offers.compactMap(Self.init).enumerated()
      .sorted { left, right in
        left.element.strength == right.element.strength
          ? left.offset < right.offset : left.element.strength > right.element.strength
      }
      .map(\.element)
  }
}

/// The server or proxy that asks for a credential.
package enum Challenger: Sendable {
  /// The server of the request's URL.
  case server
  /// A proxy, with the credential in its own settings, if any.
  case proxy(host: String, port: Int, type: String, credential: URLCredential?)

  /// Whether both are the same proxy, used for the same kind of URL.
  func isSameProxy(as other: Challenger) -> Bool {
    guard case .proxy(let host, let port, let type, _) = self,
      case .proxy(let otherHost, let otherPort, let otherType, _) = other
    else { return false }
    return host == otherHost && port == otherPort && type == otherType
  }

  /// The fields with its offers.
  var offerField: String {
    switch self {
    case .server: "WWW-Authenticate"
    case .proxy: "Proxy-Authenticate"
    }
  }

  /// The field with its answer to a credential.
  var infoField: String {
    switch self {
    case .server: "Authentication-Info"
    case .proxy: "Proxy-Authentication-Info"
    }
  }

  /// The protection space that an offer refers to; nil if the URL has no origin.
  func space(of offer: AnswerableOffer, url: URL) -> URLProtectionSpace? {
    switch self {
    case .server:
      guard let origin = Origin(url) else { return nil }
      return URLProtectionSpace(
        host: origin.host, port: origin.port, protocol: origin.scheme, realm: offer.realm,
        authenticationMethod: offer.scheme.method)
    case .proxy(let host, let port, let type, _):
      return URLProtectionSpace(
        proxyHost: host, port: port, type: type, realm: offer.realm,
        authenticationMethod: offer.scheme.method)
    }
  }

  /// The credential in the URL or in the proxy's settings.
  func ownCredential(url: URL) -> URLCredential? {
    switch self {
    case .server:
      guard let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
      return URLCredential(
        user: user, password: url.password(percentEncoded: false) ?? "", persistence: .none)
    case .proxy(_, _, _, let credential): return credential
    }
  }
}

/// Answers the requests of a protection space, with one credential.
package enum Authorizer: Sendable {
  case basic(user: String, password: String)
  case digest(user: String, password: String, DigestSession)
  /// libcurl answers over the connection.
  case connection(ConnectionSignIn)

  /// What is sent with a request.
  package struct Answer: Sendable {
    /// The value of `Authorization` or `Proxy-Authorization`.
    package let fieldValue: String
    /// What the server's answer is checked against.
    let proof: DigestSession.Proof?
  }

  /// Whether the answer covers the request's body.
  var needsBodyHash: Bool {
    if case .digest(_, _, let session) = self { session.challenge.protection == .authInt } else { false }
  }

  /// What libcurl signs in with, if it does.
  var signIn: ConnectionSignIn? {
    if case .connection(let signIn) = self { signIn } else { nil }
  }

  /// Returns the answer for one request; nil if the name cannot be sent, or the hash of the body is not known.
  package func answer(for request: DigestSession.Request) -> Answer? {
    switch self {
    case .connection: return nil
    case .basic(let user, let password):
      return Answer(
        fieldValue: BasicAuthorization.fieldValue(user: user, password: password), proof: nil)
    case .digest(let user, let password, let session):
      return session.proof(user: user, password: password, for: request).map {
        Answer(fieldValue: $0.fieldValue, proof: $0)
      }
    }
  }
}
#endif
