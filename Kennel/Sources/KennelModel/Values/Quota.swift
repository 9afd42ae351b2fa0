import Foundation

/// How many bytes the photos of a user may take.
package enum Quota: Sendable, Hashable {
  case unlimited
  case bytes(Int64)

  /// Creates a quota from a text: `none`, or a size such as `20GB`, `500 MB` or `1.5TiB`. Returns nil for other texts.
  package init?(_ text: String) {
    if text.lowercased() == "none" {
      self = .unlimited
    } else {
      guard let size = ByteSize(text) else { return nil }
      self = .bytes(size.bytes)
    }
  }

  var bytes: Int64? { if case .bytes(let bytes) = self { bytes } else { nil } }

  init(_ bytes: Int64?) { self = bytes.map { .bytes($0) } ?? .unlimited }
}

/// What the photos of a user take, and what they may take.
package struct QuotaUsage: Sendable, Hashable {
  package var used: Int64
  package var quota: Quota

  package init(used: Int64, quota: Quota) {
    self.used = used
    self.quota = quota
  }

  /// Describes the usage, such as `1.2 GB of 20 GB`.
  package var words: String {
    let used = ByteSize(bytes: used).words
    return quota.bytes.map { "\(used) of \(ByteSize(bytes: $0).words)" } ?? used
  }
}

/// The quota of a user, and the one that the user would have without a decision.
package struct QuotaDecision: Sendable, Hashable {
  /// The user's own quota, or nil for the default.
  package var own: Quota?
  /// The quota of all users without one of their own.
  package var standard: Quota
  /// What the photos of the user take.
  package var used: Int64

  package var usage: QuotaUsage { QuotaUsage(used: used, quota: own ?? standard) }
}

/// A number of bytes as people read and write it.
package struct ByteSize: Sendable, Hashable {
  package var bytes: Int64

  package init(bytes: Int64) { self.bytes = bytes }

  /// Creates a size from a number and a unit: B, kB, MB, GB or TB, or KiB, MiB, GiB or TiB. Returns nil for other texts.
  package init?(_ text: String) {
    let text = text.filter { !$0.isWhitespace }.lowercased()
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard digits.count <= 20, let number = Double(digits), number.isFinite else { return nil }
    let scales: [String: Double] = [
      "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 0x1p10, "mib": 0x1p20, "gib": 0x1p30,
      "tib": 0x1p40,
    ]
    guard let scale = scales[String(text.dropFirst(digits.count))],
      let bytes = Int64(exactly: (number * scale).rounded()), bytes <= Self.maximum
    else { return nil }
    self.bytes = bytes
  }

  /// A petabyte.
  private static let maximum: Int64 = 1_000_000_000_000_000

  /// The size with a decimal unit, such as `1.2 GB`.
  package var words: String { words(in: Locale(identifier: "en")) }

  package func words(in locale: Locale) -> String {
    max(bytes, 0).formatted(.byteCount(style: .decimal, spellsOutZero: false).locale(locale))
  }
}
