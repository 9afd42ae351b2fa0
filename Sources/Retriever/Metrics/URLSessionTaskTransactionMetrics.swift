#if !canImport(Darwin)
  import Foundation

  /// What was measured while one request went out and its response came in.
  // Invariant behind @unchecked: the record is an immutable Sendable value.
  open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    private let record: TransactionRecord

    package init(_ record: TransactionRecord) { self.record = record }

    /// The request.
    open var request: URLRequest { record.request }

    /// The response; `nil` when there was none.
    open var response: URLResponse? { record.response }

    /// When the task began to fetch.
    open var fetchStartDate: Date? { record.start }

    /// When the look-up of the host's name began; `nil` on a connection that was open already.
    open var domainLookupStartDate: Date? { record.date(at: record.nameLookupStart) }

    /// When the look-up of the host's name ended.
    open var domainLookupEndDate: Date? { record.date(at: record.nameLookupEnd) }

    /// When connecting began; `nil` on a connection that was open already.
    open var connectStartDate: Date? { record.date(at: record.connectStart) }

    /// When the TLS handshake began; `nil` without TLS.
    open var secureConnectionStartDate: Date? { record.date(at: record.tlsStart) }

    /// When the TLS handshake ended; `nil` without TLS.
    open var secureConnectionEndDate: Date? { record.date(at: record.tlsEnd) }

    /// When the connection was ready for use, TLS included.
    open var connectEndDate: Date? { record.date(at: record.connectEnd) }

    /// When sending the request began.
    open var requestStartDate: Date? { record.date(at: record.requestStart) }

    /// When the last byte of the request had been sent.
    open var requestEndDate: Date? { record.date(at: record.requestEnd) }

    /// When the first byte of the response arrived.
    open var responseStartDate: Date? { record.date(at: record.responseStart) }

    /// When the last byte of the response arrived.
    open var responseEndDate: Date? { record.date(at: record.responseEnd) }

    /// The name of the protocol as in ALPN: `http/1.1`, `h2` or `h3`.
    open var networkProtocolName: String? { record.networkProtocolName }

    /// Whether the connection went through a proxy.
    open var isProxyConnection: Bool { record.isProxyConnection }

    /// Whether the connection had been open already; `false` where there was none.
    open var isReusedConnection: Bool { record.isReusedConnection }

    /// Where the resource came from.
    open var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType { record.resourceFetchType }

    /// How many bytes the request's line and header took.
    open var countOfRequestHeaderBytesSent: Int64 { record.requestHeaderBytes }

    /// How many bytes of the request's body were sent.
    open var countOfRequestBodyBytesSent: Int64 { record.requestBodyBytes }

    /// How many bytes the request's body had before it was encoded. Bodies are sent as they are.
    open var countOfRequestBodyBytesBeforeEncoding: Int64 { record.requestBodyBytes }

    /// How many bytes the response's line and header took.
    open var countOfResponseHeaderBytesReceived: Int64 { record.responseHeaderBytes }

    /// How many bytes of the response's body came over the wire.
    open var countOfResponseBodyBytesReceived: Int64 { record.responseBodyBytes }

    /// How many bytes the response's body had after it was decompressed.
    open var countOfResponseBodyBytesAfterDecoding: Int64 { record.decodedResponseBodyBytes }

    /// The address of this end of the connection; `nil` where none was made, as when it is refused.
    open var localAddress: String? { record.localAddress }

    /// The port of this end of the connection; `nil` where none was made.
    open var localPort: Int? { record.localPort }

    /// The address of the other end of the connection; with a proxy, the proxy's. `nil` where none was made.
    open var remoteAddress: String? { record.remoteAddress }

    /// The port of the other end of the connection; `nil` where none was made.
    open var remotePort: Int? { record.remotePort }

    /// The version of TLS; `nil` without TLS, or when it is not known.
    open var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
      record.tlsVersion.flatMap { tls_protocol_version_t(rawValue: $0) }
    }

    /// The cipher suite; `nil` without TLS, or when it is not known.
    open var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
      record.tlsCipherSuite.map { tls_ciphersuite_t(rawValue: $0) }
    }

    /// Whether the connection went over a mobile network. Not known on this platform: `false`.
    open var isCellular: Bool { false }

    /// Whether the connection was an expensive one. Not known on this platform: `false`.
    open var isExpensive: Bool { false }

    /// Whether the connection was in a mode that saves data. Not known on this platform: `false`.
    open var isConstrained: Bool { false }

    /// Whether the connection used several paths at once. Multipath TCP is not used: `false`.
    open var isMultipath: Bool { false }

    /// How the host's name was resolved. The system's resolver does not tell: `.unknown`.
    open var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }

    /// The transaction in one line, for logs. The URL is shown without what may be secret.
    open override var description: String {
      let url = record.request.url.map(Redaction.text(of:)) ?? "no URL"
      let status = record.response.map { String($0.statusCode) } ?? "no response"
      let end = record.responseEnd.map { String(format: "%.6f s", $0) } ?? "not finished"
      return "\(record.request.httpMethod ?? "GET") \(url): \(status), \(networkProtocolName ?? "-"), \(end)"
    }
  }
#endif
