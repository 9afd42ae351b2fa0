/// The supported image formats. The first bytes of the data determine the format, never a file name or a content type.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// JPEG, baseline or progressive.
  case jpeg
  /// PNG, interlaced or not.
  case png
  /// WebP, lossy or lossless. Only the first frame of an animation is decoded.
  case webp
  /// GIF. Only the first frame of an animation is decoded.
  case gif
}

/// Detects the format of an image from its first bytes. It knows only the supported formats.
enum ImageSniffer {
  /// The result for the first bytes of a file.
  enum Verdict: Equatable {
    case format(ImageFormat)
    /// The bytes are the beginning of a known signature, but not all of it.
    case needsMoreBytes
    case unknown
  }

  /// The maximum number of bytes that any verdict needs.
  static let maximumSignatureLength = 12

  private static let signatures: [(format: ImageFormat, bytes: [UInt8?])] = [
    (.jpeg, [0xFF, 0xD8, 0xFF]),
    (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    (.gif, Array("GIF87a".utf8)),
    (.gif, Array("GIF89a".utf8)),
    (.webp, Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBP".utf8)),
  ]

  static func format(of prefix: UnsafeRawBufferPointer) -> Verdict {
    var canBecomeKnown = false
    for signature in signatures {
      let matches = zip(prefix, signature.bytes).allSatisfy { byte, wanted in
        wanted == nil || wanted == byte
      }
      guard matches else { continue }
      if prefix.count >= signature.bytes.count { return .format(signature.format) }
      canBecomeKnown = true
    }
    return canBecomeKnown ? .needsMoreBytes : .unknown
  }
}
