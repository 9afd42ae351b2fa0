import Foundation
import HTTPService

extension HTTPResponse {
  /// JSON that answers a change.
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

  /// JSON that answers a question: with a tag of its bytes, so that the same need not be sent twice.
  ///
  /// What it says may depend on who asks, so no cache but the asker's keeps it.
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
