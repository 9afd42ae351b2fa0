import Foundation

/// Returns a sentence about the first difference of two long byte sequences; nil if they are equal.
///
/// A failing `#expect(long == other)` computes every difference, which takes minutes for a body of several hundred
/// kilobytes. `#expect(difference(long, other) == nil)` immediately reports the first one.
public func difference(_ found: (some ContiguousBytes)?, _ expected: some ContiguousBytes) -> String? {
  guard let found else { return "There are no bytes." }
  return found.withUnsafeBytes { found in
    expected.withUnsafeBytes { expected in
      if found.count == expected.count {
        guard let start = found.baseAddress, let other = expected.baseAddress,
          memcmp(start, other, found.count) != 0
        else { return nil }
      }
      let same = zip(found, expected).prefix { $0 == $1 }.count
      return "\(found.count) bytes and not \(expected.count); the first \(same) are the same."
    }
  }
}
