/// What a request asks for: a method such as GET. Methods are case-sensitive.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The method as it is sent.
  public let rawValue: String

  /// The method of this name.
  ///
  /// - Parameter rawValue: The name, as it is sent.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The method of this name.
  ///
  /// - Parameter value: The name, as it is sent.
  public init(stringLiteral value: String) { rawValue = value }

  /// The name.
  public var description: String { rawValue }

  /// Asks for a representation.
  public static let get: HTTPMethod = "GET"
  /// Asks for what GET would say about a representation, without it.
  public static let head: HTTPMethod = "HEAD"
  /// Hands something over to be dealt with.
  public static let post: HTTPMethod = "POST"
  /// Puts a representation in place.
  public static let put: HTTPMethod = "PUT"
  /// Changes a part of a representation.
  public static let patch: HTTPMethod = "PATCH"
  /// Removes something.
  public static let delete: HTTPMethod = "DELETE"
  /// Asks what is possible.
  public static let options: HTTPMethod = "OPTIONS"

  /// The methods a server takes when its configuration does not say otherwise.
  public static let common: Set<HTTPMethod> = [get, head, post, put, patch, delete, options]

  /// The common methods are made once: a request's text need not be copied for them.
  static func named(_ bytes: UnsafePointer<CChar>) -> HTTPMethod {
    let name = String(cString: bytes)
    return common.first { $0.rawValue == name } ?? HTTPMethod(rawValue: name)
  }
}
