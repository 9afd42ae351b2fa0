#if !canImport(Darwin)
import Foundation

/// The metrics of one request and its response.
// Invariant for @unchecked: the record is an immutable Sendable value.
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
  private let record: TransactionRecord

  package init(_ record: TransactionRecord) { self.record = record }

  /// The request.
  open var request: URLRequest { record.request }

  /// The response; `nil` if there was none.
  open var response: URLResponse? { record.response }

  /// The time when the task started to fetch.
  open var fetchStartDate: Date? { record.start }

  /// The time when the host name lookup started; `nil` on a reused connection.
  open var domainLookupStartDate: Date? { record.date(at: record.nameLookupStart) }

  /// The time when the host name lookup ended.
  open var domainLookupEndDate: Date? { record.date(at: record.nameLookupEnd) }

  /// The time when connecting started; `nil` on a reused connection.
  open var connectStartDate: Date? { record.date(at: record.connectStart) }

  /// The time when the TLS handshake started; `nil` without TLS.
  open var secureConnectionStartDate: Date? { record.date(at: record.tlsStart) }

  /// The time when the TLS handshake ended; `nil` without TLS.
  open var secureConnectionEndDate: Date? { record.date(at: record.tlsEnd) }

  /// The time when the connection was ready for use, including TLS.
  open var connectEndDate: Date? { record.date(at: record.connectEnd) }

  /// The time when sending the request started.
  open var requestStartDate: Date? { record.date(at: record.requestStart) }

  /// The time when the last byte of the request had been sent.
  open var requestEndDate: Date? { record.date(at: record.requestEnd) }

  /// The time when the first byte of the response arrived.
  open var responseStartDate: Date? { record.date(at: record.responseStart) }

  /// The time when the last byte of the response arrived.
  open var responseEndDate: Date? { record.date(at: record.responseEnd) }

  /// The protocol's ALPN name: `http/1.1`, `h2` or `h3`.
  open var networkProtocolName: String? { record.networkProtocolName }

  /// Whether the connection went through a proxy.
  open var isProxyConnection: Bool { record.isProxyConnection }

  /// Whether the connection was already open; `false` if there was no connection.
  open var isReusedConnection: Bool { record.isReusedConnection }

  /// The source of the resource.
  open var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType { record.resourceFetchType }

  /// The number of bytes of the request line and header.
  open var countOfRequestHeaderBytesSent: Int64 { record.requestHeaderBytes }

  /// The number of bytes of the request body that were sent.
  open var countOfRequestBodyBytesSent: Int64 { record.requestBodyBytes }

  /// The number of bytes of the request body before encoding. Bodies are sent without encoding.
  open var countOfRequestBodyBytesBeforeEncoding: Int64 { record.requestBodyBytes }

  /// The number of bytes of the status line and header.
  open var countOfResponseHeaderBytesReceived: Int64 { record.responseHeaderBytes }

  /// The number of bytes of the response body on the wire.
  open var countOfResponseBodyBytesReceived: Int64 { record.responseBodyBytes }

  /// The number of bytes of the response body after decompression.
  open var countOfResponseBodyBytesAfterDecoding: Int64 { record.decodedResponseBodyBytes }

  /// The local address of the connection; `nil` if there was no connection, for example because it was refused.
  open var localAddress: String? { record.localAddress }

  /// The local port of the connection; `nil` if there was no connection.
  open var localPort: Int? { record.localPort }

  /// The remote address of the connection; with a proxy, the proxy's address. `nil` if there was no connection.
  open var remoteAddress: String? { record.remoteAddress }

  /// The remote port of the connection; `nil` if there was no connection.
  open var remotePort: Int? { record.remotePort }

  /// The TLS version; `nil` without TLS or if it is unknown.
  open var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
    record.tlsVersion.flatMap { tls_protocol_version_t(rawValue: $0) }
  }

  /// The cipher suite; `nil` without TLS or if it is unknown.
  open var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
    record.tlsCipherSuite.map { tls_ciphersuite_t(rawValue: $0) }
  }

  /// Whether the connection used a mobile network. Always `false`, because this platform does not report it.
  open var isCellular: Bool { false }

  /// Whether the connection was expensive. Always `false`, because this platform does not report it.
  open var isExpensive: Bool { false }

  /// Whether the connection used low-data mode. Always `false`, because this platform does not report it.
  open var isConstrained: Bool { false }

  /// Whether the connection used several network paths. Always `false`, because Multipath TCP is not used.
  open var isMultipath: Bool { false }

  /// The protocol that resolved the host name. Always `.unknown`, because the system's resolver does not report it.
  open var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }

  /// The transaction in one line, for logs, without the secrets in the URL.
  open override var description: String {
    let url = record.request.url.map(Redaction.text(of:)) ?? "no URL"
    let status = record.response.map { String($0.statusCode) } ?? "no response"
    let end = record.responseEnd.map { String(format: "%.6f s", $0) } ?? "not finished"
    return "\(record.request.httpMethod ?? "GET") \(url): \(status), \(networkProtocolName ?? "-"), \(end)"
  }
}
#endif
