import Foundation
import HTTPService
import KennelModel
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
  /// The language of the detail and the title.
  private(set) var language = Language.english

  init(_ status: HTTPStatus, _ detail: String, fields: HTTPFields = [:]) {
    self.status = status
    self.detail = detail
    self.fields = fields
  }

  var title: String {
    let problems = Words.of(language).problems
    return problems.title(status.rawValue) ?? problems.error
  }

  /// Returns the problem in the words of a language. The cause, which is for diagnosis, stays in English.
  func translated(to words: Words) -> Problem {
    guard language == .english else { return self }
    var problem = self
    problem.language = words.language
    problem.detail = words.problems.sentence(detail, status.rawValue)
    return problem
  }

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
    fields.append("Content-Language", language.rawValue)
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
