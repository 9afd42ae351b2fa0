/// How a request went: a status code such as 200.
public struct HTTPStatus: Sendable, Hashable, RawRepresentable, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  /// The code, three digits.
  public let rawValue: Int

  /// The status of this code.
  ///
  /// - Parameter rawValue: The code; a response can be sent with 200 to 599.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The status of this code.
  ///
  /// - Parameter value: The code; a response can be sent with 200 to 599.
  public init(integerLiteral value: Int) { rawValue = value }

  /// The code.
  public var description: String { String(rawValue) }

  /// 200: here it is.
  public static let ok: HTTPStatus = 200
  /// 201: something was made.
  public static let created: HTTPStatus = 201
  /// 202: it will be done.
  public static let accepted: HTTPStatus = 202
  /// 204: it is done, and there is nothing to say.
  public static let noContent: HTTPStatus = 204
  /// 206: here is the part that was asked for.
  public static let partialContent: HTTPStatus = 206
  /// 301: it stands elsewhere, for good.
  public static let movedPermanently: HTTPStatus = 301
  /// 303: the answer is to be fetched elsewhere.
  public static let seeOther: HTTPStatus = 303
  /// 304: the client's copy is still good.
  public static let notModified: HTTPStatus = 304
  /// 400: the request makes no sense.
  public static let badRequest: HTTPStatus = 400
  /// 401: who is asking?
  public static let unauthorized: HTTPStatus = 401
  /// 403: not for you.
  public static let forbidden: HTTPStatus = 403
  /// 404: there is nothing here.
  public static let notFound: HTTPStatus = 404
  /// 405: this method cannot be used here.
  public static let methodNotAllowed: HTTPStatus = 405
  /// 409: it is not in a state to allow that.
  public static let conflict: HTTPStatus = 409
  /// 412: what the request presumed does not hold.
  public static let preconditionFailed: HTTPStatus = 412
  /// 413: the body is too large.
  public static let contentTooLarge: HTTPStatus = 413
  /// 414: the target is too long.
  public static let uriTooLong: HTTPStatus = 414
  /// 415: this kind of content is not taken.
  public static let unsupportedMediaType: HTTPStatus = 415
  /// 416: there is no such part.
  public static let rangeNotSatisfiable: HTTPStatus = 416
  /// 417: what the request expects is not offered.
  public static let expectationFailed: HTTPStatus = 417
  /// 421: this server does not speak for the host that was asked for.
  public static let misdirectedRequest: HTTPStatus = 421
  /// 422: well-formed, but it cannot be done.
  public static let unprocessableContent: HTTPStatus = 422
  /// 429: too often.
  public static let tooManyRequests: HTTPStatus = 429
  /// 431: the header fields are too large.
  public static let requestHeaderFieldsTooLarge: HTTPStatus = 431
  /// 500: the server failed.
  public static let internalServerError: HTTPStatus = 500
  /// 501: the server does not know how.
  public static let notImplemented: HTTPStatus = 501
  /// 503: not now.
  public static let serviceUnavailable: HTTPStatus = 503

  /// Whether a response with this status has no body, whatever it was given.
  var forbidsBody: Bool { self == .noContent || self == .notModified || rawValue == 205 }
}
