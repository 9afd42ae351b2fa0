#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// Serves parts of stored responses (RFC 9110, 14).
package enum ByteRangeRule {
  /// A single range of bytes, as a request states it.
  private enum Stated {
    case from(Int64, through: Int64?)
    case last(Int64)
  }

  /// Whether a range can be taken from a stored response. Other requests are sent to the server.
  package static func canServe(_ entry: StoredHead, to request: HeaderFields) -> Bool {
    guard entry.status == 200, !entry.isEncoded, stated(request) != nil else { return false }
    if let extent = entry.extent {
      guard let range = range(request, length: Int(extent.length)),
        extent.positions(of: Int64(range.lowerBound)..<Int64(range.upperBound)) != nil
      else { return false }
    }
    guard let condition = request["If-Range"] else { return true }
    if let tag = entry.fields["ETag"], !tag.hasPrefix("W/"), tag == condition { return true }
    // Equal dates are not proof of equal bytes, so only the entity tag counts.
    return false
  }

  /// Returns the bytes of a range within a body of this length; nil if there are none.
  package static func range(_ request: HeaderFields, length: Int) -> Range<Int>? {
    let length = Int64(length)
    switch stated(request) {
    case nil: return nil
    case .from(let first, let last):
      guard first < length else { return nil }
      return Int(first)..<Int(min(last ?? .max, length - 1)) + 1
    case .last(let count):
      guard count > 0, length > 0 else { return nil }
      return Int(max(0, length - count))..<Int(length)
    }
  }

  /// Whether a request asks for one range of bytes.
  package static func asksForOneRange(_ request: HeaderFields) -> Bool { stated(request) != nil }

  /// Returns the part of a stored response that a request asks for, or the response 416.
  package static func part(of entry: StoredEntry, for request: HeaderFields) -> StoredEntry {
    let length = entry.head.extent.map { Int($0.length) } ?? entry.body.count
    let range = range(request, length: length)
    var part = entry
    part.head = head(of: entry.head, range: range, length: length)
    part.head.extent = nil
    var positions = range
    if let extent = entry.head.extent, let range {
      positions = extent.positions(of: Int64(range.lowerBound)..<Int64(range.upperBound))
    }
    let start = entry.body.startIndex
    part.body =
      positions.map { entry.body.subdata(in: start + $0.lowerBound..<start + $0.upperBound) } ?? Data()
    return part
  }

  /// Returns the head of a response with a part of the body; with a nil range, of the response 416.
  package static func head(of entry: StoredHead, range: Range<Int>?, length: Int) -> StoredHead {
    var head = entry
    let version: String? = if case .http(_, let version, _) = entry.kind { version } else { nil }
    head.kind = .http(status: range == nil ? 416 : 206, version: version, isFromNetwork: true)
    head.fields["Content-Length"] = String(range?.count ?? 0)
    head.fields["Content-Range"] =
      range.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/\(length)" } ?? "bytes */\(length)"
    return head
  }

  /// Parses a `Range` field with one range; nil for several ranges, other units, and invalid fields.
  private static func stated(_ request: HeaderFields) -> Stated? {
    let values = request.values(for: "Range")
    guard values.count == 1, let value = values.first else { return nil }
    let parts = value.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, ASCII.equalIgnoringCase(ASCII.trimmed(parts[0]), "bytes") else { return nil }
    let bounds = ASCII.trimmed(parts[1]).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard bounds.count == 2 else { return nil }
    if bounds[0].isEmpty { return ASCII.number(bounds[1]).map { .last($0) } }
    guard let first = ASCII.number(bounds[0]) else { return nil }
    if bounds[1].isEmpty { return .from(first, through: nil) }
    guard let last = ASCII.number(bounds[1]), last >= first else { return nil }
    return .from(first, through: last)
  }
}
#endif
