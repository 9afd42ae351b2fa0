import Foundation

/// Where two long stretches of bytes part, as a sentence; nil when they are the same.
///
/// `#expect(long == other)` works out every single difference when it fails, which takes minutes for a body of some
/// hundred kilobytes. `#expect(difference(long, other) == nil)` says at once where to look.
package func difference(_ found: (some ContiguousBytes)?, _ expected: some ContiguousBytes) -> String? {
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
