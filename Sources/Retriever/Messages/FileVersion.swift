#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// The version of a file whose beginning was stored.
package struct FileVersion: Sendable {
  /// What a request sends as `If-Range`: a strong entity tag or a date.
  package var validator: String
  /// The entity tag, which may be weak.
  package var entityTag: String?

  package init(validator: String, entityTag: String?) {
    self.validator = validator
    self.entityTag = entityTag
  }

  /// Returns nil if the response has neither a strong entity tag nor a date that identifies the bytes.
  package init?(_ response: HTTPURLResponse, now: Date = Date()) {
    entityTag = response.value(forHTTPHeaderField: "ETag")
    let tag = entityTag.flatMap { EntityTag.isWeak($0) ? nil : $0 }
    guard let validator = tag ?? Self.strongDate(of: response, now: now) else { return nil }
    self.validator = validator
  }

  /// The date of the last change. If the response was sent within the same second, the file may have changed again in it
  /// (RFC 9110, 8.8.2.2).
  private static func strongDate(of response: HTTPURLResponse, now: Date) -> String? {
    guard let date = response.value(forHTTPHeaderField: "Last-Modified") else { return nil }
    guard let modified = HTTPDateFormat.seconds(date) else { return date }
    let sent = response.value(forHTTPHeaderField: "Date").flatMap { HTTPDateFormat.seconds($0) }
    return modified < (sent ?? Int64(now.timeIntervalSince1970)) ? date : nil
  }

  /// Returns whether a response is about this version, as far as it says. Some servers ignore `If-Range`, and parts of two
  /// versions must never be combined (RFC 9110, 15.3.7.3).
  package func isThat(of response: HTTPURLResponse) -> Bool {
    let tag = response.value(forHTTPHeaderField: "ETag")
    // A tag that was weak may be strong later, when the file has not changed for a while.
    if let entityTag, let tag, !EntityTag.areWeaklyEqual(tag, entityTag) { return false }
    let isDate = HTTPDateFormat.seconds(validator) != nil
    let stated = isDate ? response.value(forHTTPHeaderField: "Last-Modified") : tag
    return stated == nil || stated == validator
  }
}
#endif
