#if !canImport(Darwin)
  import Foundation

  /// What to load and how: a URL, a method, header fields, a body and the policies that apply to this one load.
  ///
  /// A value: changing a copy leaves the original as it was. Copies share one storage until one of them changes, so
  /// passing a request around costs one reference count. The session's configuration supplies what a request leaves
  /// at its default.
  public struct URLRequest: Sendable {
    /// Whether, and how, the cache may answer this request. Nothing is cached on this platform: whatever the policy, the
    /// origin is asked.
    public enum CachePolicy: UInt, Sendable {
      /// What HTTP's own caching rules say for this response.
      case useProtocolCachePolicy = 0
      /// Always from the origin, never from the cache of this process.
      case reloadIgnoringLocalCacheData = 1
      /// Any cached response, however old; the origin only when there is none.
      case returnCacheDataElseLoad = 2
      /// Any cached response, however old; without one the load fails and the network is not used.
      case returnCacheDataDontLoad = 3
      /// Always from the origin, asking the caches on the way to step aside too.
      case reloadIgnoringLocalAndRemoteCacheData = 4
      /// A cached response only after the origin has confirmed it.
      case reloadRevalidatingCacheData = 5

      /// The older name of ``reloadIgnoringLocalCacheData``.
      public static var reloadIgnoringCacheData: CachePolicy { .reloadIgnoringLocalCacheData }
    }

    /// What the traffic of a request is for. Kept for source compatibility: Linux offers nothing to apply it to.
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
      /// Audio and video that must react at once.
      case responsiveAV = 9
      /// The setting up of calls.
      case callSignaling = 11
    }

    /// Who caused a request.
    public enum Attribution: UInt, Sendable {
      /// The program itself.
      case developer = 0
      /// The person who uses it.
      case user = 1
    }

    private var storage: Storage

    /// Makes a GET request.
    ///
    /// Nothing is checked here: a URL that cannot be loaded makes the load fail with a `URLError`.
    ///
    /// - Parameters:
    ///   - url: what to load. A relative URL is resolved against its base.
    ///   - cachePolicy: whether the cache may answer; kept, without an effect.
    ///   - timeoutInterval: the number of seconds without progress after which the load fails with
    ///     `URLError.timedOut`; see ``timeoutInterval``.
    public init(
      url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0
    ) {
      let absolute = url.baseURL == nil ? url : url.absoluteURL
      storage = Storage(
        Fields(url: absolute, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval))
    }

    /// The one door to the fields: reading costs no copy, writing copies only what somebody else shares.
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
      /// `nil` until a field is set for the first time, which is what `allHTTPHeaderFields` shows.
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

    // Unchecked because `fields` is a `var` and may hold an InputStream. The invariant: a storage is changed only
    // through `URLRequest.fields`, which copies it first unless one request alone refers to it, so it never changes
    // while two threads can see it. The stream itself is only handed on; the session reads it, from one thread.
    fileprivate final class Storage: @unchecked Sendable {
      var fields: Fields
      init(_ fields: Fields) { self.fields = fields }
    }
  }

  extension URLRequest: Hashable {
    /// Whether two requests ask for the same thing in the same way. Body streams are compared by identity.
    public static func == (left: URLRequest, right: URLRequest) -> Bool {
      left.storage === right.storage || left.fields == right.fields
    }

    /// Feeds everything that `==` compares to `hasher`.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(fields)
    }
  }
#endif
