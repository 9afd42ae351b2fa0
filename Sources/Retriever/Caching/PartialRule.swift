#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// How incomplete responses are stored, combined and completed (RFC 9111, 3.3 and 3.4; RFC 9110, 14).
///
/// Bytes of two responses are combined only if both have the same strong validator: then the server promises that they
/// belong to the same sequence of bytes.
package enum PartialRule {
  /// The minimum length of the beginning of an interrupted response. A connection that was just opened sends about 14 KiB
  /// in its first round trip and doubles that, so less than this costs about as much to find as to load again.
  package static let minimumPrefix = 64 << 10
  /// The minimum length of a part that a request asked for. The head of a stored response has about this size.
  package static let minimumPart = 1 << 10
  /// The minimum age of a `Last-Modified` date that identifies the bytes: two changes within a second have the same date,
  /// and the clocks of a server's machines may differ (RFC 9110, 8.8.2.2).
  package static let minimumAgeOfDate: TimeInterval = 60

  /// A validator that changes with each change of the bytes.
  package enum Validator: Sendable, Equatable {
    case tag(String)
    case date(String)

    /// The value of `If-Range`.
    package var text: String {
      switch self {
      case .tag(let text), .date(let text): text
      }
    }
  }

  /// The strong validator of a response; nil if there is none.
  package static func validator(of fields: HeaderFields, near time: Date) -> Validator? {
    let tags = fields.values(for: "ETag")
    if let tag = tags.first {
      let isStrong = tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
      return tags.count == 1 && isStrong ? .tag(tag) : nil
    }
    guard let text = fields.values(for: "Last-Modified").first,
      let modified = StoredHead.date(text, near: time),
      let date = StoredHead.date(fields.values(for: "Date").first, near: time),
      date.timeIntervalSince(modified) >= minimumAgeOfDate
    else { return nil }
    return .date(text)
  }

  /// Whether two heads belong to the same sequence of bytes.
  package static func isSame(_ left: StoredHead, _ right: StoredHead) -> Bool {
    guard left.key == right.key, left.selection == right.selection,
      left.completeLength == right.completeLength,
      let validator = left.strongValidator
    else { return false }
    return validator == right.strongValidator
  }

  // MARK: Storing

  /// Returns the head of the stored response that a part makes; nil if the part is not worth storing.
  ///
  /// - Parameter head: The head that would be stored if the response were complete: with status 200.
  package static func head(_ head: StoredHead, part: BodyPart) -> StoredHead? {
    guard !head.isEncoded, head.strongValidator != nil,
      let extent = StoredExtent(length: part.length, ranges: [part.range])
    else { return nil }
    guard extent.isComplete || part.range.count >= minimumPart else { return nil }
    return with(extent, head)
  }

  /// Returns the beginning of a response that was interrupted as an incomplete stored response; nil if it is not worth
  /// storing.
  ///
  /// - Parameter length: The length that the server announced.
  package static func interrupted(_ head: StoredHead, body: Data, length: Int64) -> StoredEntry? {
    guard head.status == 200, head.extent == nil, !head.isEncoded, head.strongValidator != nil,
      body.count >= minimumPrefix, Int64(body.count) < length,
      let extent = StoredExtent(length: length, ranges: [0..<Int64(body.count)])
    else { return nil }
    return StoredEntry(head: with(extent, head), body: body)
  }

  /// The fields of a complete response, without those of the part.
  package static func completeFields(_ fields: HeaderFields, length: Int64) -> HeaderFields {
    var fields = fields
    fields.remove("Content-Range")
    fields["Content-Length"] = String(length)
    return fields
  }

  private static func with(_ extent: StoredExtent, _ head: StoredHead) -> StoredHead {
    var head = head
    head.fields = completeFields(head.fields, length: extent.length)
    head.extent = extent.isComplete ? nil : extent
    return head
  }

  /// Returns what to store after a part has arrived; nil to keep what is stored.
  ///
  /// - Parameters:
  ///   - stored: What is stored for the same requests, if anything.
  ///   - part: The new part. It may also be complete.
  ///   - limit: The maximum size of a body.
  package static func combine(
    _ stored: StoredEntry?, with part: StoredEntry, limit: Int, now: Date
  ) -> StoredEntry? {
    guard let new = part.head.extent, let kept = new.ranges.first else {
      return part.body.count <= limit ? part : nil
    }
    guard Int64(part.body.count) == new.count, part.body.count <= limit else { return nil }
    guard let stored else { return part }
    let isSame = isSame(stored.head, part.head)
    guard let old = stored.head.extent else {
      // A complete response is worth more, unless the server has just shown that it is outdated.
      return isSame || stored.head.freshness(now: now).isFresh ? nil : part
    }
    guard isSame, Int64(stored.body.count) == old.count,
      let extent = old.adding(new, keeping: kept, limit: limit)
    else { return part }
    var head = ValidationRule.merged(
      stored.head, part.head.fields, requestTime: part.head.requestTime, now: part.head.responseTime)
    head.staysInMemory = head.staysInMemory || stored.head.staysInMemory || part.head.staysInMemory
    head.extent = extent.isComplete ? nil : extent
    guard let body = body(of: extent, (old, stored.body), (new, part.body)) else { return part }
    return StoredEntry(head: head, body: body, userInfo: stored.userInfo)
  }

  /// Copies the bytes of an extent from two bodies. Where both have a byte, the second one is used.
  private static func body(
    of extent: StoredExtent, _ old: (extent: StoredExtent, body: Data),
    _ new: (extent: StoredExtent, body: Data)
  ) -> Data? {
    var body = Data(capacity: Int(extent.count))
    for range in extent.ranges {
      var position = range.lowerBound
      while position < range.upperBound {
        let (source, end) =
          if let piece = new.extent.ranges.first(where: { $0.contains(position) }) {
            (new, piece.upperBound)
          } else {
            // An old piece is used up to the place where a new one begins.
            (
              old,
              min(
                old.extent.ranges.first { $0.contains(position) }?.upperBound ?? position,
                new.extent.ranges.first { $0.lowerBound > position }?.lowerBound ?? .max)
            )
          }
        let next = min(end, range.upperBound)
        guard next > position, let positions = source.extent.positions(of: position..<next) else {
          return nil
        }
        let start = source.body.startIndex
        body.append(source.body[start + positions.lowerBound..<start + positions.upperBound])
        position = next
      }
    }
    return body
  }

  // MARK: Completing

  /// The fields that ask for the rest of an incomplete stored response, or for the complete body if it has changed; nil if
  /// too little is stored.
  package static func completingFields(_ head: StoredHead) -> [HeaderFields.Entry]? {
    guard let prefix = head.extent?.prefix, prefix >= minimumPrefix, let validator = head.strongValidator
    else {
      return nil
    }
    return [("Range", "bytes=\(prefix)-"), ("If-Range", validator.text)]
  }

  /// What the response to a request with ``completingFields(_:)`` means.
  package enum Completion: Sendable, Equatable {
    /// The response contains exactly the rest. The complete response has this head.
    case rest(StoredHead)
    /// The response answers the request by itself.
    case other
    /// The response does not fit. The complete body has to be loaded, without what is stored.
    case unusable
  }

  /// - Parameter contentLength: The length of the received body, as announced. Without it, a body that ends early could
  ///   look complete.
  package static func completion(
    of head: StoredHead, status: Int, fields: HeaderFields, contentLength: Int64?, requestTime: Date,
    now: Date
  ) -> Completion {
    switch status {
    case 206: break
    case 304, 416: return .unusable
    default: return .other
    }
    guard let extent = head.extent, let part = BodyPart(fields),
      part == BodyPart(range: extent.prefix..<extent.length, length: extent.length),
      contentLength == Int64(part.range.count), !fields.contains("Content-Encoding"),
      let validator = head.strongValidator, validator == Self.validator(of: fields, near: now)
    else { return .unusable }
    var complete = ValidationRule.merged(head, fields, requestTime: requestTime, now: now)
    complete.extent = nil
    return .rest(complete)
  }
}

extension StoredHead {
  /// The validator that identifies the bytes of the body.
  package var strongValidator: PartialRule.Validator? {
    isHTTP ? PartialRule.validator(of: fields, near: responseTime) : nil
  }

  /// The length of the complete body; nil if the head does not contain it.
  fileprivate var completeLength: Int64? {
    extent?.length ?? fields["Content-Length"].flatMap { ASCII.number($0) }
  }
}
#endif
