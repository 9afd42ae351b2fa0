import Foundation
import HTTPService
import KennelModel

/// The credentials in a request.
enum Credentials: Sendable {
  case none
  case session(SessionToken)
  case password(name: String, password: String)
  /// Another kennel.
  case peer(PeerToken)

  /// The session of a cookie comes first: if there is one, an `Authorization` field belongs to a proxy. The same is true
  /// for browsers, which sign in with a form.
  ///
  /// - Throws: a problem if there is an `Authorization` field that cannot be parsed.
  init(_ request: HTTPRequest, isSecure: Bool, ignoresAuthorization: Bool) throws(Problem) {
    if Self.isPeer(request) {
      // Never a proxy's field, because only tokens of kennels look like this.
      guard let token = Self.bearer(request).flatMap({ PeerToken(String($0)) }) else {
        throw Problem.unknownPeer
      }
      self = .peer(token)
    } else if let token = SessionCookie.token(in: request, isSecure: isSecure) {
      self = .session(token)
    } else if !ignoresAuthorization, !request.isOfBrowser, let authorization = request.fields["Authorization"]
    {
      self = try Self.basic(authorization)
    } else {
      self = .none
    }
  }

  /// Returns whether a request claims to come from another kennel.
  static func isPeer(_ request: HTTPRequest) -> Bool {
    bearer(request).map { PeerToken.resembles($0) } ?? false
  }

  private static func bearer(_ request: HTTPRequest) -> Substring? {
    let parts = request.fields["Authorization"]?.split(separator: " ") ?? []
    return parts.count == 2 && parts[0].lowercased() == "bearer" ? parts[1] : nil
  }

  private static func basic(_ field: String) throws(Problem) -> Credentials {
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic" else {
      throw Problem(.unauthorized, "The authentication scheme is not supported. Use HTTP Basic.")
    }
    let text = Data(base64Encoded: parts[1].filter { $0 != " " })
      .flatMap { String(bytes: $0, encoding: .utf8) }
    // Bytes, not characters: an accent at the beginning of the password would make another character of the colon.
    guard let text, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      throw Problem(.unauthorized, "The credentials cannot be read. Send the name and the password in UTF-8.")
    }
    return .password(name: String(text[..<colon]), password: String(text[text.utf8.index(after: colon)...]))
  }
}

/// The cookie with a session's token. Scripts cannot read it. Of the requests that another site causes, only those that
/// follow a link include it, so that a link in a mail shows the photos. They change nothing (``OriginCheck``).
enum SessionCookie {
  /// With this prefix, browsers accept the cookie only from this host, over TLS.
  static func name(isSecure: Bool) -> String { isSecure ? "__Host-kennel" : "kennel" }

  static func token(in request: HTTPRequest, isSecure: Bool) -> SessionToken? {
    let name = name(isSecure: isSecure)
    for field in request.fields.values("Cookie") {
      for pair in field.split(separator: ";") {
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        if parts.count == 2, parts[0] == name { return SessionToken(String(parts[1])) }
      }
    }
    return nil
  }

  static func setting(_ session: Accounts.Session, now: Date, isSecure: Bool) -> String {
    let seconds = max(Int(session.expires.timeIntervalSince(now).rounded()), 0)
    return "\(name(isSecure: isSecure))=\(session.token.text); Path=/; Max-Age=\(seconds); "
      + attributes(isSecure: isSecure)
  }

  static func removing(isSecure: Bool) -> String {
    "\(name(isSecure: isSecure))=; Path=/; Max-Age=0; " + attributes(isSecure: isSecure)
  }

  private static func attributes(isSecure: Bool) -> String {
    "HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
  }
}

extension HTTPRequest {
  /// Whether a browser has sent the request.
  ///
  /// Over TLS, and from the same machine, browsers say so with `Sec-Fetch-Mode`. Otherwise they are known by their name and
  /// by the languages, which programs with such a name do not send.
  var isOfBrowser: Bool {
    fields["Sec-Fetch-Mode"] != nil
      || fields["Accept-Language"] != nil && fields["User-Agent"]?.hasPrefix("Mozilla/") == true
  }
}
