/// Names the format of data that no decoder reads, so that an error can say what the data is.
///
/// A format that becomes supported needs no change here: the decoders' signatures are tried first.
enum UnsupportedFormat {
  /// The result for the first bytes of a file.
  enum Verdict: Equatable {
    /// The name with its article, such as "a HEIC image".
    case named(String)
    case needsMoreBytes
    case unknown
  }

  /// The maximum number of bytes that any verdict needs.
  static let maximumLength = 1_024

  /// Returns the name of the format. Whether the bytes come together or one by one makes no difference: the verdict waits
  /// until no longer signature can match.
  ///
  /// - Parameter isAtEnd: True if no more bytes follow.
  static func verdict(for prefix: UnsafeRawBufferPointer, isAtEnd: Bool) -> Verdict {
    var best: Signature?
    for signature in signatures {
      guard zip(prefix, signature.bytes).allSatisfy({ $1 == nil || $0 == $1 }) else { continue }
      guard prefix.count >= signature.bytes.count else {
        if isAtEnd { continue }
        return .needsMoreBytes
      }
      if best.map({ $0.bytes.count < signature.bytes.count }) ?? true { best = signature }
    }
    guard let best else { return .unknown }
    return best.name == xml ? verdict(forXML: prefix, isAtEnd: isAtEnd) : .named(best.name)
  }

  /// Looks for the first element of an XML file, which may come after a declaration and comments.
  private static func verdict(forXML prefix: UnsafeRawBufferPointer, isAtEnd: Bool) -> Verdict {
    let start = prefix.prefix(maximumLength)
    let element = Array("<svg".utf8)
    for index in start.indices.dropLast(element.count - 1)
    where start[index] == element[0] && start[index...].starts(with: element) {
      return .named("an SVG image")
    }
    return start.count < maximumLength && !isAtEnd ? .needsMoreBytes : .named(xml)
  }

  private static let xml = "an XML file"

  private struct Signature {
    let name: String
    let bytes: [UInt8?]

    init(_ name: String, _ bytes: [UInt8?]) {
      self.name = name
      self.bytes = bytes
    }

    /// In the text, a question mark stands for any byte.
    init(_ name: String, _ text: String) {
      self.init(name, text.utf8.map { $0 == UInt8(ascii: "?") ? nil : $0 })
    }
  }

  private static let signatures: [Signature] = damaged + images + cameraFiles + media + documents

  /// The decoder would read these, if the size of the first box were right.
  private static let damaged: [Signature] =
    ImageSniffer.formatsByBrand.map { brand, format in
      let article = format == .avif ? "an" : "a"
      return Signature("\(article) \(format.name) image with an invalid beginning", "????ftyp\(brand)")
    }
    + ImageSniffer.generalBrands.map { Signature("a HEIF image with an invalid beginning", "????ftyp\($0)") }

  private static let images: [Signature] =
    [
      Signature("a BMP image", Array("BM".utf8) + [nil, nil, nil, nil, 0, 0, 0, 0]),
      Signature("a TIFF image or a raw image of a camera", [0x49, 0x49, 42, 0]),
      Signature("a TIFF image or a raw image of a camera", [0x4D, 0x4D, 0, 42]),
      Signature("a TIFF image", [0x49, 0x49, 43, 0]), Signature("a TIFF image", [0x4D, 0x4D, 0, 43]),
      Signature("an icon (ICO)", [0, 0, 1, 0]), Signature("a cursor (CUR)", [0, 0, 2, 0]),
      Signature("a JPEG XL image", [0xFF, 0x0A]),
      Signature("a JPEG XL image", [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10]),
      Signature("a JPEG 2000 image", [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 13, 10, 0x87, 10]),
      Signature("a JPEG 2000 image", [0xFF, 0x4F, 0xFF, 0x51]),
      Signature("a JPEG XR image", [0x49, 0x49, 0xBC, 1]),
      Signature("an SVG image", "<svg"), Signature("an SVG image", "<!DOCTYPE svg"), Signature(xml, "<?xml"),
      Signature("a Photoshop image (PSD)", "8BPS"), Signature("a GIMP image (XCF)", "gimp xcf"),
      Signature("an OpenEXR image", [0x76, 0x2F, 0x31, 1]), Signature("a Radiance HDR image", "#?RADIANCE"),
      Signature("a QOI image", "qoif"), Signature("a BPG image", [0x42, 0x50, 0x47, 0xFB]),
      Signature("a FLIF image", "FLIF"), Signature("a DDS image", "DDS "),
      Signature("an MNG animation", [0x8A, 0x4D, 0x4E, 0x47]),
      Signature("a JNG image", [0x8B, 0x4A, 0x4E, 0x47]),
      Signature("a Windows metafile", [0xD7, 0xCD, 0xC6, 0x9A]), Signature("a DjVu document", "AT&TFORM"),
    ]
    + (1...6).flatMap { kind in
      [10, 13, 32].map { space in Signature("a Netpbm image", [0x50, UInt8(0x30 + kind), space]) }
    }

  private static let cameraFiles: [Signature] = [
    [0x49, 0x49, 42, 0, 16, 0, 0, 0, 0x43, 0x52],  // Canon CR2
    Array("????ftypcrx ".utf8).map { $0 == 0x3F ? nil : $0 },  // Canon CR3
    [0x49, 0x49, 26, 0, 0, 0] + Array("HEAPCCDR".utf8),  // Canon CRW
    Array("FUJIFILMCCD-RAW".utf8), Array("IIRO".utf8), Array("IIRS".utf8), Array("MMOR".utf8),
    Array("IIU".utf8) + [0], Array("FOVb".utf8), [0] + Array("MRM".utf8),
  ].map { Signature("a raw image of a camera", $0) }

  private static let media: [Signature] = [
    Signature("a QuickTime video", "????ftypqt  "), Signature("a QuickTime video", "????moov"),
    Signature("an audio file (M4A)", "????ftypM4A "), Signature("a video (MP4)", "????ftyp"),
    Signature("a video (AVI)", "RIFF????AVI "), Signature("an audio file (WAV)", "RIFF????WAVE"),
    Signature("a video (Matroska or WebM)", [0x1A, 0x45, 0xDF, 0xA3]), Signature("a video (FLV)", "FLV"),
    Signature("a video (MPEG)", [0, 0, 1, 0xBA]), Signature("a video (MPEG)", [0, 0, 1, 0xB3]),
    Signature("a video (Windows Media)", [0x30, 0x26, 0xB2, 0x75]),
    Signature("a media file (Ogg)", "OggS"), Signature("an audio file (MP3)", "ID3"),
  ]

  private static let documents: [Signature] = [
    Signature("a PDF document", "%PDF-"), Signature("a PostScript document", "%!PS"),
    Signature("a ZIP archive", [0x50, 0x4B, 3, 4]), Signature("a gzip file", [0x1F, 0x8B, 8]),
    Signature("a web page (HTML)", "<!DOCTYPE html"), Signature("a web page (HTML)", "<!doctype html"),
    Signature("a web page (HTML)", "<html"), Signature("a web page (HTML)", "<HTML"),
  ]
}

extension ImageError {
  /// Returns the error for data in a format without a decoder.
  static func unknownFormat(named name: String?) -> ImageError {
    let names = ImageFormat.allCases.map(\.name)
    let supported = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    let found = name.map { "This is \($0), which is not supported." } ?? "The image format is not supported."
    return ImageError(.unknownFormat, "\(found) Use a \(supported) image.")
  }
}

extension ImageFormat {
  /// The name in messages.
  var name: String { self == .webp ? "WebP" : rawValue.uppercased() }
}
