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
    // Too few bytes for another chunk belong to none.
    guard offset <= end - 8 else { return nil }
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
