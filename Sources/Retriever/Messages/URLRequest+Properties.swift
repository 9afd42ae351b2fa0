#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  extension URLRequest {
    /// What to load.
    public var url: URL? {
      get { fields.url }
      set { fields.url = newValue }
    }

    /// Whether, and how, the cache may answer. Kept for source compatibility: nothing is cached.
    public var cachePolicy: CachePolicy {
      get { fields.cachePolicy }
      set { fields.cachePolicy = newValue }
    }

    /// The number of seconds without progress after which the load fails with `URLError.timedOut`.
    ///
    /// The timer starts when the session starts the request, not while the request waits for other loads of the session,
    /// and starts again with every byte. With the default, 60, the session's
    /// ``URLSessionConfiguration/timeoutIntervalForRequest`` counts.
    public var timeoutInterval: TimeInterval {
      get { fields.timeoutInterval }
      set { fields.timeoutInterval = newValue }
    }

    /// The URL of the document that this load is a part of, for cookie policies that ask; `nil` by default.
    public var mainDocumentURL: URL? {
      get { fields.mainDocumentURL }
      set { fields.mainDocumentURL = newValue }
    }

    /// What the traffic is for. Kept for source compatibility.
    public var networkServiceType: NetworkServiceType {
      get { fields.networkServiceType }
      set { fields.networkServiceType = newValue }
    }

    /// Whether a mobile network may be used. Linux does not tell one from another, so this changes nothing.
    public var allowsCellularAccess: Bool {
      get { fields.allowsCellularAccess }
      set { fields.allowsCellularAccess = newValue }
    }

    /// Whether an expensive network may be used. Linux does not tell one from another, so this changes nothing.
    public var allowsExpensiveNetworkAccess: Bool {
      get { fields.allowsExpensiveNetworkAccess }
      set { fields.allowsExpensiveNetworkAccess = newValue }
    }

    /// Whether a network in low-data mode may be used. Linux has no such mode, so this changes nothing.
    public var allowsConstrainedNetworkAccess: Bool {
      get { fields.allowsConstrainedNetworkAccess }
      set { fields.allowsConstrainedNetworkAccess = newValue }
    }

    /// Whether to try HTTP/3 without waiting for the server to announce it; `false` by default. Kept for source
    /// compatibility: HTTP/3 is not used.
    public var assumesHTTP3Capable: Bool {
      get { fields.assumesHTTP3Capable }
      set { fields.assumesHTTP3Capable = newValue }
    }

    /// Whether answers of the DNS must be validated by DNSSEC; `false` by default. Kept for source compatibility: the
    /// system's resolver decides, and this does not change what it does.
    public var requiresDNSSECValidation: Bool {
      get { fields.requiresDNSSECValidation }
      set { fields.requiresDNSSECValidation = newValue }
    }

    /// Whether answers of the DNS may be kept beyond the process; `false` by default. Kept for source compatibility: the
    /// library keeps none.
    public var allowsPersistentDNS: Bool {
      get { fields.allowsPersistentDNS }
      set { fields.allowsPersistentDNS = newValue }
    }

    /// Who caused the request; ``Attribution/developer`` by default.
    public var attribution: Attribution {
      get { fields.attribution }
      set { fields.attribution = newValue }
    }

    /// The method; `GET` by default, and again after `nil` was set.
    ///
    /// As on Apple's platforms `GET`, `HEAD`, `POST`, `PUT`, `DELETE` and `CONNECT` are put into capital letters.
    /// Methods are case-sensitive, so any other, `patch` too, is sent as it is written.
    public var httpMethod: String? {
      get { fields.httpMethod }
      set { fields.httpMethod = Self.normalised(method: newValue ?? "GET") }
    }

    /// The body, sent as it is; `nil` by default. Setting it drops ``httpBodyStream``.
    public var httpBody: Data? {
      get { if case .data(let data) = fields.body { data } else { nil } }
      set { fields.body = newValue.map(Body.data) ?? .none }
    }

    /// A stream that gives the body; `nil` by default. Setting it drops ``httpBody``.
    ///
    /// The session opens the stream and reads it once. When a body must be sent again the session asks its delegate
    /// for a new one.
    ///
    /// The body is sent in chunks, unless the request has a `Content-Length` field: then the stream must end after that
    /// many bytes, or the load fails with `URLError.requestBodyStreamExhausted`.
    public var httpBodyStream: InputStream? {
      get { if case .stream(let stream) = fields.body { stream } else { nil } }
      set { fields.body = newValue.map(Body.stream) ?? .none }
    }

    /// Whether cookies are sent with the request and stored from its response; `true` by default.
    public var httpShouldHandleCookies: Bool {
      get { fields.httpShouldHandleCookies }
      set { fields.httpShouldHandleCookies = newValue }
    }

    /// Whether a request may be sent before the previous response has arrived. Kept for source compatibility: HTTP/1.1
    /// pipelining is not done, HTTP/2 needs no leave.
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
