#if !canImport(Darwin)
import HTTPSyntax
import TransferEngine

/// An offer of HTTP Digest (RFC 7616), with its parameters checked.
package struct DigestChallenge: Sendable, Hashable {
  /// What the response protects: the `qop` parameter.
  package enum Protection: String, Sendable {
    /// The method and the target, without `qop` (RFC 2069).
    case legacy
    /// The method and the target.
    case auth
    /// The method, the target and the body.
    case authInt = "auth-int"
  }

  package let realm: String
  package let nonce: String
  let opaque: String?
  package let algorithm: HashAlgorithm
  /// The algorithm as the server wrote it; nil if it wrote none.
  let algorithmName: String?
  /// Whether the key depends on the first nonces of the session (`-sess`).
  package let isSession: Bool
  package let protection: Protection
  /// Whether the server wants the user's name as a hash.
  package let hashesUser: Bool
  /// Whether the server has declared that it decodes names and passwords as UTF-8.
  package let isUTF8: Bool
  /// Whether only the nonce of the refused request was too old.
  package let isStale: Bool
  /// The URIs that the credential is for; empty for all URIs of the server.
  let domain: [String]

  /// The maximum length of the parameters that each request repeats.
  static let maximumLength = 4096

  /// Returns nil if the offer is incomplete or uses an algorithm or a protection that is not supported.
  ///
  /// - Parameter isAvailable: Whether this process can compute an algorithm's hashes.
  package init?(
    _ offer: AuthenticateOffer, isAvailable: (HashAlgorithm) -> Bool = { Digests.isAvailable($0) }
  ) {
    let parameters = offer.parameters
    guard offer.scheme == "digest", let nonce = parameters["nonce"] else { return nil }
    realm = parameters["realm"] ?? ""
    self.nonce = nonce
    opaque = parameters["opaque"]
    algorithmName = parameters["algorithm"]
    guard let (algorithm, isSession) = Self.algorithm(algorithmName ?? "MD5"), isAvailable(algorithm),
      [realm, nonce, opaque ?? "", algorithmName ?? ""].allSatisfy(Self.isRepeatable)
    else { return nil }
    (self.algorithm, self.isSession) = (algorithm, isSession)

    let offered = ASCII.listMembers(ASCII.lowercased(parameters["qop"] ?? ""))
    if offered.isEmpty {
      // Without qop the request has no client nonce, on which the key of a session depends.
      guard !isSession else { return nil }
      protection = .legacy
    } else if offered.contains(Protection.auth.rawValue) {
      protection = .auth
    } else {
      guard offered.contains(Protection.authInt.rawValue) else { return nil }
      protection = .authInt
    }
    hashesUser = ASCII.equalIgnoringCase(parameters["userhash"] ?? "", "true")
    isUTF8 = ASCII.equalIgnoringCase(parameters["charset"] ?? "", "utf-8")
    isStale = ASCII.equalIgnoringCase(parameters["stale"] ?? "", "true")
    domain = (parameters["domain"] ?? "").split { $0 == " " || $0 == "\t" }.map(String.init)
  }

  /// The rank of the algorithm among those that the server offers.
  var strength: Int {
    switch algorithm {
    case .md5, .sha1: 0
    case .sha256: 1
    case .sha512_256: 2
    }
  }

  private static func algorithm(_ name: String) -> (HashAlgorithm, isSession: Bool)? {
    switch ASCII.lowercased(name) {
    case "md5": (.md5, false)
    case "md5-sess": (.md5, true)
    case "sha-256": (.sha256, false)
    case "sha-256-sess": (.sha256, true)
    case "sha-512-256": (.sha512_256, false)
    case "sha-512-256-sess": (.sha512_256, true)
    default: nil
    }
  }

  /// Whether a text of the server may be repeated in a request's field.
  static func isRepeatable(_ text: String) -> Bool {
    text.utf8.count <= maximumLength && !hasControlCharacters(text)
  }

  static func hasControlCharacters(_ text: String) -> Bool {
    text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }
  }
}
#endif
