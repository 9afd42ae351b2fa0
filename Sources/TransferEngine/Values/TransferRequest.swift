import HTTPSyntax

/// One request to a server. It contains what the engine needs, and no policy.
package struct TransferRequest: Sendable {
  package var url: String
  package var method: String = "GET"
  package var headers: [TransferHeader] = []
  /// The header fields for an HTTP proxy: with CONNECT if there is a tunnel, otherwise with the request.
  package var proxyHeaders: [TransferHeader] = []
  package var body: TransferBody = .none
  /// The encodings to ask for. Nil asks for all supported encodings. "" asks for none and disables decoding.
  package var acceptedEncodings: String?
  package var httpVersion = HTTPVersionPreference.automatic
  package var http3 = HTTP3Use.never
  /// The priority of the transfer while it waits in the queue: from 0 to 1.
  package var priority: Float = 0.5
  /// How long the transfer may be idle, with no data received or sent, before it fails. Counted from when the transfer
  /// leaves the queue. Zero or less: immediately. Nil: never.
  package var idleTimeout: Duration?
  /// When the transfer fails, even if data is still arriving.
  package var deadline: TransferDeadline?
  package var connectTimeout: Duration?
  package var limits = TransferLimits()
  /// Whether to use a larger receive buffer for a long body: fewer calls, but more memory.
  package var expectsLongBody = false
  /// Whether the connection leaves HTTP after status 101: the body's source and the observer then exchange any bytes
  /// with the server, until one side closes the connection. The source must have no length. With any other status the
  /// transfer ends at the head. The idle time-out limits the time until the head only.
  package var isUpgrade = false
  /// Whether to open a connection to the URL's host and port and send nothing, through a tunnel if there is a proxy. The
  /// URL has the scheme `https`, which selects the proxy; TLS is not started. The end has the socket.
  package var isConnection = false
  /// What libcurl signs in with. Several requests and responses over one connection then look like one.
  package var signIn: ConnectionSignIn?
  /// The same for an HTTP proxy: with CONNECT if there is a tunnel, otherwise with the request.
  package var proxySignIn: ConnectionSignIn?
  /// The hashes of the encoded body to compute. The end has them.
  package var bodyHashes: Set<HashAlgorithm> = []
  /// Whether to read the timings and addresses of the transfer when it ends.
  package var collectsTimings = false

  package init(url: String) { self.url = url }

  /// Whether libcurl signs in.
  var signsIn: Bool { signIn != nil || proxySignIn != nil }

  /// Whether the server is asked to agree before it gets the body (RFC 9110, 10.1.1).
  var expectsContinue: Bool {
    guard body.isPresent else { return false }
    return headers.contains {
      ASCII.equalIgnoringCase($0.name, "Expect") && ASCII.equalIgnoringCase($0.value, "100-continue")
    }
  }

  /// The header fields without an expectation.
  var headersWithoutExpectation: [TransferHeader] {
    headers.filter { !ASCII.equalIgnoringCase($0.name, "Expect") }
  }

  /// Whether a request with this method may be sent again after the server may have received it (RFC 9110, 9.2.2).
  package static func isIdempotent(_ method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
    default: false
    }
  }
}

/// A sign-in of a connection, not of a request: the server knows the user of each further request over it.
package struct ConnectionSignIn: Sendable, Hashable {
  package enum Scheme: Sendable, Hashable {
    case ntlm
    /// Kerberos. An empty name and password use the credential cache of the system.
    case negotiate
  }

  package let scheme: Scheme
  package let user: String
  package let password: String

  package init(_ scheme: Scheme, user: String, password: String) {
    self.scheme = scheme
    self.user = user
    self.password = password
  }
}

/// A moment on the engine's clock.
package struct TransferDeadline: Sendable, Hashable {
  let moment: Monotonic

  package init(after duration: Duration) { moment = Monotonic.now() + duration }

  /// The time that is left; not negative.
  package var remaining: Duration { max(.zero, moment.duration(since: .now())) }
}

package struct TransferHeader: Sendable, Hashable {
  package var name: String
  package var value: String
  /// Whether to leave out a field that libcurl would add itself, instead of sending the field without a value.
  var isRemoval = false

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

package enum HTTPVersionPreference: Sendable, Hashable {
  /// HTTP/2 if TLS negotiates it, otherwise HTTP/1.1.
  case automatic
  case http11
  /// HTTP/2 from the first byte, without an upgrade. For cleartext servers that are known to support it.
  case http2PriorKnowledge
}

/// Whether a request may use HTTP/3. The client must allow it too.
///
/// While a transfer is paused, libcurl 8.14 keeps everything that the server sends over HTTP/3. So only a request whose
/// complete body goes into memory, up to ``TransferLimits/bodyBytes``, may use it.
package enum HTTP3Use: Sendable, Hashable {
  case never
  /// If the server has announced it.
  case announced
  /// Even if the server has not announced it.
  case assumed
}

/// Limits on what a server can make the engine hold or do. The transfer fails when it exceeds a limit.
package struct TransferLimits: Sendable, Hashable {
  /// The maximum size of all header lines of one response together.
  package var headerBytes = 2 << 20
  package var informationalResponses = 64
  /// The maximum size of the body after decoding.
  package var bodyBytes: Int64?

  package init() {}
}

package enum TransferBody: Sendable {
  case none
  /// A short body, which libcurl sends together with the head in one write.
  case bytes([UInt8])
  case source(any TransferBodySource)

  package static let maximumInlineBytes = 64 << 10

  var isPresent: Bool {
    if case .none = self { false } else { true }
  }
}

/// A body that is read in pieces, while the event loop is locked.
package protocol TransferBodySource: AnyObject, Sendable {
  /// The length of the body if it is known. Nil sends the body in chunks.
  var length: Int64? { get }

  /// Called once, before the first read. A source that returned `.wait` calls `moreAvailable` when it has more data.
  func start(moreAvailable: @escaping @Sendable () -> Void)

  /// Fills as much of the buffer as possible without waiting.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead

  /// Goes back to the first byte. Returns false if this is impossible.
  func rewind() -> Bool

  /// Called once after ``start(moreAvailable:)``, at the end of the transfer: it reads no more. It must not wait.
  func transferDidEnd()
}

extension TransferBodySource {
  package func transferDidEnd() {}
}

package enum TransferBodyRead: Sendable, Equatable {
  case bytes(Int)
  /// No data yet. The transfer stops sending until the source reports more data.
  case wait
  case end
  /// The body could not be read. The transfer fails.
  case failed
}
