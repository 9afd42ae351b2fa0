#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct HandshakeCountTests {
  /// Implements no method that decides about servers. Only this test uses the type.
  private final class Watcher: NSObject, URLSessionTaskDelegate {}

  @Test func `a session without a delegate makes one handshake for its connection`() async throws {
    let server = try SecureServer()
    let session = try URLSession.trustingTestAuthority()
    for _ in 0..<5 { #expect(try await session.text(from: server.url) == "hello") }
    #expect(try server.report.accepted == 1)
    #expect(session.delegateClients.count == 0)
  }

  @Test func `pins and client certificates of the configuration need no additional handshake`() async throws {
    let server = try SecureServer(clients: .required)
    let identity = try ClientIdentity(pem: TestAuthority.shared().identity(.ada))
    let session = try URLSession.trustingTestAuthority {
      $0.clientIdentities = ["localhost": identity]
      $0.pinnedHosts = [PinnedHost("localhost", pins: (try? [.publicKey(of: .ofTest(.valid))]) ?? [])]
    }
    for _ in 0..<3 { #expect(try await session.text(from: server.url) == "hello") }
    #expect(try server.report.accepted == 1)
    #expect(try server.report.clients == ["ada"])
  }

  @Test func `a delegate without the methods costs one handshake in a process`() async throws {
    let session = try URLSession.trustingTestAuthority()
    let (first, second) = (try SecureServer(), try SecureServer())
    #expect(try await session.text(from: first.url, delegate: Watcher()) == "hello")
    #expect(try first.report.accepted == 2)
    #expect(try await session.text(from: second.url, delegate: Watcher()) == "hello")
    #expect(try second.report.accepted == 1)
    // It uses the connections of loads without a delegate.
    #expect(try await session.text(from: second.url) == "hello")
    #expect(try second.report.accepted == 1)
  }

  @Test func `many concurrent loads cause one question and one additional handshake`() async throws {
    let server = try SecureServer()
    let delegate = SessionTrustDelegate(ChallengeLog.accepts)
    let session = try URLSession.trustingTestAuthority(delegate: delegate)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await session.text(from: server.url) } }
      for try await text in group { #expect(text == "hello") }
    }
    #expect(delegate.log.all.count == 1)
    // The question, and at most six connections.
    #expect(try server.report.accepted <= 7)
    #expect(try server.report.completed == server.report.accepted - 1)
  }

  @Test func `over HTTP/2, concurrent loads share one connection after the question`() async throws {
    let nginx = try NginxServer()
    let delegate = SessionTrustDelegate(ChallengeLog.accepts)
    let session = URLSession.forTest(delegate: delegate)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await session.data(from: nginx.http2URL()).0.count } }
      for try await count in group { #expect(count == 1024) }
    }
    #expect(delegate.log.all.count == 1)
    #expect(delegate.log.trusts.first?.error?.code == .serverCertificateHasUnknownRoot)
    let metrics = MetricsDelegate()
    // The first load finds out that this delegate does not have the methods.
    for _ in 0..<2 { _ = try await session.data(from: nginx.http2URL(), delegate: metrics) }
    #expect(delegate.log.all.count == 2)
    let transaction = try #require(metrics.metrics.last?.transactionMetrics.first)
    #expect(transaction.networkProtocolName == "h2")
    #expect(transaction.isReusedConnection)
    #expect(transaction.negotiatedTLSProtocolVersion == .TLSv12)
    #expect(transaction.negotiatedTLSCipherSuite != nil)
  }

  @Test func `the TLS versions of the configuration limit connections`() async throws {
    let server = try SecureServer(versions: .tls12)
    let delegate = TaskTrustDelegate(ChallengeLog.performsDefault)
    let modern = try URLSession.trustingTestAuthority { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 }
    #expect(
      await errorCode { _ = try await modern.text(from: server.url, delegate: delegate) }
        == .secureConnectionFailed)
    #expect(delegate.log.all.isEmpty)
    let session = try URLSession.trustingTestAuthority()
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    #expect(delegate.log.all.count == 1)
  }

  private final class MetricsDelegate: NSObject, URLSessionTaskDelegate {
    private let log = Log<URLSessionTaskMetrics>()
    var metrics: [URLSessionTaskMetrics] { log.all }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      log.add(metrics)
    }
  }
}
#endif
