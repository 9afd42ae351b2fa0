/// An identifier of one version of a representation, as in `ETag: "abc"`.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
  /// The text between the quotes: visible characters without quotes.
  public let opaque: String
  /// Whether versions with the same tag may differ in bytes.
  public let isWeak: Bool

  /// Creates a tag.
  ///
  /// - Parameters:
  ///   - opaque: The text between the quotes. Characters that are not allowed there are removed.
  ///   - isWeak: Whether versions with the same tag may differ in bytes.
  public init(_ opaque: String, isWeak: Bool = false) {
    self.opaque = String(decoding: opaque.utf8.filter(Self.isTagByte), as: UTF8.self)
    self.isWeak = isWeak
  }

  /// The tag in the format of a header field.
  public var description: String { (isWeak ? "W/" : "") + "\"\(opaque)\"" }

  private static func isTagByte(_ byte: UInt8) -> Bool { byte == 0x21 || 0x23...0x7E ~= byte }

  /// Parses a tag in a header field. Returns nil if it is not exactly one valid tag.
  init?(parsing text: String) {
    var list = Self.list([text])
    guard list.count == 1 else { return nil }
    self = list.removeFirst()
  }

  /// Returns the tags in `If-Match` or `If-None-Match`. A tag may contain a comma, so the parser looks for quotes and
  /// skips the text outside them.
  static func list(_ values: [String]) -> [EntityTag] {
    var tags: [EntityTag] = []
    for value in values {
      let bytes = Array(value.utf8)
      var index = 0
      while let open = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) {
        guard let close = bytes[(open + 1)...].firstIndex(of: UInt8(ascii: "\"")) else { break }
        let isWeak = open >= 2 && bytes[open - 1] == UInt8(ascii: "/") && bytes[open - 2] == UInt8(ascii: "W")
        tags.append(EntityTag(String(decoding: bytes[(open + 1)..<close], as: UTF8.self), isWeak: isWeak))
        index = close + 1
      }
    }
    return tags
  }

  /// Compares two tags (RFC 9110, 8.8.3.2). Ranges of bytes need a strong comparison; a cache needs only a weak one.
  func matches(_ other: EntityTag, strongly: Bool) -> Bool {
    opaque == other.opaque && !(strongly && (isWeak || other.isWeak))
  }
}
