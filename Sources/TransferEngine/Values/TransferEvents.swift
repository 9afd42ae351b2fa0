/// Receives the events of one transfer, in order and one at a time: heads, body, end. The thread that holds the event
/// loop calls it.
///
/// Nothing is called after ``transferDidFinish(_:)``. The calls come from inside libcurl, so they must be fast and must
/// not wait. They may start or cancel transfers: this only adds a command for the loop.
package protocol TransferObserver: AnyObject, Sendable {
  /// The request is about to be sent: the transfer has its place among those that run. Returns a failure to prevent it.
  func transferWillBegin() -> TransferFailure?
  /// The complete head of the final response.
  func transferDidReceive(head: TransferHead) -> TransferDisposition
  /// An interim response (1xx).
  func transferDidReceive(informational head: TransferHead)
  /// A decoded piece of the body. It counts as delivered, no matter what the method returns.
  func transferDidReceive(bytes: UnsafeRawBufferPointer) -> TransferDisposition
  /// No more data is available for now. The observer may deliver what it collected after
  /// ``TransferDisposition/gather``.
  func transferDidBecomeIdle()
  /// The total number of bytes of the request's body that were passed to the connection.
  func transferDidSend(total: Int64)
  /// The server's handshake raised a question, which the observer answers later. Only clients that ask call this.
  func transferNeedsAnswer(to question: TrustQuestion)
  func transferDidFinish(_ end: TransferEnd)
}

extension TransferObserver {
  package func transferWillBegin() -> TransferFailure? { nil }
  package func transferDidReceive(informational head: TransferHead) {}
  package func transferDidBecomeIdle() {}
  package func transferDidSend(total: Int64) {}
  package func transferNeedsAnswer(to question: TrustQuestion) { question.answer(.performDefault) }
}

package enum TransferDisposition: Sendable {
  case proceed
  /// The same as `proceed`, but ``TransferObserver/transferDidBecomeIdle()`` is called when no more data is available
  /// for now.
  case gather
  /// The data has been accepted; no more is wanted until ``Transfer/resumeReceiving()``.
  case pause
  /// Ends the transfer now; it finishes as cancelled.
  case stop
}

/// A response's head as received, parsed only as far as the engine needs.
package struct TransferHead: Sendable {
  package var status: Int
  /// "HTTP/1.1", "HTTP/2" and so on.
  package var version: String
  /// The header lines with their line ends, without the status line.
  package var block: [UInt8]
  package var mentions: Mentions
  /// The length of the encoded body, if the head contains it.
  package var contentLength: Int64?
  /// The content codings of the body, as listed in the head; nil if there are none.
  package var contentEncoding: String?
  /// Whether a delegate may have accepted the server although its certificate is not valid.
  package var isFromExceptedServer = false
  /// Whether the server may know the user by a client certificate.
  package var identifiesUser = false

  /// Fields that policies look for. They are noticed while the lines pass, so that most heads are never parsed.
  package struct Mentions: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let setCookie = Mentions(rawValue: 1)
    package static let location = Mentions(rawValue: 2)
    package static let contentEncoding = Mentions(rawValue: 4)
    /// A lifetime or a validator: `Cache-Control`, `ETag`, `Expires` or `Last-Modified`.
    package static let reuse = Mentions(rawValue: 8)
  }

  package init(
    status: Int, version: String, block: [UInt8], mentions: Mentions = [], contentLength: Int64? = nil,
    contentEncoding: String? = nil
  ) {
    self.status = status
    self.version = version
    self.block = block
    self.mentions = mentions
    self.contentLength = contentLength
    self.contentEncoding = contentEncoding
  }
}

