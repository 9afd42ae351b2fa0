/// Tells a format by its first bytes: only the formats that can be read are known.
enum ImageSniffer {
  /// What the first bytes say.
  enum Verdict: Equatable {
    case format(ImageFormat)
    /// They are the beginning of a known format's mark, and too few.
    case needsMoreBytes
    case unknown
  }

  /// No verdict needs more bytes than this.
  static let longestMark = 12

  private static let marks: [(format: ImageFormat, bytes: [UInt8?])] = [
    (.jpeg, [0xFF, 0xD8, 0xFF]),
    (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    (.gif, Array("GIF87a".utf8)),
    (.gif, Array("GIF89a".utf8)),
    (.webp, Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBP".utf8)),
  ]

  static func format(of prefix: UnsafeRawBufferPointer) -> Verdict {
    var canBecomeKnown = false
    for mark in marks {
      let matches = zip(prefix, mark.bytes).allSatisfy { byte, wanted in wanted == nil || wanted == byte }
      guard matches else { continue }
      if prefix.count >= mark.bytes.count { return .format(mark.format) }
      canBecomeKnown = true
    }
    return canBecomeKnown ? .needsMoreBytes : .unknown
  }
}
