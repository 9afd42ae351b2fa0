/// Why a request is not handed to the handler: a status, and a sentence for the client.
struct RequestRefusal: Error, Equatable {
  var status: HTTPStatus
  var reason: String

  init(_ status: HTTPStatus, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  static func malformed(_ reason: String) -> RequestRefusal { RequestRefusal(.badRequest, reason) }

  var response: HTTPResponse { .text(reason + "\n", status: status) }
}
