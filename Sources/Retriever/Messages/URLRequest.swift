#if !canImport(Darwin)
import Foundation

/// A request to load a URL: its method, header fields, body, and the policies for this load.
///
/// This is a value type: changing a copy does not change the original. Copies share one storage until one of them
/// changes, so passing a request costs one reference count. The session's configuration supplies the values that a
/// request leaves at their defaults.
public struct URLRequest: Sendable {
  /// Whether and how the cache may answer this request. Nothing is cached on this platform, so every policy loads
  /// from the origin.
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
  }

  /// The initiator of a request.
  public enum Attribution: UInt, Sendable {
    /// The program itself.
    case developer = 0
    /// The program's user.
    case user = 1
  }

  private var storage: Storage

  /// Creates a GET request.
  ///
  /// The URL is not validated here: loading an invalid URL fails with a `URLError`.
  ///
  /// - Parameters:
  ///   - url: the URL to load. A relative URL is resolved against its base.
  ///   - cachePolicy: the cache policy, which has no effect.
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
