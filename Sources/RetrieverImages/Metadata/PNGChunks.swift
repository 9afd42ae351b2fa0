/// The chunks of a PNG, from the first one to IEND.
struct PNGChunks {
  struct Chunk {
    let name: String
    /// The chunk with its length, name and checksum.
    let range: Range<Int>

    var data: Range<Int> { (range.lowerBound + 8)..<(range.upperBound - 4) }
    /// Whether decoders need to know the chunk: the first letter of its name is uppercase.
    var isCritical: Bool { name.utf8.first.map { $0 & 0x20 == 0 } ?? false }
  }

  private let source: any ByteSource
  private var offset = 8
  private var count = 0

  init(_ source: any ByteSource) { self.source = source }

  /// Returns the next chunk; nil after IEND.
  ///
  /// - Throws: An error if the data is damaged or ends before IEND.
  mutating func next() throws(ImageError) -> Chunk? {
    guard offset >= 0 else { return nil }
    count += 1
    guard count <= MetadataRecords.maximumParts else { throw .tooManyParts("PNG") }
    guard let head = try source.exactly(8, at: offset) else { throw ImageError.truncated("PNG") }
    let length = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let letters = head[4...]
    guard letters.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }), length <= 0x7FFF_FFFF else {
      throw ImageError(.corrupt, "The PNG image is damaged: there is no valid chunk at byte \(offset).")
    }
    let chunk = Chunk(
      name: String(decoding: letters, as: UTF8.self), range: offset..<offset + 12 + length)
    guard chunk.range.upperBound <= source.count else { throw ImageError.truncated("PNG") }
    offset = chunk.name == "IEND" ? -1 : chunk.range.upperBound
    return chunk
  }
}
