import HTTPSyntax
import Foundation
import Retriever

/// How long what a server sent may be used, as HTTP's rules for private caches have it (RFC 9111 and 5861).
struct Freshness: Sendable, Codable, Equatable {
  /// It may be used without asking until then.
  var freshUntil: Date
  /// From then on until this it is used at once, while it is asked for in the background.
  var staleUntil: Date
  /// False when it must not be kept at all.
  var isStorable = true

  static let never = Freshness(freshUntil: .distantPast, staleUntil: .distantPast, isStorable: false)
  static let always = Freshness(freshUntil: .distantFuture, staleUntil: .distantFuture)

  init(freshUntil: Date, staleUntil: Date, isStorable: Bool = true) {
    self.freshUntil = freshUntil
    self.staleUntil = staleUntil
    self.isStorable = isStorable
  }

  /// - Parameters:
  ///   - field: a header field of the response by its name.
  ///   - now: when the response came.
  ///   - usualLifetime: how long what says nothing of itself stays fresh.
  init(_ field: (String) -> String?, now: Date, usualLifetime: TimeInterval) {
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
      // What cannot be read, such as 0, has expired.
      lifetime = CookieDate.parse(expires).map { $0.timeIntervalSince(date) } ?? 0
    } else if let modified = field("Last-Modified").flatMap(CookieDate.parse) {
      // A tenth of its age: what has long been the same stays so for a while.
      lifetime = min(max(0, date.timeIntervalSince(modified)) / 10, usualLifetime)
    } else {
      lifetime = usualLifetime
    }
    lifetime = min(max(0, lifetime - TimeInterval(age)), CacheControl.longest)
    freshUntil = now.addingTimeInterval(lifetime)
    let window =
      control.contains("must-revalidate") || control.contains("no-cache")
      ? 0 : control.seconds("stale-while-revalidate") ?? 0
    staleUntil = freshUntil.addingTimeInterval(window)
  }
}

/// The directives of a Cache-Control field.
struct CacheControl: Sendable {
  /// More than a year is a year: dates stay within what can be calculated with.
  static let longest: TimeInterval = 366 * 86_400

  private var directives: [String: String] = [:]

  init(_ field: String) {
    for part in field.split(separator: ",").prefix(64) {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard let name = pair.first else { continue }
      let value = pair.count == 2 ? ASCII.trimmed(pair[1]).filter { $0 != "\"" } : ""
      // Said twice, the first counts.
      let key = ASCII.lowercased(ASCII.trimmed(name))
      if directives[key] == nil { directives[key] = String(value) }
    }
  }

  func contains(_ name: String) -> Bool { directives[name] != nil }

  /// A number that is too large to read is the longest; what is no number at all is none.
  func seconds(_ name: String) -> TimeInterval? {
    guard let value = directives[name], !value.isEmpty, value.utf8.allSatisfy(ASCII.isDigit) else {
      return directives[name] == nil ? nil : 0
    }
    return min(ASCII.number(value).map(TimeInterval.init) ?? Self.longest, Self.longest)
  }
}
