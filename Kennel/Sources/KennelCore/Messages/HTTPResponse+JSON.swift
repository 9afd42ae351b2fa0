import Foundation
import HTTPService

extension HTTPResponse {
  /// Creates a JSON response to a change.
  static func json(
    status: HTTPStatus = .ok, fields: HTTPFields = [:], _ write: (inout JSONText) -> Void
  ) -> HTTPResponse {
    var json = JSONText()
    write(&json)
    var fields = fields
    fields.append("Content-Type", "application/json")
    fields.append("Cache-Control", "no-store")
    return HTTPResponse(status: status, fields: fields, body: .bytes(json.data))
  }

  /// Creates a JSON response with an entity tag of its bytes, so that unchanged content is not sent twice.
  ///
  /// The content may depend on the user, so only private caches may store it.
  static func taggedJSON(
    for request: HTTPRequest, fields: HTTPFields = [:], _ write: (inout JSONText) -> Void
  ) -> HTTPResponse {
    var json = JSONText()
    write(&json)
    var fields = fields
    fields.append("Cache-Control", "private, no-cache")
    fields.append("Vary", "Cookie, Authorization")
    let tag = Sodium.base64(Array(Sodium.sha256(json.bytes).prefix(12)))
    return .content(
      json.data, for: request, contentType: "application/json", fields: fields, entityTag: EntityTag(tag))
  }

  static let noContent = HTTPResponse(status: .noContent, fields: ["Cache-Control": "no-store"])
}
