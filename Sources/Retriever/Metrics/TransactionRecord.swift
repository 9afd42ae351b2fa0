#if !canImport(Darwin)
  import Foundation

  /// What was measured while one request went out and its response came in: plain values, cheap to fill.
  ///
  /// Moments are seconds since `start`; one that was never reached, or had no place (a look-up on a connection
  /// that was open already), is nil.
  package struct TransactionRecord: Sendable {
    package var request: URLRequest
    package var response: HTTPURLResponse?
    /// Why the transaction ended without a whole response.
    package var error: URLError?

    /// When the transaction began.
    package var start: Date
    package var nameLookupStart: Double?
    package var nameLookupEnd: Double?
    package var connectStart: Double?
    /// The end of the connection's set-up, TLS included.
    package var connectEnd: Double?
    package var tlsStart: Double?
    package var tlsEnd: Double?
    package var requestStart: Double?
    package var requestEnd: Double?
    package var responseStart: Double?
    package var responseEnd: Double?

    /// The name of the protocol as in ALPN: `http/1.1`, `h2`, `h3`.
    package var networkProtocolName: String?
    package var resourceFetchType = URLSessionTaskMetrics.ResourceFetchType.unknown
    package var isReusedConnection = false
    package var isProxyConnection = false

    package var requestHeaderBytes: Int64 = 0
    package var requestBodyBytes: Int64 = 0
    package var responseHeaderBytes: Int64 = 0
    /// The body as it came over the wire, and after it was decompressed.
    package var responseBodyBytes: Int64 = 0
    package var decodedResponseBodyBytes: Int64 = 0

    package var localAddress: String?
    package var localPort: Int?
    package var remoteAddress: String?
    package var remotePort: Int?

    /// The two bytes that stand for the version and the cipher suite in the TLS handshake.
    package var tlsVersion: UInt16?
    package var tlsCipherSuite: UInt16?

    package init(request: URLRequest, start: Date) {
      self.request = request
      self.start = start
    }

    /// The moment at an offset.
    func date(at offset: Double?) -> Date? { offset.map { start.addingTimeInterval($0) } }
  }
#endif
