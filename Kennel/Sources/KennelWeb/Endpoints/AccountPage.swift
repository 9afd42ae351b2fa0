import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Responses of the pages about accounts, and what forms on them have in common.
enum AccountPage {
  /// The header fields of these pages. Nothing stores them.
  static let fields: HTTPFields = [
    "Cache-Control": "no-store", "Vary": "Accept, Cookie, Accept-Language",
    "Content-Security-Policy": PageRenderer.contentSecurityPolicy,
  ]

  /// Returns a page.
  static func response(
    _ page: String, in language: Language, status: HTTPStatus = .ok, cookie: String? = nil
  ) -> HTTPResponse {
    var fields = fields
    fields.append("Content-Language", language.rawValue)
    fields.append("Content-Type", "text/html; charset=utf-8")
    if let cookie { fields.append("Set-Cookie", cookie) }
    return HTTPResponse(status: status, fields: fields, body: .bytes(Data(page.utf8)))
  }

  /// Leads the browser to another page after a form.
  static func redirect(to path: String, cookie: String? = nil) -> HTTPResponse {
    var fields: HTTPFields = ["Location": path, "Cache-Control": "no-store"]
    if let cookie { fields.append("Set-Cookie", cookie) }
    return HTTPResponse(status: .seeOther, fields: fields)
  }

  /// Returns whether the client displays the response, and not JSON.
  static func isWanted(by request: HTTPRequest) -> Bool {
    AcceptedTypes(request.fields).prefers("text/html", to: "application/json")
  }
}

extension FormEntry {
  /// Creates the entry of a form that failed, or returns nil if the error is not about what was entered.
  ///
  /// - Parameter names: the fields of the form whose values are shown again.
  init?(_ error: any Error, _ form: SmallForm, names: [String] = ["name"], _ words: Words) {
    self.init()
    for name in names { values[name] = form[name] }
    isProblem = true
    switch error {
    case let error as KennelError:
      let sentence = words.problems.sentence(error.description, Problem(error).status.rawValue)
      switch error.code {
      case .badName, .nameTaken: errors["name"] = sentence
      case .badPassword: errors["password"] = sentence
      case .wrongCredentials: errors["current"] = words.you.notPresentPassword
      case .tooManyAttempts: notice = sentence
      default: return nil
      }
    case is PasswordsDiffer: errors["again"] = words.you.passwordsDiffer
    default: return nil
    }
  }
}

/// The two passwords of a form differ.
struct PasswordsDiffer: Error {
  static let sentence = "The two passwords differ. Enter the same password twice."

  /// Compares the passwords of a form. Programs send only one.
  ///
  /// - Throws: this error, or for a program a problem.
  static func check(_ form: SmallForm) throws {
    guard let again = form["again"], again != form["password"] else { return }
    if form.isFromPage { throw PasswordsDiffer() }
    throw Problem(.unprocessableContent, sentence)
  }
}
