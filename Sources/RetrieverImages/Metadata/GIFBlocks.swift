/// The blocks of a GIF after its header and global color table.
struct GIFBlocks {
  enum Kind: Equatable {
    /// A frame with its color table and pixels.
    case frame
    case graphicControl, comment, plainText
    /// An extension of an application, with the name and version in its first block.
    case application(String)
    case unknownExtension
    case trailer
  }

  struct Block {
    let kind: Kind
    let range: Range<Int>
    /// The first block of data.
    let data: Range<Int>
  }

  /// The size of the screen in pixels. From the first frame on, it is large enough for that frame, as in the decoder.
  private(set) var size: PixelSize
  /// The header with the global color table.
  let header: Range<Int>
  private let source: any ByteSource
  private var offset: Int
  private var hasEnded = false
  private var hasFrame = false
  private var count = 0
  private static let pieceSize = 4_096

  init(_ source: any ByteSource) throws(ImageError) {
    guard let head = try source.exactly(13, at: 0) else { throw ImageError.truncated("GIF") }
    self.source = source
    size = PixelSize(width: Int(head[6]) | Int(head[7]) << 8, height: Int(head[8]) | Int(head[9]) << 8)
    offset = 13 + Self.colorTable(head[10])
    header = 0..<offset
    guard offset <= source.count else { throw ImageError.truncated("GIF") }
  }

  /// Returns the next block; nil after the trailer. The trailer is empty if the file ends without one after a frame, or
  /// continues with an unknown block, which decoders tolerate.
  ///
  /// - Throws: An error if the data is damaged, or ends within a block or before the first frame.
  mutating func next() throws(ImageError) -> Block? {
    guard !hasEnded else { return nil }
    count += 1
    guard count <= MetadataRecords.maximumParts else { throw .tooManyParts("GIF") }
    guard let start = try skipZeros(from: offset), let introducer = try source.exactly(1, at: start)?[0]
    else {
      return try missingTrailer(at: source.count, .truncated("GIF"))
    }
    switch introducer {
    case 0x3B:
      hasEnded = true
      return Block(kind: .trailer, range: start..<start + 1, data: start..<start)
    case 0x2C:
      guard let fields = try source.exactly(10, at: start) else { throw ImageError.truncated("GIF") }
      if !hasFrame { grow(for: fields) }
      let data = start + 10 + Self.colorTable(fields[9]) + 1
      offset = try end(ofBlocksAt: data)
      hasFrame = true
      return Block(kind: .frame, range: start..<offset, data: data..<data)
    case 0x21:
      guard let fields = try source.exactly(3, at: start) else { throw ImageError.truncated("GIF") }
      let data = (start + 3)..<(start + 3 + Int(fields[2]))
      offset = try end(ofBlocksAt: start + 2)
      return Block(kind: try kind(fields[1], data), range: start..<offset, data: data)
    default:
      return try missingTrailer(
        at: start,
        ImageError(.corrupt, "The GIF image is damaged: there is no valid block at byte \(start)."))
    }
  }

  private mutating func grow(for frame: [UInt8]) {
    func number(_ offset: Int) -> Int { Int(frame[offset]) | Int(frame[offset + 1]) << 8 }
    size.width = max(size.width, number(1) + number(5))
    size.height = max(size.height, number(3) + number(7))
  }

  private mutating func missingTrailer(at end: Int, _ problem: ImageError) throws(ImageError) -> Block {
    guard hasFrame else { throw problem }
    hasEnded = true
    return Block(kind: .trailer, range: end..<end, data: end..<end)
  }

  private func kind(_ label: UInt8, _ data: Range<Int>) throws(ImageError) -> Kind {
    switch label {
    case 0xF9: return .graphicControl
    case 0xFE: return .comment
    case 0x01: return .plainText
    case 0xFF: return .application(String(decoding: try source.bytes(data), as: UTF8.self))
    default: return .unknownExtension
    }
  }

  private func end(ofBlocksAt start: Int) throws(ImageError) -> Int {
    var offset = start
    while true {
      let piece = try source.bytes(offset..<offset + Self.pieceSize)
      guard !piece.isEmpty else { throw ImageError.truncated("GIF") }
      var index = 0
      while index < piece.count {
        let count = Int(piece[index])
        index += 1 + count
        if count == 0 { return offset + index }
      }
      offset += index
    }
  }

  /// Returns the position of the next byte that is not zero; nil at the end. Stray zeros between blocks are common and
  /// harmless.
  private func skipZeros(from start: Int) throws(ImageError) -> Int? {
    var offset = start
    while true {
      let piece = try source.bytes(offset..<offset + Self.pieceSize)
      guard !piece.isEmpty else { return nil }
      if let index = piece.firstIndex(where: { $0 != 0 }) { return offset + index }
      offset += piece.count
    }
  }

  private static func colorTable(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }

  /// Returns the contents of all data blocks of an extension.
  ///
  /// - Parameter isApplication: Whether the first data block, which names the application, is left out.
  static func joined(
    _ source: any ByteSource, _ block: Block, isApplication: Bool = false
  ) throws(ImageError) -> [UInt8] {
    let start = isApplication ? block.data.upperBound : block.data.lowerBound - 1
    let bytes = try source.bytes(start..<block.range.upperBound)
    var contents: [UInt8] = []
    var offset = 0
    while offset < bytes.count, bytes[offset] > 0 {
      let end = offset + 1 + Int(bytes[offset])
      contents += bytes[(offset + 1)..<min(end, bytes.count)]
      offset = end
    }
    return contents
  }
}
