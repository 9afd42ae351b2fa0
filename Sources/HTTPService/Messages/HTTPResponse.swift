import Foundation

/// What a handler answers with.
///
/// `Content-Length`, `Transfer-Encoding` and `Date` are the server's own: fields of these names are not sent. A response
/// that cannot be sent as it is (a line break in a header field, a status outside 200 to 599) is reported to
/// ``HTTPServerConfiguration/onError``, and the client gets 500. For HEAD, the body given here decides the length
/// that is told and is not sent.
public struct HTTPResponse: Sendable {
  /// What follows the header fields.
  public struct Body: Sendable {
    enum Content: Sendable {
      case bytes(Data)
      case file(FileBody)
      case stream(StreamBody)
    }

    let content: Content
  }

  /// How the request went.
  public var status: HTTPStatus
  /// The header fields.
  public var fields: HTTPFields
  /// The body.
  public var body: Body
  /// How long the body is that the client has already, for 304; nil when nobody knows.
  var keptLength: Int64?

  /// A response.
  ///
  /// - Parameters:
  ///   - status: How the request went.
  ///   - fields: The header fields.
  ///   - body: The body; not sent with 204, 205 and 304.
  public init(status: HTTPStatus = .ok, fields: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A response of text.
  ///
  /// - Parameters:
  ///   - text: The text, sent as UTF-8.
  ///   - contentType: Its type.
  ///   - status: How the request went.
  public static func text(
    _ text: String, contentType: String = "text/plain; charset=utf-8", status: HTTPStatus = .ok
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, fields: ["Content-Type": contentType], body: .bytes(Data(text.utf8)))
  }

  /// The response to a method that cannot be used on this path: 405 with its `Allow` field.
  ///
  /// - Parameter allowed: The methods that can be used.
  public static func methodNotAllowed(allowing allowed: [HTTPMethod]) -> HTTPResponse {
    var response = HTTPResponse.text("This method cannot be used here.\n", status: .methodNotAllowed)
    response.fields["Allow"] = allowed.map(\.rawValue).joined(separator: ", ")
    return response
  }

  /// What keeps this response from being sent, as a sentence; nil when nothing does.
  var fault: String? {
    guard 200...599 ~= status.rawValue else { return "The status \(status) cannot be sent." }
    for field in fields {
      if let fault = field.fault { return fault }
    }
    return nil
  }
}

extension HTTPResponse.Body {
  /// No bytes.
  public static let none = HTTPResponse.Body(content: .bytes(Data()))

  /// Bytes that are all there.
  ///
  /// - Parameter data: The bytes.
  public static func bytes(_ data: Data) -> HTTPResponse.Body { HTTPResponse.Body(content: .bytes(data)) }

  /// A stream that a closure writes.
  ///
  /// The closure runs in the handler's task, after the handler has returned, and is cancelled when the client goes
  /// away. What it writes is sent at once; a write waits while the client lags behind. When it returns, the body
  /// ends; when it throws, the connection is cut, so that the client sees that something is missing. For HEAD it is
  /// not called.
  ///
  /// - Parameters:
  ///   - length: The number of bytes if known: it is told to the client, and less or more is an error.
  ///   - endsWhenStopping: Whether the stream is ended, as if it were whole, when the server is stopped: for live
  ///     streams, which never end by themselves.
  ///   - produce: Writes the body.
  public static func stream(
    length: Int64? = nil, endsWhenStopping: Bool = false,
    _ produce: @escaping @Sendable (HTTPBodyWriter) async throws -> Void
  ) -> HTTPResponse.Body {
    HTTPResponse.Body(
      content: .stream(
        StreamBody(length: length.map { max(0, $0) }, endsWhenStopping: endsWhenStopping, produce: produce)))
  }

  /// A stream of the pieces of a sequence, each sent at once; see ``stream(length:endsWhenStopping:_:)``.
  ///
  /// - Parameters:
  ///   - pieces: The pieces; read no faster than the client takes them.
  ///   - endsWhenStopping: Whether the stream is ended when the server is stopped.
  public static func stream<Pieces: AsyncSequence & Sendable>(
    _ pieces: Pieces, endsWhenStopping: Bool = false
  ) -> HTTPResponse.Body where Pieces.Element == Data {
    stream(endsWhenStopping: endsWhenStopping) { writer in
      for try await piece in pieces { try await writer.write(piece) }
    }
  }
}

/// A stream before it is sent.
struct StreamBody: Sendable {
  var length: Int64?
  var endsWhenStopping: Bool
  var produce: @Sendable (HTTPBodyWriter) async throws -> Void
}

/// Takes the body of a streamed response, piece by piece.
public struct HTTPBodyWriter: Sendable {
  let channel: StreamChannel

  /// Sends bytes, at once if the client keeps up.
  ///
  /// Returns when the bytes are on their way or lie in a small buffer; waits while that is full.
  ///
  /// - Parameter data: The bytes.
  /// - Throws: `CancellationError` when the task is cancelled, which happens when the client goes away;
  ///   ``HTTPServerError`` with the code `responseEnded` when the response is over.
  public func write(_ data: Data) async throws { try await channel.write(data) }

  /// Sends text as UTF-8; see ``write(_:)-(Data)``.
  ///
  /// - Parameter text: The text.
  /// - Throws: As for bytes.
  public func write(_ text: String) async throws { try await channel.write(Data(text.utf8)) }
}
