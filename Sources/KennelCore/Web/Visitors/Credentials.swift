import Foundation
import HTTPService

/// What a request shows to be taken for a user.
enum Credentials: Sendable {
  case none
  case session(SessionToken)
  case password(name: String, password: String)

  /// - Throws: a problem when there is an `Authorization` that cannot be read.
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
      throw Problem(.unauthorized, "Sign in with HTTP Basic; other ways are not known here.")
    }
    let text = Data(base64Encoded: parts[1].filter { $0 != " " })
      .flatMap { String(bytes: $0, encoding: .utf8) }
    guard let text, let colon = text.firstIndex(of: ":") else {
      throw Problem(.unauthorized, "The credentials cannot be read. Send the name and the password in UTF-8.")
    }
    return .password(name: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
  }
}
