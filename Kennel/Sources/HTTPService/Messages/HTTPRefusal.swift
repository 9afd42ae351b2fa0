/// The reason why the server itself answers a request: it refuses the request, or the handler failed.
public struct HTTPRefusal: Error, Sendable, Hashable {
  /// The status of the response.
  public var status: HTTPStatus
  /// A message for the client.
  public var reason: String

  /// Creates a refusal.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - reason: A message for the client.
  public init(_ status: HTTPStatus, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  /// The message as a plain text response: the default of ``HTTPServerConfiguration/refusalResponse``.
  public var text: HTTPResponse { .text(reason + "\n", status: status) }

  static func malformed(_ reason: String) -> HTTPRefusal { HTTPRefusal(.badRequest, reason) }

  static let bodyTooLarge = HTTPRefusal(.contentTooLarge, "The body is larger than this server allows.")
  static let bodyIncomplete = HTTPRefusal(.badRequest, "The body is incomplete.")
  static let failed = HTTPRefusal(
    .internalServerError, "The server failed to answer this request.")
}
