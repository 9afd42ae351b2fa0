import HTTPSyntax
import Foundation
import Retriever

/// What is known of stored bytes.
struct CacheEntry: Sendable, Codable, Equatable {
  /// What they are the bytes of: file names are hashes, and hashes may collide.
  var identity: String
  var entityTag: String?
  var lastModified: String?
  /// Whether the last change lies long enough before the response that the date tells one version from another.
  var isDateStrong = false
  var acceptsRanges = false
  /// The length of the whole as announced; nil when it was not.
  var length: Int?
  var freshness: Freshness

  init(identity: String, freshness: Freshness) {
    self.identity = identity
    self.freshness = freshness
  }

  init(identity: String, response: HTTPURLResponse, now: Date, usualLifetime: TimeInterval) {
    let field = { (name: String) in response.value(forHTTPHeaderField: name) }
    self.init(
      identity: identity, freshness: Freshness(field, now: now, usualLifetime: usualLifetime))
    entityTag = field("ETag")
    lastModified = field("Last-Modified")
    if let modified = lastModified.flatMap(CookieDate.parse),
      let date = field("Date").flatMap(CookieDate.parse)
    {
      isDateStrong = date.timeIntervalSince(modified) >= 60
    }
    // Offsets count the bytes on the wire; decoded ones tell nothing of them.
    acceptsRanges =
      field("Content-Encoding") == nil
      && (response.statusCode == 206 || field("Accept-Ranges").map { ASCII.lowercased($0) } != "none")
    length = response.expectedContentLength < 0 ? nil : Int(exactly: response.expectedContentLength)
  }

  /// With which the rest may be asked for; nil when the server gave nothing that two versions cannot share.
  var strongValidator: String? {
    guard acceptsRanges else { return nil }
    if let entityTag, !entityTag.hasPrefix("W/") { return entityTag }
    return isDateStrong ? lastModified : nil
  }

  var canBeConfirmed: Bool { entityTag != nil || lastModified != nil }

  /// The entry as a 304 renews it: fields that it does not bring stay as they are.
  func confirmed(by response: HTTPURLResponse, now: Date, usualLifetime: TimeInterval) -> CacheEntry {
    var renewed = self
    let field = { (name: String) -> String? in
      response.value(forHTTPHeaderField: name) ?? (name == "Last-Modified" ? lastModified : nil)
    }
    renewed.freshness = Freshness(field, now: now, usualLifetime: usualLifetime)
    if let tag = response.value(forHTTPHeaderField: "ETag") { renewed.entityTag = tag }
    if let date = response.value(forHTTPHeaderField: "Last-Modified") { renewed.lastModified = date }
    return renewed
  }
}
