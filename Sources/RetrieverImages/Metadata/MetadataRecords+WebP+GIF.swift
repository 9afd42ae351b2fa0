import Foundation

extension MetadataRecords {
  /// Reads the chunks of a WebP. Of the pixels, only the beginning is read, which states their size.
  mutating func readWebP(_ source: any ByteSource) throws(ImageError) {
    var order = WebPChunkOrder()
    var chunks = try RIFFChunks(source)
    while let chunk = try chunks.next() {
      let isUsed = order.uses(chunk.name)
      switch chunk.name {
      case "VP8X", "VP8 ", "VP8L":
        let head = try source.bytes(
          chunk.data.clamped(to: chunk.data.lowerBound..<chunk.data.lowerBound + 10))
        if chunk.name == "VP8X", isUsed { order.readFlags(head.first ?? 0) }
        size = size ?? Self.size(of: chunk.name, head)
      case "EXIF":
        guard let data = try record(chunk.data, in: source) else { continue }
        if isUsed { orientation = EXIFOrientation.read(data) }
        takeEXIF(data)
      case "XMP ": if let packet = try record(chunk.data, in: source) { takeXMP(packet) }
      case "ICCP" where isUsed: profile = try record(chunk.data, in: source).map { Data($0) }
      default: break
      }
    }
  }

  private static func size(of name: String, _ head: [UInt8]) -> PixelSize? {
    func number(_ offset: Int, _ size: Int) -> Int {
      head[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    switch name {
    case "VP8X" where head.count >= 10:
      return PixelSize(width: number(4, 3) + 1, height: number(7, 3) + 1)
    case "VP8 " where head.count >= 10 && head[3] == 0x9D:
      return PixelSize(width: number(6, 2) & 0x3FFF, height: number(8, 2) & 0x3FFF)
    case "VP8L" where head.count >= 5 && head[0] == 0x2F:
      let bits = number(1, 4)
      return PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
    default: return nil
    }
  }
}

extension MetadataRecords {
  /// Reads the comments and the XMP packet of a GIF. The pixels are skipped, block by block.
  mutating func readGIF(_ source: any ByteSource) throws(ImageError) {
    var blocks = try GIFBlocks(source)
    // Also if the data ends within the first frame.
    defer { size = blocks.size }
    while let block = try blocks.next() {
      guard block.range.count <= Self.maximumBytes else { continue }
      switch block.kind {
      case .comment: takeComment(try GIFBlocks.joined(source, block))
      case .application("XMP DataXMP"):
        // The packet is stored without block lengths. A trailer follows that makes it look like blocks.
        let packet = try record(block.data.upperBound..<block.range.upperBound, in: source)
        if let packet { takeXMP(packet) }
      default: break
      }
    }
  }
}