/// How a transfer ended.
package struct TransferEnd: Sendable {
  /// The number of body bytes that the observer received, after decoding.
  package var receivedBytes: Int64 = 0
  /// What most ends do not have. It is one reference, because an end is copied several times on its way.
  @Boxed private var details: Details?

  private struct Details: Sendable {
    var failure: TransferFailure?
    var timings: TransferTimings?
    var socket: ConnectedSocket?
    var tunnelRefusal: TransferHead?
    var bodyHashes: [HashAlgorithm: [UInt8]] = [:]
  }

  package init(failure: TransferFailure? = nil) { self.failure = failure }

  package var failure: TransferFailure? {
    get { details?.failure }
    set { if newValue != nil || details != nil { change { $0.failure = newValue } } }
  }

  package var timings: TransferTimings? {
    get { details?.timings }
    set { if newValue != nil || details != nil { change { $0.timings = newValue } } }
  }

  /// The socket of a connection that was requested.
  package var socket: ConnectedSocket? {
    get { details?.socket }
    set { if newValue != nil || details != nil { change { $0.socket = newValue } } }
  }

  /// The head of the response with which a proxy refused to open a tunnel.
  package var tunnelRefusal: TransferHead? {
    get { details?.tunnelRefusal }
    set { if newValue != nil || details != nil { change { $0.tunnelRefusal = newValue } } }
  }

  /// The requested hashes of the body as it was received, before decoding, if they could be computed.
  package var bodyHashes: [HashAlgorithm: [UInt8]] {
    get { details?.bodyHashes ?? [:] }
    set { if !newValue.isEmpty || details != nil { change { $0.bodyHashes = newValue } } }
  }

  private mutating func change(_ body: (inout Details) -> Void) {
    var changed = details ?? Details()
    body(&changed)
    details = changed
  }
}

/// The reason why a transfer failed, with a message from the engine and libcurl's error code.
package struct TransferFailure: Error, Hashable, Sendable {
  package enum Code: Sendable, Hashable {
    case cancelled, timedOut
    case badURL, unsupportedScheme
    case hostNotFound, nameServiceFailed, cannotConnect, networkUnreachable, proxyRefused,
      refusedByPolicy
    case connectionLost, badReply, headTooLarge, tooManyInformationalResponses
    case bodyTooLarge, undecodableBody
    case requestBodyFailed, requestBodyNotRewindable
    case secureConnectionFailed, certificateUntrusted, certificateExpired, certificateNotYetValid
    case certificateUnknownRoot, clientCertificateRejected, clientCertificateRequired, trustStoreUnreadable
    case outOfMemory, outOfDescriptors, other
  }
  package var code: Code
  package var curl: UInt32
  package var message: String

  package init(_ code: Code, curl: UInt32 = 0, message: String) {
    self.code = code
    self.curl = curl
    self.message = message
  }
}

/// The timings of a transfer: offsets from its start, nil for a step that did not happen.
package struct TransferTimings: Sendable, Hashable {
  package var nameLookupStart: Duration?
  package var nameLookupEnd: Duration?
  package var connectEnd: Duration?
  package var secureConnectionEnd: Duration?
  package var requestStart: Duration?
  package var requestEnd: Duration?
  package var responseStart: Duration?
  package var total: Duration = .zero
  package var isReusedConnection = false
  package var protocolName: String?
  /// The TLS version and cipher suite as numbers, as in the TLS handshake; nil without TLS.
  package var tlsVersion: UInt16?
  package var tlsCipherSuite: UInt16?
  /// Whether the transfer used a proxy.
  package var isProxied = false
  package var localAddress: String?
  package var localPort: Int?
  package var remoteAddress: String?
  package var remotePort: Int?
  package var requestHeaderBytes: Int64 = 0
  package var requestBodyBytes: Int64 = 0
  package var responseHeaderBytes: Int64 = 0
  package var responseBodyBytes: Int64 = 0

  package init() {}
}

// Failures that more than one place reports.
extension TransferFailure {
  static let notRepeatable = TransferFailure(
    .connectionLost,
    message:
      "The connection was lost before the server answered. The request was not sent again, because the "
      + "server may have processed it already.")

  static let cutOff = TransferFailure(
    .connectionLost,
    message: "The response is incomplete: the server stopped sending before the end of the body.")

  static let brokenProtocol = TransferFailure(
    .badReply, message: "The connection is unusable because the server violated the HTTP/2 protocol.")

  static let cancelled = TransferFailure(.cancelled, message: "The transfer was cancelled.")

  package static let deadlinePassed = TransferFailure(
    .timedOut, message: "The request timed out: it did not finish before its deadline.")

  static func timedOut(after idle: Duration) -> TransferFailure {
    TransferFailure(
      .timedOut,
      message: idle > .zero
        ? "The request timed out: no data was received or sent for \(idle)."
        : "The request timed out: its time-out is zero or negative.")
  }
}
