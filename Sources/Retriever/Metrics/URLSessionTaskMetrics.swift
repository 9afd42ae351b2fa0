#if !canImport(Darwin)
import Foundation

/// The metrics of a task, with one entry for each request that it sent, including redirects and retries.
///
/// A delegate receives them once for every task, before the task's completion.
// Invariant for @unchecked: every stored property is immutable and Sendable.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  /// The source of a resource.
  public enum ResourceFetchType: Int, Sendable {
    /// The source is unknown.
    case unknown = 0

    /// The network.
    case networkLoad = 1

    /// A server push.
    case serverPush = 2

    /// The local cache.
    case localCache = 3
  }

  /// The protocol that resolved a host name.
  public enum DomainResolutionProtocol: Int, Sendable {
    /// The protocol is unknown.
    case unknown = 0

    /// DNS over UDP.
    case udp = 1

    /// DNS over TCP.
    case tcp = 2

    /// DNS over TLS.
    case tls = 3

    /// DNS over HTTPS.
    case https = 4
  }

  /// The interval from the first call of `resume()` to the task's completion.
  public let taskInterval: DateInterval

  /// The number of redirects that were followed.
  public let redirectCount: Int

  /// The metrics of each request, in the order in which they were sent.
  public let transactionMetrics: [URLSessionTaskTransactionMetrics]

  package init(taskInterval: DateInterval, redirectCount: Int, transactions: [TransactionRecord]) {
    self.taskInterval = taskInterval
    self.redirectCount = redirectCount
    self.transactionMetrics = transactions.map { URLSessionTaskTransactionMetrics($0) }
  }

  /// The metrics in a few lines, for logs, without the secrets in URLs.
  open override var description: String {
    let seconds = String(format: "%.6f", taskInterval.duration)
    let head =
      "<URLSessionTaskMetrics \(seconds) s, \(redirectCount) redirects, "
      + "\(transactionMetrics.count) transactions>"
    return ([head] + transactionMetrics.map { "  \($0)" }).joined(separator: "\n")
  }
}
#endif
