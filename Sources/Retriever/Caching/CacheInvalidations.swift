#if !canImport(Darwin)
/// Which stored responses became invalid, and in which order. The response to a request that began before must not be
/// stored afterwards: it may be as old as what was removed (RFC 9111, 4.4). A pure value.
package struct CacheInvalidations: Sendable {
  /// The number of invalidations before a moment.
  package typealias Moment = UInt64

  /// The maximum number of URLs that are known. Beyond it, no request that runs may store its response.
  package static let maximumKeys = 1024

  /// The moment after the last invalidation.
  package private(set) var now: Moment = 0
  private var moments: [CacheKey: Moment] = [:]
  /// The moment after the last invalidation of everything.
  private var last: Moment = 0

  package init() {}

  /// The responses to a URL became invalid.
  package mutating func add(_ key: CacheKey) {
    if moments.count >= Self.maximumKeys, moments[key] == nil { addAll() }
    now += 1
    moments[key] = now
  }

  /// All responses became invalid.
  package mutating func addAll() {
    now += 1
    last = now
    moments = [:]
  }

  /// Whether a response to a request that began at a moment may be stored.
  package func mayStore(_ key: CacheKey, since moment: Moment) -> Bool {
    moment >= last && moment >= moments[key] ?? 0
  }
}
#endif
