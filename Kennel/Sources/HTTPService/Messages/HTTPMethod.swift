/// A request method such as GET. Methods are case-sensitive.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The method as it is sent.
  public let rawValue: String

  /// Creates a method with this name.
  ///
  /// - Parameter rawValue: The name, as it is sent.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a method with this name.
  ///
  /// - Parameter value: The name, as it is sent.
  public init(stringLiteral value: String) { rawValue = value }

  /// The name.
  public var description: String { rawValue }

  /// Requests a representation.
  public static let get: HTTPMethod = "GET"
  /// Requests the same header fields as GET, without the representation.
  public static let head: HTTPMethod = "HEAD"
  /// Sends content for the resource to process.
  public static let post: HTTPMethod = "POST"
  /// Creates or replaces a representation.
  public static let put: HTTPMethod = "PUT"
  /// Changes a part of a representation.
  public static let patch: HTTPMethod = "PATCH"
  /// Deletes a resource.
  public static let delete: HTTPMethod = "DELETE"
  /// Requests the communication options.
  public static let options: HTTPMethod = "OPTIONS"

  /// The methods a server accepts by default.
  public static let common: Set<HTTPMethod> = [get, head, post, put, patch, delete, options]

  /// Returns the method with this name. Common methods share one stored string.
  static func named(_ bytes: UnsafePointer<CChar>) -> HTTPMethod {
    let name = String(cString: bytes)
    return common.first { $0.rawValue == name } ?? HTTPMethod(rawValue: name)
  }
}
