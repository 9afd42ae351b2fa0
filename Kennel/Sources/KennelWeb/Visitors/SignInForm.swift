import HTTPService

/// A name and a password, sent as JSON or as an HTML form.
struct SignInForm: Sendable {
  var name: String
  var password: String
  /// Whether a browser has sent the form without a script and displays the response.
  var isFromPage: Bool

  init(_ request: HTTPRequest) async throws {
    let form = try await SmallForm(request, example: #"{"name":"…","password":"…"}"#)
    name = try form.required("name")
    password = try form.required("password")
    isFromPage = form.isFromPage
  }
}
