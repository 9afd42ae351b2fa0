/// A name and a value in a query, as in `?name=value`.
public struct HTTPQueryItem: Sendable, Hashable {
  /// The name, decoded.
  public var name: String
  /// The value, decoded; nil if there is no equals sign.
  public var value: String?

  /// Creates an item with this name and value.
  public init(name: String, value: String?) {
    self.name = name
    self.value = value
  }
}

/// A request from a client. The body may not have arrived completely.
public struct HTTPRequest: Sendable {
  /// The method. Only the methods in ``HTTPServerConfiguration/methods`` reach a handler.
  public var method: HTTPMethod
  /// The path's segments, percent-decoded: `/photos/a%20b/` gives `["photos", "a b"]`.
  ///
  /// No segment is empty, `.` or `..`, and no segment contains a slash or a control character. The server answers
  /// paths with an encoded slash or control character, and paths that lead above the root, with 400.
  public var pathSegments: [String]
  /// Whether the path ends in a slash (the root alone does not count).
  public var hasTrailingSlash: Bool
  /// The items of the query, decoded, in order. A plus sign is decoded as a space.
  public var queryItems: [HTTPQueryItem]
  /// The path and query as received. Do not log it: it may contain secrets.
  public var rawTarget: String
  /// The header fields.
  public var fields: HTTPFields
  /// The address of the client, such as `127.0.0.1` or `::1`; `unix` for a Unix socket.
  public var remoteAddress: String
  /// Whether this server encrypts the connection.
  public var isSecure: Bool
  /// The body, which can be read once; empty if there is none.
  public var body: HTTPRequestBody

  /// Creates a request for testing a handler.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - target: The path and query, percent-encoded.
  ///   - fields: The header fields.
  ///   - body: The complete body.
  ///   - remoteAddress: The address of the client.
  /// - Throws: ``HTTPServerError`` with the code `malformedTarget` if the server would answer the target with 400.
  public init(
    method: HTTPMethod = .get, target: String, fields: HTTPFields = [:], body: [UInt8] = [],
    remoteAddress: String = "127.0.0.1"
  ) throws {
    let parts: RequestTarget
    do {
      parts = try RequestTarget(target)
    } catch {
      throw HTTPServerError(.malformedTarget, error.reason)
    }
    self.init(
      method: method, target: parts, rawTarget: target, fields: fields, remoteAddress: remoteAddress,
      isSecure: false, body: HTTPRequestBody(bytes: body))
  }

  init(
    method: HTTPMethod, target: RequestTarget, rawTarget: String, fields: HTTPFields, remoteAddress: String,
    isSecure: Bool, body: HTTPRequestBody
  ) {
    self.method = method
    pathSegments = target.segments
    hasTrailingSlash = target.hasTrailingSlash
    queryItems = target.query
    self.rawTarget = rawTarget
    self.fields = fields
    self.remoteAddress = remoteAddress
    self.isSecure = isSecure
    self.body = body
  }

  /// The decoded path with its leading slash, for display and logs. Use ``pathSegments`` to make decisions.
  public var path: String { "/" + pathSegments.joined(separator: "/") }

  /// Returns the value of the first query item with this name.
  ///
  /// Returns nil if there is no such item, and an empty string if the item has no value.
  ///
  /// - Parameter name: The name, decoded.
  public func query(_ name: String) -> String? {
    queryItems.first { $0.name == name }.map { $0.value ?? "" }
  }
}
