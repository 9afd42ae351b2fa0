/// A status code such as 200.
public struct HTTPStatus: Sendable, Hashable, RawRepresentable, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  /// The code, three digits.
  public let rawValue: Int

  /// Creates a status with this code.
  ///
  /// - Parameter rawValue: The code. A response must have a code from 200 to 599.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Creates a status with this code.
  ///
  /// - Parameter value: The code. A response must have a code from 200 to 599.
  public init(integerLiteral value: Int) { rawValue = value }

  /// The code.
  public var description: String { String(rawValue) }

  /// 200: the request succeeded.
  public static let ok: HTTPStatus = 200
  /// 201: the server created a resource.
  public static let created: HTTPStatus = 201
  /// 202: the server accepted the request and will process it later.
  public static let accepted: HTTPStatus = 202
  /// 204: the request succeeded, and the response has no body.
  public static let noContent: HTTPStatus = 204
  /// 206: the response contains the requested part.
  public static let partialContent: HTTPStatus = 206
  /// 301: the resource has permanently moved to another URL.
  public static let movedPermanently: HTTPStatus = 301
  /// 303: the client should get the result from another URL.
  public static let seeOther: HTTPStatus = 303
  /// 304: the client's copy is still current.
  public static let notModified: HTTPStatus = 304
  /// 400: the request is malformed.
  public static let badRequest: HTTPStatus = 400
  /// 401: the client must sign in.
  public static let unauthorized: HTTPStatus = 401
  /// 403: the client has no permission.
  public static let forbidden: HTTPStatus = 403
  /// 404: the resource does not exist.
  public static let notFound: HTTPStatus = 404
  /// 405: the method is not allowed for this resource.
  public static let methodNotAllowed: HTTPStatus = 405
  /// 409: the request conflicts with the current state of the resource.
  public static let conflict: HTTPStatus = 409
  /// 412: a precondition of the request is not met.
  public static let preconditionFailed: HTTPStatus = 412
  /// 413: the body is too large.
  public static let contentTooLarge: HTTPStatus = 413
  /// 414: the target is too long.
  public static let uriTooLong: HTTPStatus = 414
  /// 415: the server does not accept this content type.
  public static let unsupportedMediaType: HTTPStatus = 415
  /// 416: the requested range does not exist.
  public static let rangeNotSatisfiable: HTTPStatus = 416
  /// 417: the server does not support the expectation.
  public static let expectationFailed: HTTPStatus = 417
  /// 421: the server does not serve the requested host.
  public static let misdirectedRequest: HTTPStatus = 421
  /// 422: the request is well-formed, but the server cannot process it.
  public static let unprocessableContent: HTTPStatus = 422
  /// 429: the client sent too many requests.
  public static let tooManyRequests: HTTPStatus = 429
  /// 431: the header fields are too large.
  public static let requestHeaderFieldsTooLarge: HTTPStatus = 431
  /// 500: the server failed.
  public static let internalServerError: HTTPStatus = 500
  /// 501: the server does not support the method or another feature of the request.
  public static let notImplemented: HTTPStatus = 501
  /// 503: the server is temporarily unavailable.
  public static let serviceUnavailable: HTTPStatus = 503

  /// Whether a response with this status never has a body.
  var forbidsBody: Bool { self == .noContent || self == .notModified || rawValue == 205 }
}
