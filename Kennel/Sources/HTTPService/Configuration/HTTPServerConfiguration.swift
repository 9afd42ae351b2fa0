import Foundation

/// The configuration of a server: its address, its limits and its callbacks.
public struct HTTPServerConfiguration: Sendable {
  /// The address a server listens on.
  public enum Address: Sendable, Hashable {
    /// A numeric IPv4 or IPv6 address (`0.0.0.0` and `::` mean all addresses), and a port; 0 picks a free port.
    case ip(String, port: UInt16)
    /// A Unix socket at this path. The server replaces an existing socket file if no process is listening on it, and
    /// removes the file when it stops.
    case unixSocket(path: String)

    /// The IPv4 loopback address, which only this machine can reach.
    ///
    /// - Parameter port: The port; 0 picks a free port.
    public static func loopback(port: UInt16 = 0) -> Address { .ip("127.0.0.1", port: port) }
  }

  /// A certificate and its private key, for TLS 1.2 and 1.3.
  public struct TLS: Sendable {
    /// The certificate, followed by its intermediate certificates (PEM).
    public var certificateChain: String
    /// The certificate's private key (PEM).
    public var privateKey: String
    /// The password of the private key; nil if the key is not encrypted.
    public var privateKeyPassword: String?

    /// Creates a certificate chain with its private key.
    ///
    /// - Parameters:
    ///   - certificateChain: The certificate, followed by its intermediate certificates (PEM).
    ///   - privateKey: The certificate's private key (PEM).
    ///   - privateKeyPassword: The password of the private key; nil if the key is not encrypted.
    public init(certificateChain: String, privateKey: String, privateKeyPassword: String? = nil) {
      self.certificateChain = certificateChain
      self.privateKey = privateKey
      self.privateKeyPassword = privateKeyPassword
    }
  }

  /// The limits on what clients can use.
  public struct Limits: Sendable {
    /// The maximum number of concurrent connections. More connections wait in the kernel until one ends.
    public var maximumConnections = 10_000
    /// The maximum number of concurrent connections from one IP address. The server closes others immediately. This
    /// limit does not apply to Unix sockets.
    public var maximumConnectionsPerAddress = 1_000
    /// The maximum size of the request line and the header fields in bytes, at least 4 KiB. The server answers a
    /// larger request with 431.
    public var maximumHeaderSize = 32 * 1024
    /// The maximum size of a request body in bytes. The server answers a larger body with 413. A handler can set a
    /// lower limit with ``HTTPRequestBody/collectedBody(upTo:)``.
    public var maximumBodySize: Int64 = 25 * 1024 * 1024
    /// The maximum number of bytes that the server reads and discards of an unread or too large body, so that the
    /// client gets its response. If a chunked body is longer, the server closes the connection without a response. The
    /// rest of a body with a length is read completely if a handler has answered while it read the body.
    public var maximumDiscardedBodySize: Int64 = 1024 * 1024
    /// The maximum number of body bytes that the server buffers, in each direction, when one side is slower.
    public var maximumBufferedBodySize = 128 * 1024
    /// The maximum time from the start of a connection, or from the request line, to the end of the header fields.
    public var maximumHeadTime: Duration = .seconds(15)
    /// The maximum time between the end of a request and the next request line.
    public var maximumIdleTime: Duration = .seconds(60)
    /// The interval over which the server measures ``minimumBodyRate`` while it waits for a request body.
    public var receivingTime: Duration = .seconds(30)
    /// The minimum rate of a request body in bytes per second.
    public var minimumBodyRate = 100
    /// The interval at which the server checks sending. It closes the connection of a client that has acknowledged
    /// nothing of a pending response for two intervals.
    public var sendingTime: Duration = .seconds(30)
    /// The maximum number of sockets, in addition to those of connections, that the server still reads from after
    /// the response.
    var maximumLingeringSockets = 1_000

    /// Creates the default limits.
    public init() {}
  }

  /// An access log entry for a finished request.
  public struct AccessLogEntry: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The path as received, percent-encoded, without the query, which may contain secrets.
    public var path: String
    /// The status sent to the client; nil if the client disconnected before the response.
    public var status: HTTPStatus?
    /// The number of bytes of the response body that were passed to the connection.
    public var bodyBytes: Int64
    /// The time from the request line to the end of the response.
    public var duration: Duration
    /// The client's address.
    public var remoteAddress: String
    /// Whether the complete response was sent.
    public var isComplete: Bool
  }

  /// A failure of a handler or of its response.
  public struct Failure: Sendable {
    /// The error that was thrown.
    public var error: any Error
    /// The request's method.
    public var method: HTTPMethod
    /// The request's path, percent-encoded, without the query.
    public var path: String
  }

  /// The address the server listens on.
  public var address: Address
  /// The certificate and key for TLS; nil for unencrypted HTTP.
  public var tls: TLS?
  /// The limits on what clients can use.
  public var limits = Limits()
  /// The methods that reach the handler. The server answers all others with 501.
  public var methods = HTTPMethod.common
  /// Creates the response for requests that the server refuses and for handler errors (default: plain text).
  ///
  /// The server calls the closure on its own thread or in the handler's task, so it must not block. The body must be
  /// bytes. If the response cannot be sent, the server sends the plain text instead.
  ///
  /// The server refuses these requests before it calls the handler:
  /// - A method that is not one of ``methods`` (501) or not a token (400).
  /// - A target that is malformed (400) or too long (414).
  /// - Header fields that are malformed (400) or too large (431).
  /// - A missing `Host`, or more than one (400).
  /// - An expectation other than `100-continue` (417).
  /// - A transfer coding other than `chunked` (501).
  /// - A body with conflicting lengths (400), or one that is too large (413).
  ///
  /// After it has called the handler, it refuses a request if the handler throws because the body is too large (413)
  /// or incomplete (400), or throws any other error (500).
  ///
  /// libmicrohttpd answers some requests itself, with its own HTML:
  /// - A malformed request line or header line (400).
  /// - A version before 1.0, or 2.0 and later (505).
  /// - A head more than about 16 KiB larger than ``Limits/maximumHeaderSize`` (431, or 414 within the target).
  /// - A `Content-Length` that is not a number (400) or exceeds 64 bits (413).
  /// - A chunk size that is not a number (400) or exceeds 64 bits (413).
  ///
  /// A client gets no response if its first line contains no space, if it is too slow, or if it exceeds a limit on
  /// connections.
  public var refusalResponse: @Sendable (HTTPRefusal) -> HTTPResponse = { $0.text }
  /// Called for each finished request, on the server's own thread. It must not block.
  public var onAccess: (@Sendable (AccessLogEntry) -> Void)?
  /// Called in the handler's task with the error that a handler threw. The client does not see the error.
  public var onError: (@Sendable (Failure) -> Void)?
  /// Called on the server's own thread with messages of libmicrohttpd, such as why a TLS handshake failed.
  public var onDiagnostic: (@Sendable (String) -> Void)?

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - address: The address to listen on (default: a free port of the loopback address).
  ///   - tls: The certificate and key for TLS; nil for unencrypted HTTP.
  public init(address: Address = .loopback(), tls: TLS? = nil) {
    self.address = address
    self.tls = tls
  }
}

extension HTTPServerConfiguration {
  /// Returns the configured response to a refusal, or the plain text if that response is invalid or not made of bytes.
  func response(to refusal: HTTPRefusal) -> HTTPResponse {
    let response = refusalResponse(refusal)
    guard response.validationError == nil, case .bytes = response.body.content else { return refusal.text }
    return response
  }
}
