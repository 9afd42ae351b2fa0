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
  /// HEIC: a HEIF image that is coded with HEVC. Decoding needs the library libde265 at run time.
  case heic
  /// AVIF: a HEIF image that is coded with AV1. Decoding needs the library dav1d at run time.
  case avif
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
  static let maximumSignatureLength = 256

  private static let signatures: [(format: ImageFormat, bytes: [UInt8?])] = [
    (.jpeg, [0xFF, 0xD8, 0xFF]),
    (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    (.gif, Array("GIF87a".utf8)),
    (.gif, Array("GIF89a".utf8)),
    (.webp, Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBP".utf8)),
  ]

  static func format(of prefix: UnsafeRawBufferPointer) -> Verdict {
    var canBecomeKnown = false
    for signature in signatures where matches(prefix, signature.bytes) {
      if prefix.count >= signature.bytes.count { return .format(signature.format) }
      canBecomeKnown = true
    }
    return canBecomeKnown ? .needsMoreBytes : formatOfBrands(prefix)
  }

  private static func matches(_ prefix: UnsafeRawBufferPointer, _ bytes: [UInt8?]) -> Bool {
    zip(prefix, bytes).allSatisfy { byte, wanted in wanted == nil || wanted == byte }
  }

  /// The beginning of a HEIF file: a short `ftyp` box, with the main brand and those that are also right.
  private static let brandBox: [UInt8?] = [0, 0, nil, nil] + Array("ftyp".utf8)

  static let formatsByBrand: [FourCharacterCode: ImageFormat] = [
    "heic": .heic, "heix": .heic, "heim": .heic, "heis": .heic, "hevc": .heic, "hevx": .heic,
    "avif": .avif, "avis": .avif,
  ]

  /// The brands of HEIF files that do not name the coding, or only for some of their images.
  static let generalBrands: Set<FourCharacterCode> = [
    "mif1", "mif2", "mif3", "msf1", "miaf", "tmap", "1pic", "MiHB", "MiHA", "MiHE", "MiPr", "MA1A", "MA1B",
  ]

  private static func formatOfBrands(_ prefix: UnsafeRawBufferPointer) -> Verdict {
    guard matches(prefix, brandBox) else { return .unknown }
    guard prefix.count >= 12 else { return .needsMoreBytes }
    func brand(at index: Int) -> FourCharacterCode {
      FourCharacterCode(prefix[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    if let format = formatsByBrand[brand(at: 8)] { return .format(format) }
    guard generalBrands.contains(brand(at: 8)) else { return .unknown }
    let size = min(Int(prefix[2]) << 8 | Int(prefix[3]), maximumSignatureLength)
    for index in stride(from: 16, through: min(size, prefix.count) - 4, by: 4) {
      if let format = formatsByBrand[brand(at: index)] { return .format(format) }
    }
    guard prefix.count >= size else { return .needsMoreBytes }
    // Its items say how it is coded, and the decoder reads both kinds.
    return .format(.heic)
  }
}
