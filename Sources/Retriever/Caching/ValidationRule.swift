#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// What the response to a validation means (RFC 9111, 4.3.3 to 4.3.5), and what a response makes invalid (4.4).
package enum ValidationRule {
  /// Returns the stored response as updated by a 304 response.
  ///
  /// - Returns: nil if the 304 response is about another version of the resource. The stored one must not be used.
  package static func updated(
    _ entry: StoredHead, by response: HeaderFields, requestTime: Date, now: Date
  ) -> StoredHead? {
    if let tag = response.values(for: "ETag").first, let stored = entry.fields.values(for: "ETag").first,
      !EntityTag.areWeaklyEqual(tag, stored)
    {
      return nil
    }
    return merged(entry, response, requestTime: requestTime, now: now)
  }

  /// The effect of a successful response to a HEAD request on a stored response to GET.
  package enum HeadEffect: Sendable, Equatable {
    case update(StoredHead)
    /// The resource has changed.
    case invalidate
  }

  package static func effect(
    ofHead response: HeaderFields, on entry: StoredHead, requestTime: Date, now: Date
  ) -> HeadEffect {
    // The new fields may not be stored, and the old ones are outdated.
    if CacheControl(response).contains("no-store") { return .invalidate }
    for name in ["ETag", "Last-Modified", "Content-Length"] {
      guard let received = response.values(for: name).first, let stored = entry.fields.values(for: name).first
      else { continue }
      if name == "ETag" ? !EntityTag.areWeaklyEqual(received, stored) : received != stored {
        return .invalidate
      }
    }
    return .update(merged(entry, response, requestTime: requestTime, now: now))
  }

  /// The keys of the stored responses that a request makes invalid.
  package static func invalidatedKeys(
    method: String, url: URL, status: Int, responseFields: () -> HeaderFields
  ) -> [CacheKey] {
    // These methods are safe: they change nothing (RFC 9110, 9.2.1).
    guard !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method), 200..<400 ~= status else { return [] }
    let fields = responseFields()
    let others = ["Location", "Content-Location"].compactMap { name -> URL? in
      guard let value = fields.values(for: name).first,
        let other = URL(string: value, relativeTo: url)?.absoluteURL,
        // A server must not be able to remove what others have sent.
        let origin = Origin(other), origin == Origin(url)
      else { return nil }
      return other
    }
    return ([url] + others).compactMap { CacheKey($0) }
  }

  /// The stored response with the fields of a newer one for the same bytes.
  static func merged(
    _ entry: StoredHead, _ response: HeaderFields, requestTime: Date, now: Date
  ) -> StoredHead {
    var entry = entry
    let updates = StoreRule.storedFields(of: response)
    let names = Set(updates.entries.map { ASCII.lowercased($0.name) }).subtracting(bodyFields)
    for name in names { entry.fields.remove(name) }
    for (name, value) in updates.entries where names.contains(ASCII.lowercased(name)) {
      entry.fields.add(value, for: name)
    }
    // The old age and date are not those of the response that was just confirmed.
    for name in ["Age", "Date"] where !names.contains(ASCII.lowercased(name)) { entry.fields.remove(name) }
    entry.requestTime = min(requestTime, now)
    entry.responseTime = now
    if names.contains("set-cookie") { entry.staysInMemory = true }
    return entry
  }

  /// The fields that describe the stored bytes, which do not change (RFC 9111, 3.2).
  private static let bodyFields: Set = ["content-length", "content-encoding", "content-range"]
}
#endif
