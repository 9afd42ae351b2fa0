#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

/// The tests of HTTP/3 need a libcurl that has it, and caddy. `make test-http3` provides both.
enum HTTP3Fixture {
  static let isAvailable: Bool = {
    let has = TransferClient.supportsHTTP3 && CaddyServer.executable != nil
    // The script sets the variable: there, skipped tests would be a failure that nobody notices.
    if ProcessInfo.processInfo.environment["RETRIEVER_HTTP3"] != nil {
      precondition(has, "\(TransferClient.libraryVersion) has no HTTP/3, or caddy is missing")
    }
    return has
  }()

  /// A session that may use HTTP/3 and trusts the test authority.
  static func session(
    delegate: (any URLSessionDelegate)? = nil, _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) throws -> URLSession {
    let authority = try TestAuthority.shared().authorityFile
    return URLSession.forTest(delegate: delegate) {
      $0.usesHTTP3 = true
      $0.trustedCertificates = .file(authority)
      // Delegates that might decide about servers would prevent HTTP/3.
      $0.asksDelegatesAboutServers = false
      change($0)
    }
  }

  static func request(
    _ url: URL, method: String = "GET", body: Data? = nil, assumes: Bool = true, timeout: TimeInterval = 90
  ) -> URLRequest {
    var request = URLRequest(url: url, timeoutInterval: timeout)
    request.httpMethod = method
    request.httpBody = body
    request.assumesHTTP3Capable = assumes
    return request
  }
}

/// Collects the measurements of tasks.
final class TransactionLog: NSObject, URLSessionTaskDelegate {
  let transactions = Log<URLSessionTaskTransactionMetrics>()
  /// The protocol of each transaction.
  var protocols: [String] { transactions.all.map { $0.networkProtocolName ?? "none" } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    for transaction in metrics.transactionMetrics { transactions.add(transaction) }
  }
}

extension URLSession {
  /// Loads a request. Returns its body and the protocol that was used.
  func load(_ request: URLRequest) async throws -> (body: Data, protocolName: String) {
    let log = TransactionLog()
    let (body, response) = try await data(for: request, delegate: log)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    return (body, log.protocols.last ?? "none")
  }
}
#endif
