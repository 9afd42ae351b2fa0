import Foundation

/// A valid HTTP/1.1 response, for tests that do not need an invalid one.
public struct Reply: Sendable {
  /// How the response marks the end of the body.
  public enum Framing: Sendable {
    /// With a Content-Length field.
    case contentLength
    /// With chunks of at most this many bytes.
    case chunked(Int)
    /// With the end of the connection.
    case untilClose
    /// Nothing is added: for 204, 304, responses to HEAD, or framing written by hand.
    case none
  }

  /// The status code.
  public var status: Int
  /// The reason phrase; nil for the standard one.
  public var reason: String?
  /// The header fields, in addition to those for the framing.
  public var headers: [(String, String)]
  /// The body.
  public var body: Data
  /// How the body is framed.
  public var framing: Framing

  /// Creates a response with a body of bytes.
  public init(
    _ status: Int = 200, reason: String? = nil, headers: [(String, String)] = [], body: Data = Data(),
    framing: Framing = .contentLength
  ) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
    self.framing = framing
  }

  /// Creates a response with a text body.
  public init(
    _ status: Int = 200, reason: String? = nil, headers: [(String, String)] = [], text: String,
    framing: Framing = .contentLength
  ) {
    self.init(status, reason: reason, headers: headers, body: Data(text.utf8), framing: framing)
  }

  /// Creates a redirect to `location`.
  public static func redirect(to location: String, status: Int = 302) -> Reply {
    Reply(status, headers: [("Location", location)])
  }

  /// The head, including the empty line at its end.
  public var head: Data {
    var text = "HTTP/1.1 \(status) \(reason ?? Self.defaultReason(status))\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    switch framing {
    case .contentLength: text += "Content-Length: \(body.count)\r\n"
    case .chunked: text += "Transfer-Encoding: chunked\r\n"
    case .untilClose: text += "Connection: close\r\n"
    case .none: break
    }
    return Data((text + "\r\n").utf8)
  }

  /// The body with its framing.
  public var framedBody: Data {
    guard case .chunked(let size) = framing else { return body }
    var framed = Data()
    var rest = body[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(max(1, size))
      framed += Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
      rest = rest.dropFirst(chunk.count)
    }
    return framed + Data("0\r\n\r\n".utf8)
  }

  /// The head and the body.
  public var bytes: Data { head + framedBody }

  private static func defaultReason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 401: "Unauthorized"
    case 404: "Not Found"
    default: "Status \(status)"
    }
  }
}
