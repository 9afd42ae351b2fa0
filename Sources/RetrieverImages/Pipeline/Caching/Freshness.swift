import HTTPSyntax
import Foundation
import Retriever

/// The time for which a response may be used, by HTTP's rules for private caches (RFC 9111 and RFC 5861).
struct Freshness: Sendable, Codable, Equatable {
  /// Until then, the response may be used without asking the server.
  var freshUntil: Date
  /// Until then, a response that is no longer fresh is used immediately, and revalidated in the background.
  var staleUntil: Date
  /// False if the response must not be stored.
  var isStorable = true

  static let never = Freshness(freshUntil: .distantPast, staleUntil: .distantPast, isStorable: false)
  static let always = Freshness(freshUntil: .distantFuture, staleUntil: .distantFuture)

  init(freshUntil: Date, staleUntil: Date, isStorable: Bool = true) {
    self.freshUntil = freshUntil
    self.staleUntil = staleUntil
    self.isStorable = isStorable
  }

  /// - Parameters:
  ///   - field: Returns a header field of the response by its name.
  ///   - now: The time at which the response arrived.
  ///   - defaultLifetime: The time for which a response stays fresh if the server does not specify it.
  init(_ field: (String) -> String?, now: Date, defaultLifetime: TimeInterval) {
    let control = CacheControl(field("Cache-Control") ?? "")
    let date = field("Date").flatMap(CookieDate.parse) ?? now
    let age = field("Age").flatMap { ASCII.number(ASCII.trimmed($0)) } ?? 0
    isStorable =
      !control.contains("no-store") && field("Vary").map { ASCII.trimmed($0) } != "*"

    var lifetime: TimeInterval
    if control.contains("no-cache") {
      lifetime = 0
    } else if let seconds = control.seconds("max-age") {
      lifetime = seconds
    } else if let expires = field("Expires") {
      // An invalid date, such as 0, means that the response has expired.
      lifetime = CookieDate.parse(expires).map { $0.timeIntervalSince(date) } ?? 0
    } else if let modified = field("Last-Modified").flatMap(CookieDate.parse) {
      // A tenth of its age: an image that has not changed for long will probably not change soon.
      lifetime = min(max(0, date.timeIntervalSince(modified)) / 10, defaultLifetime)
    } else {
      lifetime = defaultLifetime
    }
    lifetime = min(max(0, lifetime - TimeInterval(age)), CacheControl.maximumLifetime)
    freshUntil = now.addingTimeInterval(lifetime)
    let window =
      control.contains("must-revalidate") || control.contains("no-cache")
      ? 0 : control.seconds("stale-while-revalidate") ?? 0
    staleUntil = freshUntil.addingTimeInterval(window)
  }
}

/// The directives of a Cache-Control field.
struct CacheControl: Sendable {
  /// The maximum lifetime of one year, so that calculations with dates do not overflow.
  static let maximumLifetime: TimeInterval = 366 * 86_400

  private var directives: [String: String] = [:]

  init(_ field: String) {
    for part in field.split(separator: ",").prefix(64) {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard let name = pair.first else { continue }
      let value = pair.count == 2 ? ASCII.trimmed(pair[1]).filter { $0 != "\"" } : ""
      // If a directive occurs twice, the first one counts.
      let key = ASCII.lowercased(ASCII.trimmed(name))
      if directives[key] == nil { directives[key] = String(value) }
    }
  }

  func contains(_ name: String) -> Bool { directives[name] != nil }

  /// Returns the seconds of a directive. A number that is too large becomes the maximum; an invalid number becomes
  /// nil.
  func seconds(_ name: String) -> TimeInterval? {
    guard let value = directives[name], !value.isEmpty, value.utf8.allSatisfy(ASCII.isDigit) else {
      return directives[name] == nil ? nil : 0
    }
    return min(ASCII.number(value).map(TimeInterval.init) ?? Self.maximumLifetime, Self.maximumLifetime)
  }
}
