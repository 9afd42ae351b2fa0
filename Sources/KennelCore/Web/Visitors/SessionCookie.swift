import Foundation
import HTTPService

/// The cookie that holds a session's token: out of reach of scripts, and not sent by other sites.
enum SessionCookie {
  /// With the prefix, browsers take it only from this very host, over TLS.
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
