/// Why a server answers a request by itself: its handler is not asked, or has failed.
public struct HTTPRefusal: Error, Sendable, Hashable {
  /// How the request went.
  public var status: HTTPStatus
  /// A sentence for the client.
  public var reason: String

  /// A refusal.
  ///
  /// - Parameters:
  ///   - status: How the request went.
  ///   - reason: A sentence for the client.
  public init(_ status: HTTPStatus, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  /// The sentence as plain text: what a client gets unless ``HTTPServerConfiguration/refusalResponse`` says otherwise.
  public var text: HTTPResponse { .text(reason + "\n", status: status) }

  static func malformed(_ reason: String) -> HTTPRefusal { HTTPRefusal(.badRequest, reason) }

  static let bodyTooLarge = HTTPRefusal(.contentTooLarge, "The body is larger than is allowed here.")
  static let bodyIncomplete = HTTPRefusal(.badRequest, "The body is incomplete.")
  static let failed = HTTPRefusal(
    .internalServerError, "The server failed to answer this request.")
}

extension HTTPServerConfiguration {
  /// The response to what is refused; the text when the one that is wanted cannot be sent at once.
  func response(to refusal: HTTPRefusal) -> HTTPResponse {
    let response = refusalResponse(refusal)
    guard response.fault == nil, case .bytes = response.body.content else { return refusal.text }
    return response
  }
}
