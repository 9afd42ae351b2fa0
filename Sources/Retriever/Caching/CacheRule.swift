#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// How a request is answered.
package enum CacheDecision: Sendable, Equatable {
  /// Send the request. No stored response takes part.
  case load
  /// Use a stored response. `revalidates` means that the server is asked afterwards, for the next request.
  case serve(entry: Int, revalidates: Bool)
  /// Ask the server whether a stored response is still valid, with these additional fields. Without fields, the stored
  /// response can only replace an error.
  case validate(entry: Int, fields: [HeaderFields.Entry])
  /// Ask the server for the rest of an incomplete stored response, with these additional fields.
  case complete(entry: Int, fields: [HeaderFields.Entry])
  /// There is no usable response, and the request forbids the network.
  case fail

  package static func == (left: CacheDecision, right: CacheDecision) -> Bool {
    switch (left, right) {
    case (.load, .load), (.fail, .fail): true
    case (.serve(let a, let b), .serve(let c, let d)): a == c && b == d
    case (.validate(let a, let b), .validate(let c, let d)),
      (.complete(let a, let b), .complete(let c, let d)):
      a == c && b.elementsEqual(d, by: ==)
    default: false
    }
  }
}

/// Which stored response answers a request (RFC 9111, 4).
package enum CacheRule {
  /// The part of a request that the rule needs.
  package struct Request: Sendable {
    package var method: String
    package var policy: URLRequest.CachePolicy
    /// The fields that are sent, including those that the session adds.
    package var fields: HeaderFields
    /// Whether a stale response may be used while the server is asked (RFC 5861, 3).
    package var usesStale: Bool

    package init(
      method: String = "GET", policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
      fields: HeaderFields = HeaderFields(), usesStale: Bool = true
    ) {
      self.method = method
      self.policy = policy
      self.fields = fields
      self.usesStale = usesStale
    }

    /// Whether the program validates by itself. Such a request and its response are passed on unchanged.
    var isConditional: Bool {
      ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"].contains {
        fields.contains($0)
      }
    }
  }

  /// Whether a stored response may take part in this request at all. Most requests that may not are recognised without a
  /// look at the cache.
  package static func mayUseCache(_ request: Request) -> Bool {
    switch request.policy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: false
    default: request.method == "GET" || request.method == "HEAD"
    }
  }

  /// Decides about a request.
  ///
  /// - Parameter entries: All stored responses of the URL.
  package static func decide(_ request: Request, entries: [StoredHead], now: Date) -> CacheDecision {
    let control = requestControl(request)
    let isOffline = request.policy == .returnCacheDataDontLoad || control.contains("only-if-cached")
    let miss = isOffline ? CacheDecision.fail : .load
    guard mayUseCache(request), !request.isConditional || isOffline else { return miss }
    guard let index = select(request, from: entries) else { return miss }
    let entry = entries[index]
    let servable = canServe(entry, to: request)

    switch request.policy {
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad:
      if servable { return .serve(entry: index, revalidates: false) }
      return isOffline ? .fail : completion(of: index, entry, for: request)
    case .reloadRevalidatingCacheData: return validation(of: index, entry, for: request, now: now)
    default: break
    }

    let freshness = entry.freshness(now: now)
    if servable, allows(control, freshness) { return .serve(entry: index, revalidates: false) }
    if isOffline { return .fail }
    if servable, request.usesStale, request.method == "GET", !freshness.mustRevalidate, control.isEmpty,
      freshness.staleness >= 0,
      freshness.staleness < freshness.staleWhileRevalidate
    {
      return .serve(entry: index, revalidates: true)
    }
    if control.contains("no-store") { return .load }
    return validation(of: index, entry, for: request, now: now)
  }

  /// Returns whether a stored response may replace an error, after its validation failed (RFC 5861, 4).
  ///
  /// - Parameter status: The status of the server's response; nil if there was no response.
  package static func mayServeStale(
    _ entry: StoredHead, to request: Request, afterStatus status: Int?, now: Date
  ) -> Bool {
    if let status, ![500, 502, 503, 504].contains(status) { return false }
    let freshness = entry.freshness(now: now)
    guard canServe(entry, to: request) else { return false }
    let allowed = staleTimeAfterError(freshness, request)
    return allowed > 0 && freshness.staleness < allowed
  }

  /// The seconds after the end of the lifetime in which a response may replace an error of the server.
  private static func staleTimeAfterError(_ freshness: Freshness, _ request: Request) -> TimeInterval {
    if freshness.mustRevalidate { return 0 }
    let control = requestControl(request)
    let requested = TimeInterval(control.seconds("stale-if-error") ?? 0)
    // A request that demands the server's answer does not accept another one, unless it says so itself.
    let demandsAnswer =
      request.policy == .reloadRevalidatingCacheData || control.isNoCache || control.seconds("max-age") == 0
    return demandsAnswer ? requested : max(requested, freshness.staleIfError)
  }

  // MARK: Parts of the decision

  /// The directives of a request. `Pragma: no-cache` counts as `no-cache` if there are none.
  private static func requestControl(_ request: Request) -> CacheControl {
    let control = CacheControl(request.fields)
    guard control.isEmpty, let pragma = request.fields["Pragma"],
      ASCII.listMembers(pragma).contains(where: { ASCII.equalIgnoringCase($0, "no-cache") })
    else { return control }
    return CacheControl(["no-cache"])
  }

  /// Returns the most recent response that the request's fields select.
  private static func select(_ request: Request, from entries: [StoredHead]) -> Int? {
    var best: Int?
    for (index, entry) in entries.enumerated() where entry.selection.matches(request.fields) {
      if let current = best, entries[current].responseTime >= entry.responseTime { continue }
      best = index
    }
    return best
  }

  /// Whether the stored response has what the request asks for. A range may need a part of the body that was encoded or
  /// is not stored.
  private static func canServe(_ entry: StoredHead, to request: Request) -> Bool {
    guard request.method == "GET" else { return true }
    guard request.fields.contains("Range") else { return entry.extent == nil }
    return ByteRangeRule.canServe(entry, to: request.fields)
  }

  /// Whether the directives of a request allow a stored response to be used without validation.
  private static func allows(_ control: CacheControl, _ freshness: Freshness) -> Bool {
    if freshness.isNoCache || control.isNoCache || control.contains("no-store") { return false }
    if let limit = control.seconds("max-age"), freshness.age > TimeInterval(limit) || limit == 0 {
      return false
    }
    let minimum = TimeInterval(control.seconds("min-fresh") ?? 0)
    if freshness.age + minimum < freshness.lifetime { return true }
    guard !freshness.mustRevalidate, minimum == 0, control.contains("max-stale") else { return false }
    return control.isWithoutValue("max-stale")
      || freshness.staleness <= TimeInterval(control.seconds("max-stale") ?? 0)
  }

  /// The rest of an incomplete response. Other requests are loaded.
  private static func completion(of index: Int, _ entry: StoredHead, for request: Request) -> CacheDecision {
    guard request.method == "GET", !request.fields.contains("Range"),
      let fields = PartialRule.completingFields(entry)
    else { return .load }
    return .complete(entry: index, fields: fields)
  }

  /// A validation with the response's own validators. Requests for a range are loaded, and responses without a validator
  /// too, unless they may replace an error.
  private static func validation(
    of index: Int, _ entry: StoredHead, for request: Request, now: Date
  ) -> CacheDecision {
    guard request.method == "GET", !request.fields.contains("Range") else { return .load }
    guard entry.extent == nil else { return completion(of: index, entry, for: request) }
    var fields: [HeaderFields.Entry] = []
    if let tag = entry.fields.values(for: "ETag").first, !tag.isEmpty {
      fields.append(("If-None-Match", tag))
    }
    if let date = entry.fields.values(for: "Last-Modified").first, !date.isEmpty {
      fields.append(("If-Modified-Since", date))
    }
    if fields.isEmpty, staleTimeAfterError(entry.freshness(now: now), request) <= 0 { return .load }
    return .validate(entry: index, fields: fields)
  }
}
#endif
