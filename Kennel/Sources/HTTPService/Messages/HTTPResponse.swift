import Foundation

/// The response of a handler.
///
/// The server sets `Content-Length`, `Transfer-Encoding` and `Date` itself, and ignores fields with these names. If a
/// response is invalid (a line break in a header field, a status outside 200 to 599), the server reports it to
/// ``HTTPServerConfiguration/onError`` and sends 500. For HEAD, the server does not send the body, but uses it for the
/// length in the header fields.
public struct HTTPResponse: Sendable {
  /// The body of a response: the content after the header fields.
  public struct Body: Sendable {
    enum Content: Sendable {
      case bytes(Data)
      case file(FileBody)
      case stream(StreamBody)
    }

    let content: Content
  }

  /// The status.
  public var status: HTTPStatus
  /// The header fields.
  public var fields: HTTPFields
  /// The body.
  public var body: Body
  /// For 304, the length of the body that the client already has; nil if unknown.
  var unmodifiedLength: Int64?

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - fields: The header fields.
  ///   - body: The body. The server does not send it with 204, 205 and 304.
  public init(status: HTTPStatus = .ok, fields: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Creates a response with text.
  ///
  /// - Parameters:
  ///   - text: The text, sent as UTF-8.
  ///   - contentType: The content type.
  ///   - status: The status.
  public static func text(
    _ text: String, contentType: String = "text/plain; charset=utf-8", status: HTTPStatus = .ok
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, fields: ["Content-Type": contentType], body: .bytes(Data(text.utf8)))
  }

  /// Creates a response for a method that is not allowed for this path: 405 with an `Allow` field.
  ///
  /// - Parameter allowed: The allowed methods.
  public static func methodNotAllowed(allowing allowed: [HTTPMethod]) -> HTTPResponse {
    var response = HTTPResponse.text("This method is not allowed here.\n", status: .methodNotAllowed)
    response.fields["Allow"] = allowed.map(\.rawValue).joined(separator: ", ")
    return response
  }

  /// The reason why this response cannot be sent; nil if it can be sent.
  var validationError: String? {
    guard 200...599 ~= status.rawValue else { return "The status \(status) is not between 200 and 599." }
    for field in fields {
      if let reason = field.validationError { return reason }
    }
    return nil
  }
}

extension HTTPResponse.Body {
  /// An empty body.
  public static let none = HTTPResponse.Body(content: .bytes(Data()))

  /// A body of bytes in memory.
  ///
  /// - Parameter data: The bytes.
  public static func bytes(_ data: Data) -> HTTPResponse.Body { HTTPResponse.Body(content: .bytes(data)) }

  /// A stream that a closure writes.
  ///
  /// The closure runs in the handler's task after the handler has returned. The server cancels it when the client
  /// disconnects, and does not call it for HEAD. The server sends written bytes immediately; a write waits while the
  /// client is slower. When the closure returns, the body ends. When the closure throws, the server closes the
  /// connection, so that the client notices that the body is incomplete.
  ///
  /// - Parameters:
  ///   - length: The number of bytes, if known. The server sends it to the client; writing fewer or more bytes is an
  ///     error.
  ///   - endsWhenStopping: Whether stopping the server ends the stream as if it were complete. Use this for live
  ///     streams, which do not end by themselves.
  ///   - produce: The closure that writes the body.
  public static func stream(
    length: Int64? = nil, endsWhenStopping: Bool = false,
    _ produce: @escaping @Sendable (HTTPBodyWriter) async throws -> Void
  ) -> HTTPResponse.Body {
    HTTPResponse.Body(
      content: .stream(
        StreamBody(length: length.map { max(0, $0) }, endsWhenStopping: endsWhenStopping, produce: produce)))
  }

  /// A stream of the pieces of a sequence, each sent immediately; see ``stream(length:endsWhenStopping:_:)``.
  ///
  /// - Parameters:
  ///   - pieces: The pieces. The server reads them only as fast as the client receives them.
  ///   - endsWhenStopping: Whether stopping the server ends the stream.
  public static func stream<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, endsWhenStopping: Bool = false
  ) -> HTTPResponse.Body where Pieces.Element == Data {
    stream(endsWhenStopping: endsWhenStopping) { writer in
      for try await piece in pieces { try await writer.write(piece) }
    }
  }
}

/// The description of a stream body.
struct StreamBody: Sendable {
  var length: Int64?
  var endsWhenStopping: Bool
  var produce: @Sendable (HTTPBodyWriter) async throws -> Void
}

/// Writes the body of a streamed response, piece by piece.
public struct HTTPBodyWriter: Sendable {
  let channel: StreamChannel

  /// Sends bytes.
  ///
  /// Returns when the bytes are sent or stored in a small buffer. Waits while the buffer is full.
  ///
  /// - Parameter data: The bytes.
  /// - Throws: `CancellationError` if the task is cancelled, which happens when the client disconnects;
  ///   ``HTTPServerError`` with the code `responseEnded` if the response has ended.
  public func write(_ data: Data) async throws { try await channel.write(data) }

  /// Sends text as UTF-8; see ``write(_:)-(Data)``.
  ///
  /// - Parameter text: The text.
  /// - Throws: The same errors as for bytes.
  public func write(_ text: String) async throws { try await channel.write(Data(text.utf8)) }
}
