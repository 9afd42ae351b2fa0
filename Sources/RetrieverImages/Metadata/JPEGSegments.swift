/// The segments of a JPEG before its first scan.
struct JPEGSegments {
  /// One segment, without its marker and length.
  struct Segment {
    let marker: UInt8
    /// The position of the marker, including the fill bytes before it.
    let start: Int
    /// The contents.
    let payload: Range<Int>
    /// False for an application segment that the decoder skips, because too many precede it.
    var isRead = true

    var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }
  }

  /// More segments than any camera writes.
  static let maximumSegments = 10_000
  /// The number of APP1 and APP2 segments that the decoder reads, as `max_segments` of its C code.
  static let maximumReadSegments = 2_048

  private(set) var segments: [Segment] = []
  /// True if there are bytes before a marker that belong to no segment. Decoders skip them.
  private(set) var hasUnknownBytes = false
  /// The position of the first scan's marker; nil if the data ends before, or is damaged.
  private(set) var scan: Int?
  /// Why there is no first scan.
  private(set) var problem: ImageError?

  /// Reads the segments of the image that begins at an offset of a file.
  init(_ source: any ByteSource, at start: Int = 0) throws(ImageError) {
    problem = try read(source, from: start)
  }

  /// Returns why the first scan was not found; nil if it was.
  private mutating func read(_ source: any ByteSource, from start: Int) throws(ImageError) -> ImageError? {
    guard try source.exactly(2, at: start) == [0xFF, 0xD8] else {
      return .damagedJPEG("it does not begin with its signature")
    }
    var offset = start + 2
    var readCount = 0
    while segments.count < Self.maximumSegments {
      guard let found = try Self.nextMarker(source, from: offset) else { return .truncated("JPEG") }
      if found.start > offset { hasUnknownBytes = true }
      let begin = found.start
      offset = found.marker
      guard let mark = try source.exactly(2, at: offset) else { return .truncated("JPEG") }
      switch mark[1] {
      case 0xDA:
        scan = begin
        return nil
      case 0xD9: return .damagedJPEG("it ends before its pixels")
      case 0x01, 0xD0...0xD8:
        // These have no contents, and no meaning here.
        offset += 2
        segments.append(Segment(marker: mark[1], start: begin, payload: offset..<offset))
      default:
        guard let field = try source.exactly(2, at: offset + 2) else { return .truncated("JPEG") }
        let length = Int(field[0]) << 8 | Int(field[1])
        guard length >= 2 else { return .damagedJPEG("a segment has no valid length") }
        let end = offset + 2 + length
        guard end <= source.count else { return .truncated("JPEG") }
        if mark[1] == 0xE1 || mark[1] == 0xE2 { readCount += 1 }
        segments.append(
          Segment(
            marker: mark[1], start: begin, payload: (offset + 4)..<end,
            isRead: readCount <= Self.maximumReadSegments || !(0xE1...0xE2).contains(mark[1])))
        offset = end
      }
    }
    return .tooManySegments
  }

  /// Finds the next marker. Like libjpeg, it skips bytes that belong to no segment.
  ///
  /// - Returns: The positions of the marker and of the fill bytes before it, which are also 0xFF; nil at the end of the data.
  private static func nextMarker(
    _ source: any ByteSource, from start: Int
  ) throws(ImageError) -> (start: Int, marker: Int)? {
    if let mark = try source.exactly(2, at: start), mark[0] == 0xFF, mark[1] != 0, mark[1] != 0xFF {
      return (start, start)
    }
    var offset = start
    var first: Int?
    while true {
      let piece = try source.bytes(offset..<offset + 4_096)
      guard !piece.isEmpty else { return nil }
      for (index, byte) in piece.enumerated() {
        if byte == 0xFF {
          first = first ?? offset + index
        } else if let begin = first {
          // A zero escapes the byte before it, which is not a marker then.
          if byte != 0 { return (begin, offset + index - 1) }
          first = nil
        }
      }
      offset += piece.count
    }
  }

  /// The size in pixels that the frame header states.
  func size(_ source: any ByteSource) throws(ImageError) -> PixelSize? {
    guard let frame = segments.first(where: \.isFrame),
      let fields = try source.exactly(5, at: frame.payload.lowerBound), frame.payload.count >= 5
    else { return nil }
    return PixelSize(
      width: Int(fields[3]) << 8 | Int(fields[4]), height: Int(fields[1]) << 8 | Int(fields[2]))
  }
}

extension ImageError {
  static let tooManySegments = ImageError(
    .tooLarge, "The JPEG image has more segments than the maximum of \(JPEGSegments.maximumSegments).")

  static func damagedJPEG(_ reason: String) -> ImageError {
    ImageError(.corrupt, "The JPEG image is damaged: \(reason).")
  }
}

extension JPEGSegments {
  /// Returns whether decoders need a segment to show the pixels. Application segments are not among them.
  ///
  /// - Parameter count: The number of bytes of its contents.
  static func isNeeded(_ marker: UInt8, count: Int) -> Bool {
    switch marker {
    // Markers without contents.
    case 0x01, 0xD0...0xD8: true
    // Frames, Huffman tables, scans, quantization tables, restart intervals and hierarchies.
    case 0xC0...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xDA, 0xDB, 0xDD, 0xDE: true
    // Arithmetic coding, with 2 bytes for each of at most 32 tables, and the expansion of a hierarchy.
    case 0xCC: count <= 64 && count.isMultiple(of: 2)
    case 0xDF: count == 1
    // The number of lines. Decoders skip such a segment without looking at its length, so it could hold anything.
    case 0xDC: count == 2
    default: false
    }
  }
}

/// The kinds of application segments of a JPEG that this library knows.
enum JPEGApplication: CaseIterable {
  case jfif, exif, xmp, extendedXMP, profile, multiPicture, gainMapVersion, photoshop, adobe

  var marker: UInt8 {
    switch self {
    case .jfif: 0xE0
    case .exif, .xmp, .extendedXMP: 0xE1
    case .profile, .multiPicture, .gainMapVersion: 0xE2
    case .photoshop: 0xED
    case .adobe: 0xEE
    }
  }

  var signature: [UInt8] {
    switch self {
    case .jfif: Array("JFIF\0".utf8)
    case .exif: Array("Exif\0\0".utf8)
    case .xmp: Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    case .extendedXMP: Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    case .profile: Array("ICC_PROFILE\0".utf8)
    case .multiPicture: Array("MPF\0".utf8)
    // ISO 21496-1, which describes gain maps.
    case .gainMapVersion: Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
    case .photoshop: Array("Photoshop 3.0\0".utf8)
    case .adobe: Array("Adobe".utf8)
    }
  }

  /// Returns the kind of a segment; nil if it is unknown.
  static func kind(of segment: JPEGSegments.Segment, in source: any ByteSource) throws(ImageError) -> Self? {
    guard (0xE0...0xEF).contains(segment.marker), segment.isRead else { return nil }
    let start = try source.bytes(
      segment.payload.lowerBound..<min(segment.payload.upperBound, segment.payload.lowerBound + 36))
    return allCases.first { $0.marker == segment.marker && start.starts(with: $0.signature) }
  }
}
