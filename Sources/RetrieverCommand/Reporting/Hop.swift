import Foundation
import Retriever

/// One request and its response, as `inspect` shows it.
package struct Hop: Encodable, Sendable, Equatable {
  package struct Phase: Encodable, Sendable, Equatable {
    package var name: String
    /// The seconds since the hop began.
    package var start: Double
    package var end: Double

    package init(_ name: String, start: Double, end: Double) {
      self.name = name
      self.start = start
      self.end = max(start, end)
    }
  }

  package struct Field: Encodable, Sendable, Equatable {
    package var name: String
    package var value: String
  }

  package var method: String
  package var url: String
  package var status: Int?
  package var reason: String?
  package var networkProtocol: String?
  package var localAddress: String?
  package var remoteAddress: String?
  package var isReusedConnection: Bool
  package var tlsVersion: String?
  package var tlsCipherSuite: String?
  package var headerBytes: Int64
  package var bodyBytes: Int64
  package var decodedBodyBytes: Int64
  package var phases: [Phase]
  package var fields: [Field]

  package init(
    method: String, url: String, status: Int?, reason: String?, phases: [Phase], fields: [Field] = []
  ) {
    self.method = method
    self.url = url
    self.status = status
    self.reason = reason
    self.phases = phases
    self.fields = fields
    isReusedConnection = false
    headerBytes = 0
    bodyBytes = 0
    decodedBodyBytes = 0
  }

  init(_ metrics: URLSessionTaskTransactionMetrics) {
    let response = metrics.response as? HTTPURLResponse
    self.init(
      method: metrics.request.httpMethod ?? "GET", url: metrics.request.url?.shown ?? "",
      status: response?.statusCode,
      reason: response.map { Conversation.phrase($0.statusCode) },
      phases: Self.phases(metrics),
      fields: response.map { Conversation.fields(of: $0).map { Field(name: $0.name, value: $0.value) } } ?? []
    )
    networkProtocol = metrics.networkProtocolName.map { _ in Conversation.protocolName(metrics) }
    localAddress = Conversation.localAddress(of: metrics)
    remoteAddress = Conversation.remoteAddress(of: metrics)
    isReusedConnection = metrics.isReusedConnection
    tlsVersion = metrics.negotiatedTLSProtocolVersion.map { "\($0)" }
    tlsCipherSuite = metrics.negotiatedTLSCipherSuite.map { String(format: "0x%04X", Int($0.rawValue)) }
    headerBytes = metrics.countOfResponseHeaderBytesReceived
    bodyBytes = metrics.countOfResponseBodyBytesReceived
    decodedBodyBytes = metrics.countOfResponseBodyBytesAfterDecoding
  }

  private static func phases(_ metrics: URLSessionTaskTransactionMetrics) -> [Phase] {
    guard let origin = metrics.fetchStartDate else { return [] }
    func phase(_ name: String, _ start: Date?, _ end: Date?) -> Phase? {
      guard let start, let end else { return nil }
      return Phase(
        name, start: max(0, start.timeIntervalSince(origin)), end: max(0, end.timeIntervalSince(origin)))
    }
    // The connect phase ends where TLS begins.
    let connected = metrics.secureConnectionStartDate ?? metrics.connectEndDate
    return [
      phase("name look-up", metrics.domainLookupStartDate, metrics.domainLookupEndDate),
      phase("connect", metrics.connectStartDate, connected),
      phase("TLS", metrics.secureConnectionStartDate, metrics.secureConnectionEndDate),
      phase("request", metrics.requestStartDate, metrics.requestEndDate),
      phase("wait", metrics.requestEndDate ?? metrics.requestStartDate, metrics.responseStartDate),
      phase("receive", metrics.responseStartDate, metrics.responseEndDate),
    ].compactMap { $0 }
  }
}
