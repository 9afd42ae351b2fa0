#if !canImport(Darwin)
import Foundation

/// The policies, limits, stores and defaults of a session.
///
/// A session copies its configuration when it is created, so later changes to the original have no effect. To change
/// a running program's behaviour, create a new session.
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
  // Unchecked because the properties are variables, as Apple's are. The invariant: a session reads only its own copy
  // of a configuration, which nobody else can change.

  /// A configuration with the process's shared stores for cookies and credentials.
  ///
  /// Each access returns a new object.
  open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }

  /// A configuration with its own stores, which are released with the session.
  open class var ephemeral: URLSessionConfiguration {
    let configuration = URLSessionConfiguration()
    configuration.httpCookieStorage = HTTPCookieStorage()
    configuration.urlCredentialStorage = URLCredentialStorage()
    configuration.urlCache = URLCache(memoryCapacity: URLCache.defaultMemoryCapacity, diskCapacity: 0)
    return configuration
  }

  /// A configuration for a background session, whose downloads and uploads continue in the program's next run.
  ///
  /// The transfers run inside the program: nothing is sent or received while it does not run. Its next run creates a
  /// session with the same identifier and gets the tasks that were not over. See <doc:BackgroundSessions>.
  ///
  /// - Parameter identifier: the name of the session. Any text that is not empty; only one session at a time, of all
  ///   processes of a program, can use it.
  open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration()
    configuration.backgroundIdentifier = identifier
    configuration.urlCache = nil
    return configuration
  }

  /// The name of a background session; nil for other sessions.
  open var identifier: String? { backgroundIdentifier }

  private var backgroundIdentifier: String?

  // MARK: Policies

  /// The cache policy for requests whose own policy is the default.
  open var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy

  /// The number of seconds that a request may go without progress; the default is 60. A request with a different
  /// ``URLRequest/timeoutInterval`` uses its own.
  ///
  /// The timer starts when the session starts the request, and starts again with every byte. It does not run while
  /// the request waits for other loads of the session, as ``httpMaximumConnectionsPerHost`` may require. Looking up
  /// the host and connecting count. With zero, every request fails immediately with `URLError.timedOut`.
  open var timeoutIntervalForRequest: TimeInterval = 60

  /// The number of seconds that a complete load may take; the default is a week.
  ///
  /// This includes waiting for other loads of the session, redirects, challenges, and the time in which nobody reads
  /// a stream.
  open var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60

  /// The purpose of the traffic. Kept for source compatibility.
  open var networkServiceType = URLRequest.NetworkServiceType.default

  /// Whether mobile networks may be used. Kept for source compatibility, because Linux does not report which networks
  /// are mobile.
  open var allowsCellularAccess = true

  /// Whether expensive networks may be used. Kept for source compatibility.
  open var allowsExpensiveNetworkAccess = true

  /// Whether networks in low-data mode may be used. Kept for source compatibility.
  open var allowsConstrainedNetworkAccess = true

  /// Whether a load that cannot connect waits for a network instead of failing (default: false). Background sessions
  /// always wait.
  ///
  /// A load waits if the machine has no network, or if the network does not reach the server: its name cannot be looked
  /// up, and there is no default route over an interface with a carrier. A server that refuses the connection, and a
  /// connection that is lost later, still fail the load. The delegate is informed once
  /// (``URLSessionTaskDelegate/urlSession(_:taskIsWaitingForConnectivity:)``). The load is tried again when the kernel
  /// reports a change of the links, addresses or routes, and at least once a minute. It waits for at most
  /// ``timeoutIntervalForResource``; ``timeoutIntervalForRequest`` does not count while it waits.
  ///
  /// In a container that hides the networks, the load is tried again after 1, 2, 4 and more seconds, up to a minute.
  open var waitsForConnectivity = false

  /// Whether the system may choose the time of a transfer. Kept for source compatibility.
  open var isDiscretionary = false

  /// Subclasses of `URLProtocol` that load requests instead of the network. The first one that accepts a request loads
  /// it.
  ///
  /// The default contains the library's own classes for `data:` and `file:` URLs, which are also used if the program
  /// removes them.
  open var protocolClasses: [AnyClass]? = BuiltInProtocols.all

  /// The group container for background transfers. Kept for source compatibility; see ``backgroundDirectory``.
  open var sharedContainerIdentifier: String?

  /// Whether the program is started when the tasks of a background session end. Kept for source compatibility: Linux has
  /// no service that starts it.
  open var sessionSendsLaunchEvents = true

  /// Whether to keep idle connections when the program is in the background. Kept for source compatibility: Linux does
  /// not move programs to the background.
  open var shouldUseExtendedBackgroundIdleMode = false

  // MARK: HTTP

  /// Header fields added to each request that does not set them itself.
  ///
  /// Only fields that are known to be harmless, such as `Accept-Language`, follow a redirect to another origin.
  open var httpAdditionalHeaders: [AnyHashable: Any]?

  /// The maximum number of connections to one host; the default is 6. Over HTTP/2, requests share a connection.
  ///
  /// Requests that exceed the limit wait in the session, in the order of their tasks' ``URLSessionTask/priority``.
  open var httpMaximumConnectionsPerHost = 6

  /// Whether to use HTTP/1.1 pipelining. Kept for source compatibility; pipelining is never used.
  open var httpShouldUsePipelining = false

  /// Whether cookies from the store are sent.
  open var httpShouldSetCookies = true

  /// Which cookies the store accepts.
  open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain

  /// The cookie store; nil to use no cookies.
  open var httpCookieStorage: HTTPCookieStorage? {
    get { cookies.store ?? (cookies.isShared ? .shared : nil) }
    set { cookies = Choice(store: newValue) }
  }

  /// The credential store; nil to use none.
  open var urlCredentialStorage: URLCredentialStorage? {
    get { credentials.store ?? (credentials.isShared ? .shared : nil) }
    set { credentials = Choice(store: newValue) }
  }

  /// The cache of responses; nil to store none.
  ///
  /// The default configuration uses ``URLCache/shared``. An ephemeral one has its own cache in memory.
  open var urlCache: URLCache? {
    get { cache.store ?? (cache.isShared ? .shared : nil) }
    set { cache = Choice(store: newValue) }
  }

  // MARK: Proxies

  /// The proxies of the session; nil for those in the environment (`http_proxy`, `https_proxy`, `all_proxy` and
  /// `no_proxy`). An empty dictionary means no proxies.
  ///
  /// The keys are the values of Apple's `kCFNetworkProxies…` constants:
  ///
  /// - `"HTTPEnable"`, `"HTTPProxy"`, `"HTTPPort"`: an HTTP proxy for `http` URLs.
  /// - `"HTTPSEnable"`, `"HTTPSProxy"`, `"HTTPSPort"`: an HTTP proxy that opens tunnels for `https` URLs.
  /// - `"SOCKSEnable"`, `"SOCKSProxy"`, `"SOCKSPort"`: a SOCKS 5 proxy for the schemes without an HTTP proxy. It looks
  ///   up the names of servers. `"kCFStreamPropertySOCKSVersion": "kCFStreamSocketSOCKSVersion4"` selects SOCKS 4a.
  /// - `"kCFProxyUsernameKey"`, `"kCFProxyPasswordKey"`: the name and password for all of these;
  ///   `"kCFStreamPropertySOCKSUser"` and `"kCFStreamPropertySOCKSPassword"` for SOCKS only.
  /// - `"ExceptionsList"`: servers that are reached directly. An entry is a name, in which `*` stands for any text, an
  ///   address, or a range such as `"10.0.0.0/8"`.
  /// - `"ExcludeSimpleHostnames"`: whether names without a dot are reached directly.
  ///
  /// A proxy is used if its `Enable` value is true. If its host is missing or invalid, loads fail with
  /// `URLError.cannotConnectToHost`. The host may also be a URL, such as `"https://proxy.example"` for a proxy that is
  /// itself reached with TLS. Scripts that choose a proxy (`"ProxyAutoConfig…"`) are not supported and ignored.
  ///
  /// An HTTP proxy gets a name and password only after it asks for them. Those in this dictionary come first, then those
  /// in ``urlCredentialStorage``, then the delegate's. A session with an ``addressPolicy`` or a ``unixSocketPath`` uses
  /// no proxy.
  open var connectionProxyDictionary: [AnyHashable: Any]?

  // MARK: TLS

  /// The minimum TLS version.
  open var tlsMinimumSupportedProtocolVersion = tls_protocol_version_t.TLSv12

  /// The maximum TLS version.
  open var tlsMaximumSupportedProtocolVersion = tls_protocol_version_t.TLSv13

  // MARK: Beyond Apple

  /// Whether ``HTTPCookieStorage/shared`` and ``URLCredentialStorage/shared`` outlive the process (default: true).
  /// *Beyond Apple's API.*
  ///
  /// Set it to false at the start of a program that must not write to its user's directory, such as a server. The
  /// storages are then in memory only. The environment variable `RETRIEVER_PERSISTENCE=none` has the same effect.
  public static var keepsSharedStorages: Bool {
    get { SharedStores.areKept }
    set { SharedStores.areKept = newValue }
  }

  /// The directory in which background sessions store their tasks and downloads; nil for `retriever/background` in the
  /// program's directory in `$XDG_DATA_HOME` (default: `~/.local/share`). *Beyond Apple's API.*
  ///
  /// Each session creates a directory in it that only the user may access. Use a file system with room for the downloads,
  /// on which `flock` locks files for all processes.
  open var backgroundDirectory: URL?

  /// The certificate authorities that the session trusts. *Beyond Apple's API.*
  open var trustedCertificates = TrustedCertificates.system

  /// The hosts whose servers must have certain keys or certificates, besides being valid. *Beyond Apple's API.*
  ///
  /// A load from such a host fails with `URLError.serverCertificateUntrusted` if the server has none of the host's pins,
  /// before the request is sent. Neither a delegate nor ``TrustedCertificates/unverified`` can change this. A proxy that is
  /// reached with TLS also needs one of the pins of its own host.
  open var pinnedHosts: [PinnedHost] = []

  /// Whether delegates that have a method for challenges decide about servers and client certificates (default: true).
  /// *Beyond Apple's API.*
  ///
  /// With false, delegates get only the challenges of HTTP. This saves one handshake for each server.
  open var asksDelegatesAboutServers = true

  /// The client certificates that are presented to servers that ask for one. *Beyond Apple's API.*
  ///
  /// A key is a host name or an address, with an optional port (`"example.com"`, `"example.com:8443"`, `"*.example.com"`;
  /// see ``HostPattern``). An exact name has precedence over a star. For a host without an entry, the delegates are
  /// asked, unless it is a proxy that is reached with TLS.
  open var clientIdentities: [String: ClientIdentity] = [:]

  /// A Unix-domain socket to connect to instead of the URL's host. *Beyond Apple's API.*
  open var unixSocketPath: String?

  /// The maximum length of a body that `data(for:)` and the data handlers collect in memory, after decoding; nil for
  /// no limit (default: 2 GiB).
  ///
  /// A longer body makes the load fail with `URLError.dataLengthExceedsMaximum`. Streams and downloads are not
  /// limited, because they use only a small buffer. *Beyond Apple's API.*
  open var maximumBufferedBodySize: Int64? = 2 << 30

  /// The hosts and addresses that the session may connect to, checked for each request, redirect and connection.
  /// *Beyond Apple's API.*
  open var addressPolicy = AddressPolicy.unrestricted

  /// Whether WebSocket tasks offer to compress messages with `permessage-deflate` (default: true). *Beyond Apple's
  /// API.*
  ///
  /// Compression takes about 300 KiB of memory for each connection that uses it. Turn it off if messages contain both
  /// secrets and text that others choose: the length of a compressed message can reveal secrets.
  open var compressesWebSocketMessages = true

  /// What moves the bytes of a session's loads. *Beyond Apple's API.*
  public enum Transport: Sendable, Hashable {
    /// libcurl, which has every feature.
    case libcurl
    /// A transport of Retriever's own, on epoll, OpenSSL and nghttp2. It needs less time for each load.
    ///
    /// Loads that it cannot carry use libcurl: those with a proxy, a Unix-domain socket, HTTP/3, pins, client certificates
    /// or a delegate that decides about servers, those that wait for `100 Continue`, and WebSocket and stream tasks. If
    /// libcurl does not use OpenSSL and nghttp2, all loads use libcurl.
    case own
  }

  /// What moves the bytes of the session's loads (default: ``Transport/libcurl``). *Beyond Apple's API.*
  open var transport = Transport.libcurl

  /// What a class in ``protocolClasses`` knows about the sessions of this configuration, for `RetrieverTesting`.
  package var protocolContext: (any Sendable)?

  /// The time of day, which tests replace.
  var wallClock = WallClock.system

  /// Whether loads may use HTTP/3, which the package trait of this name decides. Tests replace it.
  #if HTTP3
  var usesHTTP3 = true
  #else
  var usesHTTP3 = false
  #endif

  /// Whether idle connections of HTTP/3 are used again, which tests replace.
  var reusesHTTP3Connections = true

  /// Where the session learns about networks, which tests replace.
  var networks = NetworkSource.system

  /// A store of the session.
  private struct Choice<Store> {
    /// Whether it is the shared store. That one is opened when it is used, so that ephemeral sessions do not read its file.
    var isShared = false
    var store: Store?
  }

  private var cookies = Choice<HTTPCookieStorage>(isShared: true)
  private var credentials = Choice<URLCredentialStorage>(isShared: true)
  private var cache = Choice<URLCache>(isShared: true)

  /// Creates a configuration with the default values.
  public override init() {}

  /// A copy that shares the stores with the original.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = URLSessionConfiguration()
    copy.backgroundIdentifier = backgroundIdentifier
    copy.backgroundDirectory = backgroundDirectory
    copy.sharedContainerIdentifier = sharedContainerIdentifier
    copy.sessionSendsLaunchEvents = sessionSendsLaunchEvents
    copy.requestCachePolicy = requestCachePolicy
    copy.urlCache = urlCache
    copy.timeoutIntervalForRequest = timeoutIntervalForRequest
    copy.timeoutIntervalForResource = timeoutIntervalForResource
    copy.networkServiceType = networkServiceType
    copy.allowsCellularAccess = allowsCellularAccess
    copy.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
    copy.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
    copy.waitsForConnectivity = waitsForConnectivity
    copy.isDiscretionary = isDiscretionary
    copy.protocolClasses = protocolClasses
    copy.shouldUseExtendedBackgroundIdleMode = shouldUseExtendedBackgroundIdleMode
    copy.httpAdditionalHeaders = httpAdditionalHeaders
    copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
    copy.httpShouldUsePipelining = httpShouldUsePipelining
    copy.httpShouldSetCookies = httpShouldSetCookies
    copy.httpCookieAcceptPolicy = httpCookieAcceptPolicy
    copy.httpCookieStorage = httpCookieStorage
    copy.urlCredentialStorage = urlCredentialStorage
    copy.connectionProxyDictionary = connectionProxyDictionary
    copy.tlsMinimumSupportedProtocolVersion = tlsMinimumSupportedProtocolVersion
    copy.tlsMaximumSupportedProtocolVersion = tlsMaximumSupportedProtocolVersion
    copy.trustedCertificates = trustedCertificates
    copy.pinnedHosts = pinnedHosts
    copy.asksDelegatesAboutServers = asksDelegatesAboutServers
    copy.clientIdentities = clientIdentities
    copy.unixSocketPath = unixSocketPath
    copy.maximumBufferedBodySize = maximumBufferedBodySize
    copy.addressPolicy = addressPolicy
    copy.compressesWebSocketMessages = compressesWebSocketMessages
    copy.transport = transport
    copy.protocolContext = protocolContext
    copy.wallClock = wallClock
    copy.networks = networks
    copy.usesHTTP3 = usesHTTP3
    copy.reusesHTTP3Connections = reusesHTTP3Connections
    return copy
  }

  var snapshot: URLSessionConfiguration { copy() as? URLSessionConfiguration ?? URLSessionConfiguration() }
}

extension URLSessionConfiguration: NSCopying {}
#endif
