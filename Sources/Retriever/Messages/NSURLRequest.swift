#if !canImport(Darwin)
import Foundation

/// The class form of ``URLRequest``, for interfaces that need an object. It is immutable.
///
/// A request converts in both directions: `request as NSURLRequest`, and `object as URLRequest`. Both forms share the
/// same storage, so converting is cheap.
open class NSURLRequest: NSObject, NSSecureCoding, NSCopying, NSMutableCopying {
  /// Whether and how the cache may answer a request.
  public enum CachePolicy: UInt, Sendable {
    /// The caching rules of HTTP for this response.
    case useProtocolCachePolicy = 0
    /// Always from the origin, never from this process's cache.
    case reloadIgnoringLocalCacheData = 1
    /// Any cached response, regardless of its age; the origin only if there is none.
    case returnCacheDataElseLoad = 2
    /// Any cached response, regardless of its age. If there is none, the load fails without using the network.
    case returnCacheDataDontLoad = 3
    /// Always from the origin, bypassing caches on the way too.
    case reloadIgnoringLocalAndRemoteCacheData = 4
    /// A cached response, but only after the origin has confirmed it.
    case reloadRevalidatingCacheData = 5

    /// The older name of ``reloadIgnoringLocalCacheData``.
    public static var reloadIgnoringCacheData: CachePolicy { .reloadIgnoringLocalCacheData }
  }

  /// The purpose of a request's traffic. Kept for source compatibility: Linux has no use for it.
  public enum NetworkServiceType: UInt, Sendable {
    /// Ordinary traffic.
    case `default` = 0
    /// Control traffic of voice calls.
    case voip = 1
    /// Video.
    case video = 2
    /// Loads that nobody is waiting for.
    case background = 3
    /// Voice.
    case voice = 4
    /// Loads that somebody is waiting for.
    case responsiveData = 6
    /// Audio and video being played as it arrives.
    case avStreaming = 8
    /// Audio and video that must respond immediately.
    case responsiveAV = 9
    /// Call setup.
    case callSignaling = 11

    /// The older name of ``callSignaling``.
    public static var networkServiceTypeCallSignaling: NetworkServiceType { .callSignaling }
  }

  /// The initiator of a request.
  public enum Attribution: UInt, Sendable {
    /// The program itself.
    case developer = 0
    /// The program's user.
    case user = 1
  }

  /// The request as a value.
  final var value: URLRequest

  /// Creates a GET request with the default cache policy and time-out.
  public convenience init(url: URL) {
    self.init(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 60)
  }

  /// Creates a GET request.
  ///
  /// - Parameters:
  ///   - url: the URL to load.
  ///   - cachePolicy: whether and how the cache may answer.
  ///   - timeoutInterval: the number of seconds without progress after which the load fails.
  public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {
    value = URLRequest(url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
    super.init()
  }

  init(_ value: URLRequest) {
    self.value = value
    super.init()
  }

  // MARK: Properties

  /// The URL to load.
  open var url: URL? { value.url }

  /// Whether and how the cache may answer.
  open var cachePolicy: CachePolicy { value.cachePolicy }

  /// The number of seconds without progress after which the load fails; see ``URLRequest/timeoutInterval``.
  open var timeoutInterval: TimeInterval { value.timeoutInterval }

  /// The URL of the document that this load is part of.
  open var mainDocumentURL: URL? { value.mainDocumentURL }

  /// The purpose of the traffic.
  open var networkServiceType: NetworkServiceType { value.networkServiceType }

  /// Whether a mobile network may be used.
  open var allowsCellularAccess: Bool { value.allowsCellularAccess }

  /// Whether an expensive network may be used.
  open var allowsExpensiveNetworkAccess: Bool { value.allowsExpensiveNetworkAccess }

  /// Whether a network in low-data mode may be used.
  open var allowsConstrainedNetworkAccess: Bool { value.allowsConstrainedNetworkAccess }

  /// Whether to try HTTP/3 without waiting for the server to announce it.
  open var assumesHTTP3Capable: Bool { value.assumesHTTP3Capable }

  /// Whether DNS responses must be validated by DNSSEC.
  open var requiresDNSSECValidation: Bool { value.requiresDNSSECValidation }

  /// Whether DNS responses may be stored longer than the process runs.
  open var allowsPersistentDNS: Bool { value.allowsPersistentDNS }

  /// The initiator of the request.
  open var attribution: Attribution { value.attribution }

  /// The method.
  open var httpMethod: String? { value.httpMethod }

  /// All header fields that were set, by name; `nil` if none was set.
  open var allHTTPHeaderFields: [String: String]? { value.allHTTPHeaderFields }

  /// Returns the value of a header field, ignoring the case of its name; `nil` if it was not set.
  open func value(forHTTPHeaderField field: String) -> String? { value.value(forHTTPHeaderField: field) }

  /// The body.
  open var httpBody: Data? { value.httpBody }

  /// A stream that provides the body.
  open var httpBodyStream: InputStream? { value.httpBodyStream }

  /// Whether cookies are sent with the request and stored from its response.
  open var httpShouldHandleCookies: Bool { value.httpShouldHandleCookies }

  /// Whether a request may be sent before the previous response has arrived.
  open var httpShouldUsePipelining: Bool { value.httpShouldUsePipelining }

  // MARK: Copying and comparing

  /// Returns an immutable copy.
  open override func copy() -> Any { copy(with: nil) }

  /// Returns an immutable copy: the request itself, if it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any {
    type(of: self) == NSURLRequest.self ? self : NSURLRequest(value)
  }

