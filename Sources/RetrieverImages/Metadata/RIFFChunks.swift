/// Follows the chunks of a WebP, and knows which of them the decoder uses.
struct WebPChunkOrder {
  /// The flag in a VP8X chunk of a file with EXIF data.
  static let exifFlag: UInt8 = 0x08
  /// The flag in a VP8X chunk of an animation.
  private static let animationFlag: UInt8 = 0x02
  /// The size of the data in a VP8X chunk that has a meaning.
  static let featuresSize = 10

  private var hasFeatures = false
  private var hasPixels = false
  private var hasPicture = false
  private var hasFrames = false
  private var hasOpacity = false
  private var hasEXIF = false
  private var declaresEXIF = false
  private var isAnimated = false

  /// Takes the next chunk of the file. Returns false if it is a known chunk that has no effect.
  mutating func uses(_ chunk: RIFFChunks.Chunk, in source: any ByteSource) throws(ImageError) -> Bool {
    switch chunk.name {
    case "VP8X":
      guard !hasFeatures, !hasPixels, chunk.data.count >= Self.featuresSize else { return false }
      hasFeatures = true
      let flags = try source.exactly(1, at: chunk.data.lowerBound)?[0] ?? 0
      declaresEXIF = flags & Self.exifFlag != 0
      isAnimated = flags & Self.animationFlag != 0
    case "EXIF":
      // The decoder waits for EXIF data after the pixels only if the file declares it, and uses the first one. It ignores
      // that of an animation.
      let isUsed = !isAnimated && !hasEXIF && (declaresEXIF || !hasPixels)
      hasEXIF = true
      return isUsed
    // A still image has one picture, and an animation only frames. Our decoder shows them also if the file does not declare them.
    case "VP8 ", "VP8L":
      defer { (hasPixels, hasPicture) = (true, true) }
      return !hasPicture && !hasFrames
    case "ANMF":
      defer { (hasPixels, hasFrames) = (true, true) }
      return !hasPicture
    // Without VP8X, opacity is ignored.
    case "ALPH":
      defer { (hasPixels, hasOpacity) = (hasPixels || hasFeatures, true) }
      return hasFeatures && !hasOpacity && !hasPicture && !hasFrames
    case "ANIM": return !hasPicture && !hasFrames
    default: break
    }
    return true
  }
}

/// The chunks of a WebP or of one of its frames.
struct RIFFChunks {
  struct Chunk {
    let name: String
    /// The chunk with its name, length and padding.
    let range: Range<Int>
    let data: Range<Int>
  }

  private let source: any ByteSource
  private var offset: Int
  private let end: Int
  private var count = 0

  /// Reads the chunks of a file.
  init(_ source: any ByteSource) throws(ImageError) {
    let field = try source.exactly(4, at: 4) ?? [0, 0, 0, 0]
    // The size counts the bytes after it, of which the first 4 are "WEBP".
    let size = field.reversed().reduce(0) { $0 << 8 | Int($1) }
    self.init(source, 12..<max(12, 8 + size))
  }

  /// Reads the chunks in a part of a file.
  init(_ source: any ByteSource, _ range: Range<Int>) {
    self.source = source
    offset = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next chunk; nil at the end.
  ///
  /// - Throws: An error if a chunk is not completely within the data.
  mutating func next() throws(ImageError) -> Chunk? {
    guard offset < end else { return nil }
    count += 1
    guard count <= MetadataRecords.maximumParts else { throw .tooManyParts("WebP") }
    guard let head = try source.exactly(8, at: offset) else { throw ImageError.truncated("WebP") }
    let size = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
    let data = (offset + 8)..<(offset + 8 + size)
    guard data.upperBound <= source.count else { throw ImageError.truncated("WebP") }
    guard data.upperBound <= end else {
      throw ImageError(.corrupt, "The WebP image is damaged: a chunk extends beyond the end of the image.")
    }
    // The padding of the last chunk may be missing.
    let next = min(data.upperBound + (size & 1), source.count)
    defer { offset = next }
    return Chunk(name: String(decoding: head.prefix(4), as: UTF8.self), range: offset..<next, data: data)
  }
}
