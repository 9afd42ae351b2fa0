import Foundation

/// How a server listens, what it allows, and whom it tells.
public struct HTTPServerConfiguration: Sendable {
  /// Where a server listens.
  public enum Address: Sendable, Hashable {
    /// An IPv4 or IPv6 address in digits (`0.0.0.0` and `::` mean all), and a port; 0 takes a free one.
    case ip(String, port: UInt16)
    /// A Unix socket at this path. A socket file that stands there, and on which nobody listens, is replaced; the
    /// file is removed when the server stops.
    case unixSocket(path: String)

    /// This machine only, IPv4.
    ///
    /// - Parameter port: The port; 0 takes a free one.
    public static func loopback(port: UInt16 = 0) -> Address { .ip("127.0.0.1", port: port) }
  }

  /// A certificate and its key, to encrypt with TLS 1.2 or 1.3.
  public struct TLS: Sendable {
    /// The certificate, followed by those that lead to its authority (PEM).
    public var certificateChain: String
    /// The certificate's key (PEM).
    public var privateKey: String
    /// What the key is encrypted with; nil when it is not.
    public var privateKeyPassword: String?

    /// A certificate and its key.
    ///
    /// - Parameters:
    ///   - certificateChain: The certificate, followed by those that lead to its authority (PEM).
    ///   - privateKey: The certificate's key (PEM).
    ///   - privateKeyPassword: What the key is encrypted with.
    public init(certificateChain: String, privateKey: String, privateKeyPassword: String? = nil) {
      self.certificateChain = certificateChain
      self.privateKey = privateKey
      self.privateKeyPassword = privateKeyPassword
    }
  }

  /// What a client can take of this machine.
  public struct Limits: Sendable {
    /// Connections at the same time. More wait in the kernel until one ends.
    public var connections = 10_000
    /// Connections at the same time from one IP address; more are closed at once. Not for Unix sockets.
    public var connectionsPerAddress = 1_000
    /// Bytes of a request's line and header fields; more give 431. At least 4 KiB.
    public var headerSize = 32 * 1024
    /// Bytes of a request's body; more give 413. A handler may allow less with
    /// ``HTTPRequestBody/collectedBody(upTo:)``.
    public var bodySize: Int64 = 25 * 1024 * 1024
    /// Bytes of a body that nobody wants, or that is past its limit, that are still read, so that the client gets
    /// its response; a chunked body that goes on beyond that is cut off without one.
    public var unwantedBodySize: Int64 = 1024 * 1024
    /// Bytes of a body that are held, in either direction, for a side that lags behind.
    public var bufferedBodySize = 128 * 1024
    /// Time from a connection's beginning, or from a request's line, to the end of the header fields.
    public var headTime: Duration = .seconds(15)
    /// Time from one request's end to the next one's line.
    public var idleTime: Duration = .seconds(60)
    /// The span in which a body that is waited for must bring ``slowestBody`` bytes a second.
    public var receivingTime: Duration = .seconds(30)
    /// Bytes a second that a body must bring at least.
    public var slowestBody = 100
    /// A client that has confirmed nothing of a waiting response for two such spans is cut off.
    public var sendingTime: Duration = .seconds(30)
    /// Sockets, beside those of connections, from which is read what their clients still send behind a response.
    var lingeringSockets = 1_000

    /// The limits that are written above.
    public init() {}
  }

  /// What is told of a finished request.
  public struct AccessLogEntry: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The path as it came, percent-encoded, without the query, which may hold secrets.
    public var path: String
    /// The status the client was sent; nil when it was gone before there was one.
    public var status: HTTPStatus?
    /// The bytes of the response's body that were handed to the connection.
    public var bodyBytes: Int64
    /// From the request's line to the end of the response.
    public var duration: Duration
    /// The client's address.
    public var remoteAddress: String
    /// Whether the response was sent to its end.
    public var isComplete: Bool
  }

  /// What is told of a handler, or of its response, that failed.
  public struct Failure: Sendable {
    /// What was thrown.
    public var error: any Error
    /// The request's method.
    public var method: HTTPMethod
    /// The request's path, percent-encoded, without the query.
    public var path: String
  }

  /// Where the server listens.
  public var address: Address
  /// The certificate, when the server encrypts.
  public var tls: TLS?
  /// What a client can take.
  public var limits = Limits()
  /// The methods that reach the handler; all others give 501.
  public var methods = HTTPMethod.common
  /// Makes the response to what the server refuses by itself, and to a handler's failure; plain text unless set.
  ///
  /// It is called on the server's own thread or in the handler's task, and must not block. Its body is to be bytes; a
  /// response that cannot be sent is replaced by the text.
  ///
  /// Refused before the handler is asked: a method that is not one of ``methods`` or not a token (501, 400), a target
  /// that is malformed or too long (400, 414), header fields that are malformed or too large (400, 431), no `Host` or
  /// more than one (400), an expectation other than `100-continue` (417), a transfer coding other than `chunked` (501),
  /// a body whose length is told in two ways (400) or is too large (413). Afterwards: a body that the handler reads past
  /// its limit (413) or not to its end (400), and whatever else it throws (500).
  ///
  /// Some requests libmicrohttpd answers without asking, in HTML of its own: a request line or a header line that
  /// is none (400), a version before 1.0 or from 2.0 on (505), a head that goes more than about 16 KiB beyond
  /// ``Limits/headerSize`` (431, or 414 within the target), a `Content-Length` that is no number (400) or is beyond
  /// 64 bits (413), and a chunk with a size that is none (400) or is beyond 64 bits (413). A first line without any
  /// space, and what is cut off for its slowness or for a limit on connections, gets no response at all.
  public var refusalResponse: @Sendable (HTTPRefusal) -> HTTPResponse = { $0.text }
  /// Called for each finished request, on the server's own thread: it must not block.
  public var onAccess: (@Sendable (AccessLogEntry) -> Void)?
  /// Called, in the handler's task, with what a handler has thrown; the client is told nothing of it.
  public var onError: (@Sendable (Failure) -> Void)?
  /// Called with what the HTTP library has to say, such as why a TLS handshake failed, on the server's own thread.
  public var onDiagnostic: (@Sendable (String) -> Void)?

  /// A configuration.
  ///
  /// - Parameters:
  ///   - address: Where the server listens; a free port of this machine when nothing is said.
  ///   - tls: The certificate, when the server encrypts.
  public init(address: Address = .loopback(), tls: TLS? = nil) {
    self.address = address
    self.tls = tls
  }
}
