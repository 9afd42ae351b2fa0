import Foundation
import HTTPService

/// The credentials in a request.
enum Credentials: Sendable {
  case none
  case session(SessionToken)
  case password(name: String, password: String)

  /// - Throws: a problem if there is an `Authorization` field that cannot be parsed.
  init(_ request: HTTPRequest, isSecure: Bool) throws(Problem) {
    if let authorization = request.fields["Authorization"] {
      self = try Self.basic(authorization)
    } else if let token = SessionCookie.token(in: request, isSecure: isSecure) {
      self = .session(token)
    } else {
      self = .none
    }
  }

  private static func basic(_ field: String) throws(Problem) -> Credentials {
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic" else {
      throw Problem(.unauthorized, "The authentication scheme is not supported. Use HTTP Basic.")
    }
    let text = Data(base64Encoded: parts[1].filter { $0 != " " })
      .flatMap { String(bytes: $0, encoding: .utf8) }
    guard let text, let colon = text.firstIndex(of: ":") else {
      throw Problem(.unauthorized, "The credentials cannot be read. Send the name and the password in UTF-8.")
    }
    return .password(name: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
  }
}
