#if !canImport(Darwin)
import HTTPSyntax
import Foundation

extension URLRequest {
  /// The URL to load.
  public var url: URL? {
    get { fields.url }
    set { fields.url = newValue }
  }

  /// Whether and how the cache may answer the request. With the default policy, the session's
  /// ``URLSessionConfiguration/requestCachePolicy`` applies.
  public var cachePolicy: CachePolicy {
    get { fields.cachePolicy }
    set { fields.cachePolicy = newValue }
  }

  /// The number of seconds without progress after which the load fails with `URLError.timedOut`.
  ///
  /// The timer starts when the session starts the request, not while the request waits for other loads of the
  /// session. It starts again with every byte. With the default value of 60, the session's
  /// ``URLSessionConfiguration/timeoutIntervalForRequest`` applies.
  public var timeoutInterval: TimeInterval {
    get { fields.timeoutInterval }
    set { fields.timeoutInterval = newValue }
  }

  /// The URL of the document that this load is part of, for cookie policies that use it (default: `nil`).
  public var mainDocumentURL: URL? {
    get { fields.mainDocumentURL }
    set { fields.mainDocumentURL = newValue }
  }

  /// The purpose of the traffic. Kept for source compatibility.
  public var networkServiceType: NetworkServiceType {
    get { fields.networkServiceType }
    set { fields.networkServiceType = newValue }
  }

  /// Whether a mobile network may be used. It has no effect, because Linux does not distinguish network types.
  public var allowsCellularAccess: Bool {
    get { fields.allowsCellularAccess }
    set { fields.allowsCellularAccess = newValue }
  }

  /// Whether an expensive network may be used. It has no effect, because Linux does not distinguish network types.
  public var allowsExpensiveNetworkAccess: Bool {
    get { fields.allowsExpensiveNetworkAccess }
    set { fields.allowsExpensiveNetworkAccess = newValue }
  }

  /// Whether a network in low-data mode may be used. It has no effect, because Linux has no such mode.
  public var allowsConstrainedNetworkAccess: Bool {
    get { fields.allowsConstrainedNetworkAccess }
    set { fields.allowsConstrainedNetworkAccess = newValue }
  }

  /// Whether to try HTTP/3 without waiting for the server to announce it (default: `false`).
  ///
  /// It has an effect on loads into memory of `https` URLs, if the package trait `HTTP3` is enabled and libcurl supports
  /// HTTP/3 (<doc:HTTP3>). If TCP connects earlier, the request is sent over HTTP/2 or HTTP/1.1.
  public var assumesHTTP3Capable: Bool {
    get { fields.assumesHTTP3Capable }
    set { fields.assumesHTTP3Capable = newValue }
  }

  /// Whether DNS responses must be validated by DNSSEC (default: `false`). Kept for source compatibility: the
  /// system's resolver decides, and this property does not affect it.
  public var requiresDNSSECValidation: Bool {
    get { fields.requiresDNSSECValidation }
    set { fields.requiresDNSSECValidation = newValue }
  }

  /// Whether DNS responses may be stored longer than the process runs (default: `false`). Kept for source
  /// compatibility: the library stores none.
  public var allowsPersistentDNS: Bool {
    get { fields.allowsPersistentDNS }
    set { fields.allowsPersistentDNS = newValue }
  }

  /// The initiator of the request (default: ``NSURLRequest/Attribution/developer``).
  public var attribution: Attribution {
    get { fields.attribution }
    set { fields.attribution = newValue }
  }

  /// The method (default: `GET`). Setting `nil` restores the default.
  ///
  /// As on Apple's platforms, `GET`, `HEAD`, `POST`, `PUT`, `DELETE` and `CONNECT` are converted to upper case.
  /// Methods are case-sensitive, so any other method, such as `patch`, is sent unchanged.
  public var httpMethod: String? {
    get { fields.httpMethod }
    set { fields.httpMethod = Self.normalised(method: newValue ?? "GET") }
  }

  /// The body, sent unchanged (default: `nil`). Setting it removes ``httpBodyStream``.
  public var httpBody: Data? {
    get { if case .data(let data) = fields.body { data } else { nil } }
    set { fields.body = newValue.map(Body.data) ?? .none }
  }

  /// A stream that provides the body (default: `nil`). Setting it removes ``httpBody``.
  ///
  /// The session opens the stream and reads it once. If the body must be sent again, the session asks its delegate
  /// for a new stream.
  ///
  /// The body is sent in chunks, unless the request has a `Content-Length` field. In that case the stream must end
  /// after that many bytes, or the load fails with `URLError.requestBodyStreamExhausted`.
  public var httpBodyStream: InputStream? {
    get { if case .stream(let stream) = fields.body { stream } else { nil } }
    set { fields.body = newValue.map(Body.stream) ?? .none }
  }

  /// Whether cookies are sent with the request and stored from its response (default: `true`).
  public var httpShouldHandleCookies: Bool {
    get { fields.httpShouldHandleCookies }
    set { fields.httpShouldHandleCookies = newValue }
  }

  /// Whether a request may be sent before the previous response has arrived. Kept for source compatibility: HTTP/1.1
  /// pipelining is never used, and HTTP/2 does not need it.
  public var httpShouldUsePipelining: Bool {
    get { fields.httpShouldUsePipelining }
    set { fields.httpShouldUsePipelining = newValue }
  }

  private static func normalised(method: String) -> String {
    switch method {
    case "GET", "POST", "PUT", "HEAD", "DELETE": return method
    default:
      let capitals = ASCII.uppercased(method)
      return ["GET", "POST", "PUT", "HEAD", "DELETE", "CONNECT"].contains(capitals) ? capitals : method
    }
  }
}
#endif
