#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

struct MetricsTests {
  private let start = Date(timeIntervalSince1970: 1_000_000)

  private func record(url: String = "https://dogs.example/a") -> TransactionRecord {
    TransactionRecord(request: URLRequest(url: URL(string: url)!), start: start)
  }

  @Test func everyMeasuredMomentBecomesADate() {
    var record = record()
    record.nameLookupStart = 0.25
    record.nameLookupEnd = 0.5
    record.connectStart = 0.5
    record.tlsStart = 0.75
    record.tlsEnd = 1
    record.connectEnd = 1
    record.requestStart = 1.25
    record.requestEnd = 1.5
    record.responseStart = 2
    record.responseEnd = 3
    let metrics = URLSessionTaskTransactionMetrics(record)
    func at(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }
    #expect(metrics.fetchStartDate == at(0))
    #expect(metrics.domainLookupStartDate == at(0.25))
    #expect(metrics.domainLookupEndDate == at(0.5))
    #expect(metrics.connectStartDate == at(0.5))
    #expect(metrics.secureConnectionStartDate == at(0.75))
    #expect(metrics.secureConnectionEndDate == at(1))
    #expect(metrics.connectEndDate == at(1))
    #expect(metrics.requestStartDate == at(1.25))
    #expect(metrics.requestEndDate == at(1.5))
    #expect(metrics.responseStartDate == at(2))
    #expect(metrics.responseEndDate == at(3))
  }

  @Test func `a phase that did not happen has no date`() {
    let metrics = URLSessionTaskTransactionMetrics(record())
    #expect(metrics.domainLookupStartDate == nil)
    #expect(metrics.connectStartDate == nil)
    #expect(metrics.secureConnectionStartDate == nil)
    #expect(metrics.responseEndDate == nil)
    #expect(metrics.response == nil)
    #expect(metrics.resourceFetchType == .unknown)
    #expect(metrics.negotiatedTLSProtocolVersion == nil)
    #expect(metrics.negotiatedTLSCipherSuite == nil)
    #expect(metrics.domainResolutionProtocol == .unknown)
  }

  @Test func `counts, addresses and protocols are copied from the record`() {
    var record = record()
    record.networkProtocolName = "h2"
    record.isReusedConnection = true
    record.isProxyConnection = true
    record.resourceFetchType = .networkLoad
    record.requestHeaderBytes = 1
    record.requestBodyBytes = 2
    record.responseHeaderBytes = 3
    record.responseBodyBytes = 4
    record.decodedResponseBodyBytes = 5
    record.localAddress = "127.0.0.1"
    record.localPort = 6
    record.remoteAddress = "::1"
    record.remotePort = 7
    record.tlsVersion = 0x0304
    record.tlsCipherSuite = 0x1301
    let metrics = URLSessionTaskTransactionMetrics(record)
    #expect(metrics.networkProtocolName == "h2")
    #expect(metrics.isReusedConnection && metrics.isProxyConnection)
    #expect(metrics.resourceFetchType == .networkLoad)
    #expect(metrics.countOfRequestHeaderBytesSent == 1)
    #expect(metrics.countOfRequestBodyBytesSent == 2)
    #expect(metrics.countOfRequestBodyBytesBeforeEncoding == 2)
    #expect(metrics.countOfResponseHeaderBytesReceived == 3)
    #expect(metrics.countOfResponseBodyBytesReceived == 4)
    #expect(metrics.countOfResponseBodyBytesAfterDecoding == 5)
    #expect(metrics.localAddress == "127.0.0.1" && metrics.localPort == 6)
    #expect(metrics.remoteAddress == "::1" && metrics.remotePort == 7)
    #expect(metrics.negotiatedTLSProtocolVersion == .TLSv13)
    #expect(metrics.negotiatedTLSCipherSuite == .AES_128_GCM_SHA256)
  }

  @Test func `an unknown TLS version is nil`() {
    var record = record()
    record.tlsVersion = 0x0300
    record.tlsCipherSuite = 0xFFFF
    let metrics = URLSessionTaskTransactionMetrics(record)
    #expect(metrics.negotiatedTLSProtocolVersion == nil)
    #expect(metrics.negotiatedTLSCipherSuite?.rawValue == 0xFFFF)
  }

  @Test func aTasksMetricsListItsTransactionsInOrder() {
    let metrics = URLSessionTaskMetrics(
      taskInterval: DateInterval(start: start, duration: 2), redirectCount: 1,
      transactions: [record(url: "https://a.example/"), record(url: "https://b.example/")])
    #expect(metrics.redirectCount == 1)
    #expect(metrics.taskInterval.duration == 2)
    #expect(metrics.transactionMetrics.map { $0.request.url?.host } == ["a.example", "b.example"])
  }

  @Test func theDescriptionShowsNoSecretOfTheURL() {
    let metrics = URLSessionTaskMetrics(
      taskInterval: DateInterval(start: start, duration: 2), redirectCount: 0,
      transactions: [record(url: "https://alice:wonder@dogs.example/a?access_token=hush&size=2")])
    let text = metrics.description
    #expect(!text.contains("wonder") && !text.contains("alice") && !text.contains("hush"))
    #expect(text.contains("dogs.example/a") && text.contains("size=2"))
  }
}
#endif
