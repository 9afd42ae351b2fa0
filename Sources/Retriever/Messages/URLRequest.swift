#if !canImport(Darwin)
import Foundation

/// A request to load a URL: its method, header fields, body, and the policies for this load.
///
/// This is a value type: changing a copy does not change the original. Copies share one storage until one of them
/// changes, so passing a request costs one reference count. The session's configuration supplies the values that a
/// request leaves at their defaults.
public struct URLRequest: Sendable {
  private var storage: Storage

  /// Creates a GET request.
  ///
  /// The URL is not validated here: loading an invalid URL fails with a `URLError`.
  ///
  /// - Parameters:
  ///   - url: the URL to load. A relative URL is resolved against its base.
  ///   - cachePolicy: whether and how the cache may answer.
  ///   - timeoutInterval: the number of seconds without progress after which the load fails with
  ///     `URLError.timedOut`; see ``timeoutInterval``.
  public init(
    url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0
  ) {
    let absolute = url.baseURL == nil ? url : url.absoluteURL
    storage = Storage(
      Fields(url: absolute, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval))
  }

  /// The only access to the fields. Reading costs no copy, and writing copies only shared storage.
  var fields: Fields {
    _read { yield storage.fields }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
      yield &storage.fields
    }
  }
}

extension URLRequest {
  enum Body: Hashable {
    case none
    case data(Data)
    case stream(InputStream)
  }

  struct Fields: Hashable {
    var url: URL?
    var cachePolicy: CachePolicy
    var timeoutInterval: TimeInterval
    var httpMethod = "GET"
    /// `nil` until a field is set for the first time, as `allHTTPHeaderFields` shows.
    var headerFields: HeaderFields?
    var body = Body.none
    var mainDocumentURL: URL?
    var networkServiceType = NetworkServiceType.default
    var attribution = Attribution.developer
    var allowsCellularAccess = true
    var allowsExpensiveNetworkAccess = true
    var allowsConstrainedNetworkAccess = true
    var assumesHTTP3Capable = false
    var requiresDNSSECValidation = false
    var allowsPersistentDNS = false
    var httpShouldHandleCookies = true
    var httpShouldUsePipelining = false
    var protocolProperties = ProtocolProperties()
  }

  // Unchecked because `fields` is a `var` and may contain an InputStream. The invariant: a storage is changed only
  // through `URLRequest.fields`, which copies it first if several requests share it. It therefore never changes while
  // two threads can see it. The stream itself is only passed on; the session reads it, from one thread.
  fileprivate final class Storage: @unchecked Sendable {
    var fields: Fields
    init(_ fields: Fields) { self.fields = fields }
  }
}

extension URLRequest: Hashable {
  /// Whether two requests are equal. Body streams are compared by identity.
  public static func == (left: URLRequest, right: URLRequest) -> Bool {
    left.storage === right.storage || left.fields == right.fields
  }

  /// Adds everything that `==` compares to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fields)
  }
}
#endif
