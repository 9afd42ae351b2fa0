/// The ways to treat an image whose data is damaged.
public enum DamagePolicy: Sendable, Hashable, CaseIterable {
  /// Damage that affects pixels is an error. ``ImageError/partialImages`` contains what could be decoded.
  case strict
  /// What could be decoded is the result, and ``UIImage/damage`` lists what was wrong. Missing rows are transparent.
  ///
  /// An image of which no row could be decoded is an error.
  case tolerate
}

/// A part of an image's data that is not valid.
public struct ImageDamage: Sendable, Hashable, CustomStringConvertible {
  /// The effect of the damage.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// Rows are missing, or have less detail than they should have, because the data ends too early or cannot be decoded
    /// any further.
    case incomplete
    /// All rows are there, but some of the pixels may be wrong.
    case pixels
    /// The pixels are not affected: for example, metadata is not valid and was ignored.
    case other
  }

  /// The effect of the damage.
  public let kind: Kind
  /// A message that says what is wrong.
  public let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// Creates the damage that ended the decoding, before or after the last row.
  init(_ error: ImageError, hasAllRows: Bool = false) {
    self.init(error.code == .truncated || !hasAllRows ? .incomplete : .pixels, error.description)
  }
}

extension ImageError {
  /// True if the data of the image is the reason, so that ``DamagePolicy/tolerate`` uses what was decoded before.
  var isDamage: Bool { code == .truncated || code == .corrupt }
}

extension [ImageDamage] {
  /// The first damage that ``DamagePolicy/strict`` does not allow, as an error.
  var firstError: ImageError? {
    first { $0.kind != .other }.map {
      ImageError($0.kind == .incomplete ? .truncated : .corrupt, $0.description)
    }
  }

  /// Adds the damage unless the list contains it.
  mutating func add(_ damage: ImageDamage) {
    if !contains(damage) { append(damage) }
  }
}