  /// Returns a mutable copy, an ``NSMutableURLRequest``.
  open override func mutableCopy() -> Any { mutableCopy(with: nil) }

  /// Returns a mutable copy, an ``NSMutableURLRequest``.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableURLRequest(value) }

  /// Whether `object` is an equal request.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSURLRequest else { return false }
    return other === self || other.value == value
  }

  /// A hash that is the same for equal requests.
  open override var hash: Int { value.hashValue }

  /// The URL, without the name and password in it.
  open override var description: String { value.description }

  /// The same as `description`.
  open override var debugDescription: String { description }

  // MARK: Coding

  /// Whether the class supports secure coding: true.
  open class var supportsSecureCoding: Bool { true }

  /// Decodes a request. Returns nil if the data are damaged or do not contain a URL.
  public required init?(coder: NSCoder) {
    guard let request = URLRequest(decodedFrom: coder) else { return nil }
    value = request
    super.init()
  }

  /// Encodes the request, including its header fields and body, but without a body stream.
  open func encode(with coder: NSCoder) { value.encode(with: coder) }
}

/// The class form of ``URLRequest``, with properties that can be set.
open class NSMutableURLRequest: NSURLRequest {
  /// The URL to load.
  open override var url: URL? {
    get { value.url }
    set { value.url = newValue }
  }

  /// Whether and how the cache may answer.
  open override var cachePolicy: CachePolicy {
    get { value.cachePolicy }
    set { value.cachePolicy = newValue }
  }

  /// The number of seconds without progress after which the load fails; see ``URLRequest/timeoutInterval``.
  open override var timeoutInterval: TimeInterval {
    get { value.timeoutInterval }
    set { value.timeoutInterval = newValue }
  }

  /// The URL of the document that this load is part of.
  open override var mainDocumentURL: URL? {
    get { value.mainDocumentURL }
    set { value.mainDocumentURL = newValue }
  }

  /// The purpose of the traffic.
  open override var networkServiceType: NetworkServiceType {
    get { value.networkServiceType }
    set { value.networkServiceType = newValue }
  }

  /// Whether a mobile network may be used.
  open override var allowsCellularAccess: Bool {
    get { value.allowsCellularAccess }
    set { value.allowsCellularAccess = newValue }
  }

  /// Whether an expensive network may be used.
  open override var allowsExpensiveNetworkAccess: Bool {
    get { value.allowsExpensiveNetworkAccess }
    set { value.allowsExpensiveNetworkAccess = newValue }
  }

  /// Whether a network in low-data mode may be used.
  open override var allowsConstrainedNetworkAccess: Bool {
    get { value.allowsConstrainedNetworkAccess }
    set { value.allowsConstrainedNetworkAccess = newValue }
  }

  /// Whether to try HTTP/3 without waiting for the server to announce it.
  open override var assumesHTTP3Capable: Bool {
    get { value.assumesHTTP3Capable }
    set { value.assumesHTTP3Capable = newValue }
  }

  /// Whether DNS responses must be validated by DNSSEC.
  open override var requiresDNSSECValidation: Bool {
    get { value.requiresDNSSECValidation }
    set { value.requiresDNSSECValidation = newValue }
  }

  /// Whether DNS responses may be stored longer than the process runs.
  open override var allowsPersistentDNS: Bool {
    get { value.allowsPersistentDNS }
    set { value.allowsPersistentDNS = newValue }
  }

  /// The initiator of the request.
  open override var attribution: Attribution {
    get { value.attribution }
    set { value.attribution = newValue }
  }

  /// The method.
  open override var httpMethod: String? {
    get { value.httpMethod }
    set { value.httpMethod = newValue }
  }

  /// All header fields that were set, by name; `nil` if none was set.
  open override var allHTTPHeaderFields: [String: String]? {
    get { value.allHTTPHeaderFields }
    set { value.allHTTPHeaderFields = newValue }
  }

  /// Sets a header field, or removes it; see ``URLRequest/setValue(_:forHTTPHeaderField:)``.
  open func setValue(_ value: String?, forHTTPHeaderField field: String) {
    self.value.setValue(value, forHTTPHeaderField: field)
  }

  /// Adds a value to a header field; see ``URLRequest/addValue(_:forHTTPHeaderField:)``.
  open func addValue(_ value: String, forHTTPHeaderField field: String) {
    self.value.addValue(value, forHTTPHeaderField: field)
  }

  /// The body. Setting it removes ``httpBodyStream``.
  open override var httpBody: Data? {
    get { value.httpBody }
    set { value.httpBody = newValue }
  }

  /// A stream that provides the body. Setting it removes ``httpBody``.
  open override var httpBodyStream: InputStream? {
    get { value.httpBodyStream }
    set { value.httpBodyStream = newValue }
  }

  /// Whether cookies are sent with the request and stored from its response.
  open override var httpShouldHandleCookies: Bool {
    get { value.httpShouldHandleCookies }
    set { value.httpShouldHandleCookies = newValue }
  }

  /// Whether a request may be sent before the previous response has arrived.
  open override var httpShouldUsePipelining: Bool {
    get { value.httpShouldUsePipelining }
    set { value.httpShouldUsePipelining = newValue }
  }

  /// Returns an immutable copy, an ``NSURLRequest``.
  open override func copy(with zone: NSZone? = nil) -> Any { NSURLRequest(value) }
}
#endif
