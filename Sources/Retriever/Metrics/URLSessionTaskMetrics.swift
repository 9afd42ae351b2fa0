#if !canImport(Darwin)
  import Foundation

  /// What was measured while a task ran: one entry for each request it took, redirects and retries included.
  ///
  /// A delegate gets it once for every task, before the task's completion.
  // Invariant behind @unchecked: every stored property is immutable and Sendable.
  open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    /// Where a resource came from.
    public enum ResourceFetchType: Int, Sendable {
      /// It is not known.
      case unknown = 0

      /// It was loaded over the network.
      case networkLoad = 1

      /// The server sent it unasked.
      case serverPush = 2

      /// It was taken from the cache.
      case localCache = 3
    }

    /// How a host name was resolved.
    public enum DomainResolutionProtocol: Int, Sendable {
      /// It is not known.
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

    /// From the moment the task was first resumed to its completion.
    public let taskInterval: DateInterval

    /// How many redirects were followed.
    public let redirectCount: Int

    /// One entry for each request, in the order in which they were made.
    public let transactionMetrics: [URLSessionTaskTransactionMetrics]

    package init(taskInterval: DateInterval, redirectCount: Int, transactions: [TransactionRecord]) {
      self.taskInterval = taskInterval
      self.redirectCount = redirectCount
      self.transactionMetrics = transactions.map { URLSessionTaskTransactionMetrics($0) }
    }

    /// The measurements in a few lines, for logs. URLs are shown without what may be secret.
    open override var description: String {
      let seconds = String(format: "%.6f", taskInterval.duration)
      let head =
        "<URLSessionTaskMetrics \(seconds) s, \(redirectCount) redirects, "
        + "\(transactionMetrics.count) transactions>"
      return ([head] + transactionMetrics.map { "  \($0)" }).joined(separator: "\n")
    }
  }
#endif
