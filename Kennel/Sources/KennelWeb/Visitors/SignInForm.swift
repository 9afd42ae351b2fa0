import Foundation
import HTTPService

/// A name and a password, sent as JSON or as an HTML form.
struct SignInForm: Sendable {
  var name: String
  var password: String
  /// Whether a browser has sent the form without a script and displays the response.
  var isFromPage = false

  init(_ request: HTTPRequest) async throws {
    switch ContentType(request).type {
    case "application/json":
      struct Body: Decodable {
        var name: String
        var password: String
      }
      let body = try await SmallBody.json(
        Body.self, of: request, form: #"{"name":"…","password":"…"}"#)
      (name, password) = (body.name, body.password)
    case "application/x-www-form-urlencoded":
      let items = Self.items(of: try await SmallBody.text(of: request))
      guard let name = items["name"], let password = items["password"] else {
        throw Problem.badRequest("The form must have the fields name and password.")
      }
      (self.name, self.password) = (name, password)
      isFromPage = AcceptedTypes(request.fields).prefers("text/html", to: "application/json")
    default:
      throw Problem(
        .unsupportedMediaType,
        #"Send the name and the password as application/json, {"name":"…","password":"…"}."#)
    }
  }

  private static func items(of text: String) -> [String: String] {
    var items: [String: String] = [:]
    for pair in text.split(separator: "&").prefix(16) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
      guard decoded.count == 2, let name = decoded[0], let value = decoded[1] else { continue }
      if items[name] == nil { items[name] = value }
    }
    return items
  }
}
