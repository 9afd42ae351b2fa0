/// Receives what happens to one transfer, in order and one at a time, by whoever has its loop's turn: heads, body, end.
///
/// Nothing is called after ``transferDidFinish(_:)``. The calls come from inside libcurl, so they must be quick
/// and must not wait; starting or cancelling transfers from within them is fine, both are only noted.
package protocol TransferObserver: AnyObject, Sendable {
  /// The final response's head, complete.
  func transferDidReceive(head: TransferHead) -> TransferDisposition
  /// An interim response (1xx).
  func transferDidReceive(informational head: TransferHead)
  /// A piece of the body, decoded: it is taken whatever the answer.
  func transferDidReceive(bytes: UnsafeRawBufferPointer) -> TransferDisposition
  /// For now nothing more comes: what ``TransferDisposition/gather`` held together may be handed on.
  func transferDidSettle()
  /// Bytes of the request's body that were handed to the connection, in all.
  func transferDidSend(total: Int64)
  func transferDidFinish(_ end: TransferEnd)
}

extension TransferObserver {
  package func transferDidReceive(informational head: TransferHead) {}
  package func transferDidSettle() {}
  package func transferDidSend(total: Int64) {}
}

package enum TransferDisposition: Sendable {
  case proceed
  /// The same, and ``TransferObserver/transferDidSettle()`` is to be called as soon as nothing more comes at once.
  case gather
  /// What came is taken; nothing more is wanted until ``Transfer/resumeReceiving()``.
  case pause
  /// The transfer is to end now; it finishes as cancelled.
  case stop
}

/// A response's head as it came, parsed no further than the engine itself needs.
package struct TransferHead: Sendable {
  package var status: Int
  /// "HTTP/1.1", "HTTP/2" and so on.
  package var version: String
  /// The header lines, each with its line end, without the status line.
  package var block: [UInt8]
  package var mentions: Mentions
  /// The body's length on the wire, where the head says it.
  package var contentLength: Int64?
  /// The codings of the body, as the head lists them; nil where it has none.
  package var contentEncoding: String?

  /// Fields that policies look for: noticed while the lines pass, so that most heads are never parsed.
  package struct Mentions: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let setCookie = Mentions(rawValue: 1)
    package static let location = Mentions(rawValue: 2)
    package static let contentEncoding = Mentions(rawValue: 4)
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
  package var failure: TransferFailure?
  package var timings: TransferTimings?
  /// Bytes of body that the observer was given: after decoding.
  package var receivedBytes: Int64 = 0

  package init(failure: TransferFailure? = nil) { self.failure = failure }
}

/// Why a transfer failed, in the engine's own words, with libcurl's code below.
package struct TransferFailure: Error, Hashable, Sendable {
  package enum Code: Sendable, Hashable {
    case cancelled, timedOut
    case badURL, unsupportedScheme
    case hostNotFound, nameServiceFailed, cannotConnect, proxyRefused, refusedByPolicy
    case connectionLost, badReply, headTooLarge, tooManyInformationalResponses
    case bodyTooLarge, undecodableBody
    case requestBodyFailed, requestBodyNotRewindable
    case secureConnectionFailed, certificateUntrusted, certificateExpired, certificateNotYetValid
    case certificateUnknownRoot, clientCertificateRejected, trustStoreUnreadable
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

/// Where the time of a transfer went: offsets from its start, nil where a step did not happen.
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
  /// The numbers that stand for version and cipher suite in the TLS handshake; nil without TLS.
  package var tlsVersion: UInt16?
  package var tlsCipherSuite: UInt16?
  /// Whether a proxy stood between.
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
