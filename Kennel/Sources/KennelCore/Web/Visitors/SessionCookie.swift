import Foundation
import HTTPService

/// The cookie with a session's token. Scripts cannot read it, and requests from other sites do not include it.
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
    "HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }
}
