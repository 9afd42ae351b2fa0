#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// How old a stored response is, and for how long it may be used (RFC 9111, 4.2 and RFC 5861).
package struct Freshness: Sendable, Equatable {
  /// The time in seconds for which the response is fresh, counted from its creation.
  package var lifetime: TimeInterval
  /// The seconds since the server created or validated the response, now.
  package var age: TimeInterval
  /// The seconds after the end of the lifetime in which the response may be used while it is validated.
  package var staleWhileRevalidate: TimeInterval
  /// The seconds after the end of the lifetime in which the response may replace an error.
  package var staleIfError: TimeInterval
  /// Whether a stale response must never be used without asking the server.
  package var mustRevalidate: Bool
  /// Whether each use needs a validation.
  package var isNoCache: Bool

  /// The time since the response has become stale; negative while it is fresh.
  package var staleness: TimeInterval { age - lifetime }

  package var isFresh: Bool { !isNoCache && age < lifetime }
}

extension StoredHead {
  /// The maximum heuristic lifetime: a day.
  package static let maximumHeuristicLifetime: TimeInterval = 86_400

  /// The difference between two readings of the clock that still counts as the same time.
  static let clockTolerance: TimeInterval = 5

  package func freshness(now: Date) -> Freshness {
    let control = CacheControl(fields)
    var freshness = Freshness(
      lifetime: lifetime(control), age: age(now: now),
      staleWhileRevalidate: TimeInterval(control.seconds("stale-while-revalidate") ?? 0),
      staleIfError: TimeInterval(control.seconds("stale-if-error") ?? 0),
      mustRevalidate: control.contains("must-revalidate") || control.isNoCache, isNoCache: control.isNoCache)
    if responseTime.timeIntervalSince(now) > Self.clockTolerance {
      // The clock was set back since the response arrived, so its age is unknown.
      freshness.age = max(freshness.age, freshness.lifetime)
      (freshness.staleWhileRevalidate, freshness.staleIfError) = (0, 0)
    }
    return freshness
  }

  /// The head for an answer without a validation: with the current age, and without the fields that `no-cache` lists.
  package func unvalidated(now: Date) -> StoredHead {
    var head = self
    let names = CacheControl(fields).noCacheFields
    head.fields.removeAll { names.contains(ASCII.lowercased($0)) }
    head.fields["Age"] = String(Int64(min(age(now: now), 2_147_483_648)))
    return head
  }

  /// The current age (RFC 9111, 4.2.3).
  package func age(now: Date) -> TimeInterval {
    let apparent = max(0, responseTime.timeIntervalSince(date))
    let delay = max(0, responseTime.timeIntervalSince(requestTime))
    let initial = max(apparent, TimeInterval(statedAge) + delay)
    return initial + max(0, now.timeIntervalSince(responseTime))
  }

  /// The time at which the server created the response; the time of arrival if it did not say so.
  private var date: Date {
    Self.date(fields.values(for: "Date").first, near: responseTime) ?? responseTime
  }

  /// The first number of the `Age` field. Anything else in the field is ignored.
  private var statedAge: Int64 {
    guard let value = fields.values(for: "Age").first else { return 0 }
    let first = value.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    return CacheControl.seconds(ASCII.trimmed(first)) ?? 0
  }

  private func lifetime(_ control: CacheControl) -> TimeInterval {
    if let seconds = control.seconds("max-age") { return TimeInterval(seconds) }
    let expires = fields.values(for: "Expires")
    if let first = expires.first {
      // An invalid date, such as 0, means that the response has expired.
      guard expires.count == 1, let end = Self.date(first, near: responseTime) else { return 0 }
      return max(0, end.timeIntervalSince(date))
    }
    // Without a statement of the server, a tenth of the time since the last change: what has not changed for long will
    // probably not change soon.
    guard StoreRule.allowsHeuristics(status) || control.contains("public"),
      let modified = Self.date(fields.values(for: "Last-Modified").first, near: responseTime)
    else { return 0 }
    return min(max(0, date.timeIntervalSince(modified)) / 10, Self.maximumHeuristicLifetime)
  }

  /// Whether the server stated the lifetime.
  var hasExplicitLifetime: Bool { CacheControl(fields).contains("max-age") || fields.contains("Expires") }

  /// Parses a date. A year of two digits is at most 50 years after `reference`.
  static func date(_ text: String?, near reference: Date) -> Date? {
    let year = 1970 + Int(min(max(reference.timeIntervalSince1970, 0), 200_000_000_000) / 31_556_952)
    guard let text, let seconds = HTTPDateFormat.seconds(text, latestYear: year + 50) else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }
}
#endif
