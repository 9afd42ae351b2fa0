import Foundation
import HTTPService
import KennelStorage

/// An error in the form that a client receives (RFC 9457): a status, and a message that says what to do.
package struct Problem: Error, Sendable {
  var status: HTTPStatus
  var detail: String
  /// The underlying cause, such as the message of a decoder. It is for diagnosis and is not shown on the page. It is
  /// nil if there is nothing to add.
  var cause: String?
  /// The post that the problem is about, for 409.
  var post: Int64?
  /// Header fields that the status requires, such as `Retry-After`.
  var fields: HTTPFields

  init(_ status: HTTPStatus, _ detail: String, fields: HTTPFields = [:]) {
    self.status = status
    self.detail = detail
    self.fields = fields
  }

  var title: String { Self.titles[status.rawValue] ?? "Error" }

  private static let titles: [Int: String] = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    409: "Conflict", 410: "Gone", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 460: "Checksum Mismatch", 500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
  ]

  /// The problem document.
  var response: HTTPResponse {
    var json = JSONText()
    json.object { json in
      json.member("type", "about:blank")
      json.member("title", title)
      json.member("status", Int64(status.rawValue))
      json.member("detail", detail)
      if let cause { json.member("cause", cause) }
      if let post { json.member("post", post) }
    }
    return response(contentType: "application/problem+json", body: json.data)
  }

  func response(contentType: String, body: Data) -> HTTPResponse {
    var fields = fields
    fields.append("Content-Type", contentType)
    fields.append("Cache-Control", "no-store")
    return HTTPResponse(status: status, fields: fields, body: .bytes(body))
  }
}

extension Problem {
  static let notFound = Problem(.notFound, "The page does not exist. Check the address.")

  static let signInRequired = Problem(.unauthorized, "This requires an account. Sign in first.")

  static let unknownPeer = Problem(
    .unauthorized,
    "The token is not valid, or it was withdrawn. Ask the owner of this kennel for another one: kennel peer add NAME."
  )

  static func badRequest(_ detail: String) -> Problem { Problem(.badRequest, detail) }

  static func methodNotAllowed(allowed: [HTTPMethod]) -> Problem {
    let list = allowed.map(\.rawValue).joined(separator: ", ")
    return Problem(
      .methodNotAllowed, "This method is not allowed here. Use \(list).", fields: ["Allow": list])
  }

  /// - Parameter limit: the maximum size in bytes.
  static func bodyTooLarge(limit: Int) -> Problem {
    Problem(.contentTooLarge, "The request body is too large. The maximum is \(limit.inBinaryUnits).")
  }

  static let failed = Problem(
    .internalServerError, "An internal error occurred. Try again. If the error persists, contact the owner.")
}
