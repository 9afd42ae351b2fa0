#if !canImport(Darwin)
import Foundation

/// The measurements of one request and its response, as plain values that are cheap to fill in.
///
/// Times are in seconds since `start`. A time is nil if the transaction did not reach that step or skipped it, such
/// as the lookup on an open connection.
package struct TransactionRecord: Sendable {
  package var request: URLRequest
  package var response: HTTPURLResponse?
  /// The reason why the transaction ended without a complete response.
  package var error: URLError?

  /// The start of the transaction.
  package var start: Date
  package var nameLookupStart: Double?
  package var nameLookupEnd: Double?
  package var connectStart: Double?
  /// The end of the connection's set-up, including TLS.
  package var connectEnd: Double?
  package var tlsStart: Double?
  package var tlsEnd: Double?
  package var requestStart: Double?
  package var requestEnd: Double?
  package var responseStart: Double?
  package var responseEnd: Double?

  /// The protocol's ALPN name: `http/1.1`, `h2`, `h3`.
  package var networkProtocolName: String?
  package var resourceFetchType = URLSessionTaskMetrics.ResourceFetchType.unknown
  package var isReusedConnection = false
  package var isProxyConnection = false

  package var requestHeaderBytes: Int64 = 0
  package var requestBodyBytes: Int64 = 0
  package var responseHeaderBytes: Int64 = 0
  /// The number of body bytes on the wire, and after decompression.
  package var responseBodyBytes: Int64 = 0
  package var decodedResponseBodyBytes: Int64 = 0

  package var localAddress: String?
  package var localPort: Int?
  package var remoteAddress: String?
  package var remotePort: Int?

  /// The two-byte codes of the version and the cipher suite in the TLS handshake.
  package var tlsVersion: UInt16?
  package var tlsCipherSuite: UInt16?

  package init(request: URLRequest, start: Date) {
    self.request = request
    self.start = start
  }

  /// The date at an offset.
  func date(at offset: Double?) -> Date? { offset.map { start.addingTimeInterval($0) } }
}
#endif
