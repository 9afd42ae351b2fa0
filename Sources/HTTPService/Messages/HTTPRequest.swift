/// A name and a value of a query, as in `?name=value`.
public struct HTTPQueryItem: Sendable, Hashable {
  /// The name, decoded.
  public var name: String
  /// The value, decoded; nil when there is no equals sign.
  public var value: String?

  /// An item with this name and value.
  public init(name: String, value: String?) {
    self.name = name
    self.value = value
  }
}

/// A request that a client has sent; its body may still be on its way.
public struct HTTPRequest: Sendable {
  /// The method. Only those of ``HTTPServerConfiguration/methods`` reach a handler.
  public var method: HTTPMethod
  /// The path's segments, percent-decoded: `/photos/a%20b/` gives `["photos", "a b"]`.
  ///
  /// No segment is empty, `.` or `..`, and none holds a slash or a control character: a path that needs one to make
  /// sense, or leads above its root, was answered with 400.
  public var pathSegments: [String]
  /// Whether the path ends in a slash (the root alone does not count).
  public var hasTrailingSlash: Bool
  /// The query's items, decoded, in order; a plus sign is a space.
  public var queryItems: [HTTPQueryItem]
  /// The path and query as they came. It may hold secrets: not for logs.
  public var rawTarget: String
  /// The header fields.
  public var fields: HTTPFields
  /// The address of the client, such as `127.0.0.1` or `::1`; `unix` for a Unix socket.
  public var remoteAddress: String
  /// Whether the connection is encrypted by this server.
  public var isSecure: Bool
  /// The body, to be read once; empty when there is none.
  public var body: HTTPRequestBody

  /// A request put together by hand, for tests of handlers.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - target: The path and query, percent-encoded.
  ///   - fields: The header fields.
  ///   - body: The whole body.
  ///   - remoteAddress: Where it comes from.
  /// - Throws: ``HTTPServerError`` with the code `malformedTarget` when the target would be answered with 400.
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

  /// The path, decoded, from its slash: for people and logs. Use ``pathSegments`` to decide anything.
  public var path: String { "/" + pathSegments.joined(separator: "/") }

  /// The value of the first query item of this name; nil when there is none, empty when it has no value.
  ///
  /// - Parameter name: The name, decoded.
  public func query(_ name: String) -> String? {
    queryItems.first { $0.name == name }.map { $0.value ?? "" }
  }
}
