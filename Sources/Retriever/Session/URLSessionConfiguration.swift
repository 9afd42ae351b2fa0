#if !canImport(Darwin)
  import Foundation

  /// How a session behaves: its policies, limits, stores and defaults.
  ///
  /// A session copies its configuration when it is made; changing the original afterwards has no effect on it. To
  /// change a running program's behaviour, make a new session.
  open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    // Unchecked because the properties are variables, as Apple's are. The invariant: a session never reads a
    // configuration that anybody else can change, it takes a copy before it starts.

    /// A configuration with the process's shared stores for cookies and credentials.
    ///
    /// Each access gives a new object.
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }

    /// A configuration that keeps everything in stores of its own, which vanish with the session.
    open class var ephemeral: URLSessionConfiguration {
      let configuration = URLSessionConfiguration()
      configuration.httpCookieStorage = HTTPCookieStorage()
      configuration.urlCredentialStorage = URLCredentialStorage()
      return configuration
    }

    /// The name of a background session; always nil: on Linux no system service goes on with a program's transfers.
    open var identifier: String? { nil }

    // MARK: Policies

    /// The cache policy for requests that leave theirs at the default. Kept for source compatibility: nothing is cached.
    open var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy

    /// The number of seconds that a request may go without progress; the default is 60. A request with a different
    /// ``URLRequest/timeoutInterval`` uses its own.
    ///
    /// The timer starts when the session starts the request, and starts again with every byte. It does not run while the
    /// request waits for other loads of the session, as ``httpMaximumConnectionsPerHost`` may require. Looking up the
    /// host and connecting count. With zero, every request fails immediately with `URLError.timedOut`.
    open var timeoutIntervalForRequest: TimeInterval = 60

    /// The number of seconds that a complete load may take; the default is a week.
    ///
    /// Everything counts: waiting for other loads of the session, redirects, challenges, and the time in which nobody
    /// reads a stream.
    open var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60

    /// What the traffic is for. Kept for source compatibility.
    open var networkServiceType = URLRequest.NetworkServiceType.default

    /// Whether mobile networks may be used. Kept for source compatibility: Linux does not say which ones are.
    open var allowsCellularAccess = true

    /// Whether expensive networks may be used. Kept for source compatibility.
    open var allowsExpensiveNetworkAccess = true

    /// Whether networks in low-data mode may be used. Kept for source compatibility.
    open var allowsConstrainedNetworkAccess = true

    /// Whether to wait for a network rather than fail. Kept for source compatibility; loads fail at once.
    open var waitsForConnectivity = false

    /// Whether the system may choose the time. Kept for source compatibility.
    open var isDiscretionary = false

    // MARK: HTTP

    /// Header fields added to each request that does not set them itself.
    ///
    /// Only fields that are known to be harmless, such as `Accept-Language`, follow a redirect to another origin.
    open var httpAdditionalHeaders: [AnyHashable: Any]?

    /// The maximum number of connections to one host; the default is 6. Over HTTP/2, requests share a connection.
    ///
    /// Requests beyond that wait in the session, in the order of their tasks' ``URLSessionTask/priority``.
    open var httpMaximumConnectionsPerHost = 6

    /// Whether HTTP/1.1 pipelining is wanted. Kept for source compatibility: it is never used.
    open var httpShouldUsePipelining = false

    /// Whether cookies from the store are sent.
    open var httpShouldSetCookies = true

    /// Which cookies the store takes.
    open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain

    /// Where cookies are kept; nil for none at all.
    open var httpCookieStorage: HTTPCookieStorage? = HTTPCookieStorage.shared

    /// Where credentials are looked up; nil for none at all.
    open var urlCredentialStorage: URLCredentialStorage? = URLCredentialStorage.shared

    // MARK: TLS

    /// The oldest TLS version to accept.
    open var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv12

    /// The newest TLS version to offer.
    open var tlsMaximumSupportedProtocolVersion = tls_protocol_version_t.TLSv13

    // MARK: Beyond Apple

    /// Which authorities the session trusts. *Beyond Apple's API.*
    open var trustedCertificates = TrustedCertificates.system

    /// A Unix-domain socket to connect to instead of the URL's host. *Beyond Apple's API.*
    open var unixSocketPath: String?

    /// The longest body that `data(for:)` and the data handlers collect in memory, after decoding; nil for no limit.
    ///
    /// A longer one ends the load with `URLError.dataLengthExceedsMaximum`. Streams and downloads are not limited:
    /// they hold no more than a small buffer. *Beyond Apple's API.*
    open var maximumBufferedBodySize: Int64? = 2 << 30

    /// Which hosts and addresses the session may reach, checked for each request, redirect and connection.
    /// *Beyond Apple's API.*
    open var addressPolicy = AddressPolicy.unrestricted

    /// Creates a configuration with the default values.
    public override init() {}

    /// A copy that shares the stores with the original.
    open func copy(with zone: NSZone? = nil) -> Any {
      let copy = URLSessionConfiguration()
      copy.requestCachePolicy = requestCachePolicy
      copy.timeoutIntervalForRequest = timeoutIntervalForRequest
      copy.timeoutIntervalForResource = timeoutIntervalForResource
      copy.networkServiceType = networkServiceType
      copy.allowsCellularAccess = allowsCellularAccess
      copy.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
      copy.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
      copy.waitsForConnectivity = waitsForConnectivity
      copy.isDiscretionary = isDiscretionary
      copy.httpAdditionalHeaders = httpAdditionalHeaders
      copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
      copy.httpShouldUsePipelining = httpShouldUsePipelining
      copy.httpShouldSetCookies = httpShouldSetCookies
      copy.httpCookieAcceptPolicy = httpCookieAcceptPolicy
      copy.httpCookieStorage = httpCookieStorage
      copy.urlCredentialStorage = urlCredentialStorage
      copy.tlsMinimumSupportedProtocolVersion = tlsMinimumSupportedProtocolVersion
      copy.tlsMaximumSupportedProtocolVersion = tlsMaximumSupportedProtocolVersion
      copy.trustedCertificates = trustedCertificates
      copy.unixSocketPath = unixSocketPath
      copy.maximumBufferedBodySize = maximumBufferedBodySize
      copy.addressPolicy = addressPolicy
      return copy
    }

    var snapshot: URLSessionConfiguration { copy() as? URLSessionConfiguration ?? URLSessionConfiguration() }
  }

  extension URLSessionConfiguration: NSCopying {}

  /// Which authorities a session trusts to vouch for a server. *Beyond Apple's API.*
  public enum TrustedCertificates: Sendable, Hashable {
    /// The system's own list.
    case system
    /// The certificates in a PEM file, and no others.
    case file(URL)
    /// These PEM certificates, and no others.
    case pem(Data)
    /// Anybody: no certificate is looked at, neither who signed it nor for whom nor until when.
    ///
    /// The connection is encrypted, but nobody knows to whom: whoever sits in between can read and change everything,
    /// passwords too. For diagnosis on a network of your own, never for a program that others use.
    case unverified
  }
#endif
