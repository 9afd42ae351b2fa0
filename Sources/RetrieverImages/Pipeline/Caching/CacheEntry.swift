import HTTPSyntax
import Foundation
import Retriever

/// What a server calls one version of an image.
struct ImageVersion: Sendable, Equatable {
  var entityTag: String?
  var lastModified: String?
}

/// The information about stored bytes.
struct CacheEntry: Sendable, Codable, Equatable {
  /// The identity of the resource. File names are hashes, and hashes may collide.
  var identity: String
  var entityTag: String?
  var lastModified: String?
  /// Whether the last change is long enough before the response for the date to identify one version.
  var isDateStrong = false
  var acceptsRanges = false
  /// The announced length of the complete body; nil if there was none.
  var length: Int?
  var freshness: Freshness
  /// The fields of the response that state its lifetime, for a 304 response that does not repeat them. An entry that an
  /// earlier version of this library stored has none.
  var lifetimeFields: [String: String]?

  private static let lifetimeNames = ["Cache-Control", "Expires"]

  init(identity: String, freshness: Freshness) {
    self.identity = identity
    self.freshness = freshness
  }

  init(identity: String, response: HTTPURLResponse, now: Date, defaultLifetime: TimeInterval) {
    let field = { (name: String) in response.value(forHTTPHeaderField: name) }
    self.init(
      identity: identity, freshness: Freshness(field, now: now, defaultLifetime: defaultLifetime))
    lifetimeFields = Self.lifetimeNames.reduce(into: [:]) { $0[$1] = field($1) }
    entityTag = field("ETag")
    lastModified = field("Last-Modified")
    if let modified = lastModified.flatMap(CookieDate.parse),
      let date = field("Date").flatMap(CookieDate.parse)
    {
      isDateStrong = date.timeIntervalSince(modified) >= 60
    }
    // Offsets count the bytes on the wire, which decoded bytes do not match.
    acceptsRanges =
      field("Content-Encoding") == nil
      && (response.statusCode == 206 || field("Accept-Ranges").map { ASCII.lowercased($0) } != "none")
    length = response.expectedContentLength < 0 ? nil : Int(exactly: response.expectedContentLength)
  }

  /// The validator for requesting the rest; nil if the server sent none that identifies exactly one version.
  var strongValidator: String? {
    guard acceptsRanges else { return nil }
    if let entityTag, !entityTag.hasPrefix("W/") { return entityTag }
    return isDateStrong ? lastModified : nil
  }

  /// Whether the server can be asked if the bytes are still valid. Without the stated lifetime, a 304 response would not
  /// show how long they are.
  var canBeConfirmed: Bool { lifetimeFields != nil && (entityTag != nil || lastModified != nil) }

  /// What the server calls this version; nil if it gave it no name.
  var version: ImageVersion? {
    guard entityTag != nil || lastModified != nil else { return nil }
    return ImageVersion(entityTag: entityTag, lastModified: lastModified)
  }

  /// Returns the entry as updated by a 304 or 206 response. Fields that are not in the response do not change (RFC 9111,
  /// section 3.2).
  func confirmed(by response: HTTPURLResponse, now: Date, defaultLifetime: TimeInterval) -> CacheEntry {
    var renewed = self
    for name in Self.lifetimeNames {
      guard let value = response.value(forHTTPHeaderField: name) else { continue }
      renewed.lifetimeFields = (renewed.lifetimeFields ?? [:]).merging([name: value]) { $1 }
    }
    let field = { [renewed] (name: String) -> String? in
      response.value(forHTTPHeaderField: name) ?? renewed.lifetimeFields?[name]
        ?? (name == "Last-Modified" ? lastModified : nil)
    }
    renewed.freshness = Freshness(field, now: now, defaultLifetime: defaultLifetime)
    if let tag = response.value(forHTTPHeaderField: "ETag") { renewed.entityTag = tag }
    if let date = response.value(forHTTPHeaderField: "Last-Modified") { renewed.lastModified = date }
    return renewed
  }
}
