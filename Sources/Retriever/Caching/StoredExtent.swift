#if !canImport(Darwin)
import HTTPSyntax

/// Which bytes of a body an incomplete stored response has. Its stored body consists of these bytes, in order.
package struct StoredExtent: Sendable, Equatable {
  /// The maximum number of ranges. More of them would make small gaps expensive to find and to rewrite.
  package static let maximumRanges = 16
  /// The maximum length of a complete body, so that sums of positions cannot overflow.
  package static let maximumLength: Int64 = 1 << 60

  /// The length of the complete body.
  package let length: Int64
  /// The ranges: sorted, neither empty nor overlapping, and with a gap between two of them.
  package private(set) var ranges: [Range<Int64>]

  /// - Returns: nil if the ranges do not fit into the length.
  package init?(length: Int64, ranges: [Range<Int64>]) {
    guard 1...Self.maximumLength ~= length else { return nil }
    var joined: [Range<Int64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      guard range.lowerBound >= 0, range.upperBound <= length else { return nil }
      if let last = joined.last, last.upperBound >= range.lowerBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    guard !joined.isEmpty else { return nil }
    self.length = length
    self.ranges = joined
  }

  /// The number of bytes in all ranges.
  package var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

  package var isComplete: Bool { ranges == [0..<length] }

  /// The number of bytes from the beginning of the body up to the first gap.
  package var prefix: Int64 { ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0 }

  /// The positions in the stored body of a range of the complete body; nil if not all of its bytes are stored.
  package func positions(of range: Range<Int64>) -> Range<Int>? {
    var offset: Int64 = 0
    for stored in ranges {
      if stored.lowerBound <= range.lowerBound, range.upperBound <= stored.upperBound {
        let start = offset + range.lowerBound - stored.lowerBound
        return Int(start)..<Int(start) + range.count
      }
      offset += Int64(stored.count)
    }
    return nil
  }

  /// Adds ranges. Then removes the shortest ones, except for those that contain `kept`, until the rest is within the
  /// limits.
  func adding(_ other: StoredExtent, keeping kept: Range<Int64>, limit: Int) -> StoredExtent? {
    guard var result = StoredExtent(length: length, ranges: ranges + other.ranges) else { return nil }
    while result.ranges.count > Self.maximumRanges || result.count > Int64(limit) {
      let candidates = result.ranges.indices.filter { !result.ranges[$0].overlaps(kept) }
      guard let shortest = candidates.min(by: { result.ranges[$0].count < result.ranges[$1].count }) else {
        return result.count <= Int64(limit) ? result : other
      }
      result.ranges.remove(at: shortest)
    }
    return result
  }
}

/// The part of a body of known length that a response with status 206 contains.
package struct BodyPart: Sendable, Equatable {
  package let range: Range<Int64>
  package let length: Int64

  package init(range: Range<Int64>, length: Int64) {
    self.range = range
    self.length = length
  }

  /// - Returns: nil for unknown lengths, and without exactly one valid `Content-Range` field.
  package init?(_ fields: HeaderFields) {
    guard let part = fields.contentRange, let length = part.length, length <= StoredExtent.maximumLength
    else {
      return nil
    }
    self.init(range: part.range, length: length)
  }
}

extension HeaderFields {
  /// The part of a body that a response with these fields contains; nil without exactly one valid field.
  package var contentRange: ContentRange? {
    let values = values(for: "Content-Range")
    return values.count == 1 ? ContentRange(values[0]) : nil
  }
}
#endif
