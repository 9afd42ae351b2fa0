/// Follows the blocks of a GIF that arrives in pieces. The decoder and the reader of frames use it.
///
/// It keeps at most one color table, and two blocks of an extension.
struct GIFBlockParser {
  /// A part of the file.
  enum Event {
    /// The size of the screen.
    case screen(PixelSize)
    /// The color table for frames without one of their own: red, green and blue for each color.
    case colors([UInt8])
    /// The contents of a graphic control extension, which describes the next frame.
    case control([UInt8])
    /// The name and the first data of an extension of an application.
    case application(name: [UInt8], data: [UInt8])
    case frame(GIFFrameHeader)
    /// A part of the compressed pixels of a frame.
    case pixels(UnsafeRawBufferPointer)
    case frameEnd
    /// The file ends here, or continues with an unknown block.
    case end(isTrailer: Bool)
  }

  private enum Part {
    case header, globalColors, blockStart, extensionLabel, extensionSize, `extension`, descriptor, localColors
    case codeSize, pixelsSize, pixels, end
  }

  private var part = Part.header
  /// The bytes of the current part so far, and their number when it is complete.
  private var held: [UInt8] = []
  private var needed = 13
  /// The number of bytes left in a block of pixels.
  private var left = 0
  private var label: UInt8 = 0
  /// The first two blocks of the current extension.
  private var blocks: [[UInt8]] = []
  private var frame = GIFFrameHeader()

  /// True from the head of a frame until its last pixels.
  var isInFrame: Bool {
    switch part {
    case .localColors, .codeSize, .pixelsSize, .pixels: true
    case .header, .globalColors, .blockStart, .extensionLabel, .extensionSize, .extension, .descriptor, .end:
      false
    }
  }

  /// Consumes bytes from the front, and returns the event that they make; nil if there are too few bytes.
  mutating func next(_ bytes: inout UnsafeRawBufferPointer) -> Event? {
    while part != .end {
      if part == .pixels, left > 0 {
        guard !bytes.isEmpty else { return nil }
        return .pixels(takePixels(&bytes))
      }
      let count = min(needed - held.count, bytes.count)
      held.append(contentsOf: bytes.prefix(count))
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))
      guard held.count == needed else { return nil }
      let read = held
      held.removeAll(keepingCapacity: true)
      if let event = take(read) { return event }
    }
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(bytes.count))
    return nil
  }

  private mutating func takePixels(_ bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(left))
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(piece.count))
    left -= piece.count
    if left == 0 { expect(.pixelsSize, 1) }
    return piece
  }

  /// Takes a complete part.
  private mutating func take(_ read: [UInt8]) -> Event? {
    switch part {
    case .header:
      expectColors(.globalColors, flags: read[10], otherwise: (.blockStart, 1))
      return .screen(PixelSize(width: read.word(6), height: read.word(8)))
    case .globalColors:
      expect(.blockStart, 1)
      return .colors(read)
    case .blockStart: return startBlock(read[0])
    case .extensionLabel:
      label = read[0]
      blocks = []
      expect(.extensionSize, 1)
      return nil
    case .extensionSize, .extension: return takeExtension(read)
    case .descriptor:
      frame = GIFFrameHeader(descriptor: read)
      expectColors(.localColors, flags: read[8], otherwise: (.codeSize, 1))
      return nil
    case .localColors:
      frame.colors = read
      expect(.codeSize, 1)
      return nil
    case .codeSize:
      frame.codeSize = Int(read[0])
      expect(.pixelsSize, 1)
      return .frame(frame)
    case .pixelsSize:
      left = Int(read[0])
      if left == 0 {
        expect(.blockStart, 1)
        return .frameEnd
      }
      part = .pixels
      return nil
    case .pixels, .end: return nil
    }
  }

  private mutating func startBlock(_ byte: UInt8) -> Event? {
    switch byte {
    case 0x21: expect(.extensionLabel, 1)
    case 0x2C: expect(.descriptor, 9)
    // A stray zero between blocks is common and harmless.
    case 0: return nil
    default:
      part = .end
      return .end(isTrailer: byte == 0x3B)
    }
    return nil
  }

  private mutating func takeExtension(_ read: [UInt8]) -> Event? {
    if part == .extension {
      if blocks.count < 2 { blocks.append(read) }
      expect(.extensionSize, 1)
      return nil
    }
    if read[0] > 0 {
      expect(.extension, Int(read[0]))
      return nil
    }
    expect(.blockStart, 1)
    switch (label, blocks.count) {
    case (0xF9, 1...): return .control(blocks[0])
    case (0xFF, 2...): return .application(name: blocks[0], data: blocks[1])
    default: return nil
    }
  }

  private mutating func expect(_ part: Part, _ count: Int) {
    self.part = part
    needed = count
  }

  /// Expects a color table if the flags declare one.
  private mutating func expectColors(_ part: Part, flags: UInt8, otherwise: (Part, Int)) {
    if flags & 0x80 == 0 {
      expect(otherwise.0, otherwise.1)
    } else {
      expect(part, 3 << (Int(flags & 7) + 1))
    }
  }

}

/// What a GIF declares about a frame before its pixels.
struct GIFFrameHeader {
  var rectangle = FrameRectangle(left: 0, top: 0, size: PixelSize(width: 0, height: 0))
  var isInterlaced = false
  /// The frame's own color table; nil for that of the file.
  var colors: [UInt8]?
  /// The minimum size of a code in bits.
  var codeSize = 0
}

extension GIFFrameHeader {
  /// - Parameter bytes: The nine bytes after the mark of a frame.
  fileprivate init(descriptor bytes: [UInt8]) {
    rectangle = FrameRectangle(
      left: bytes.word(0), top: bytes.word(2), size: PixelSize(width: bytes.word(4), height: bytes.word(6)))
    isInterlaced = bytes[8] & 0x40 != 0
  }
}

extension [UInt8] {
  /// Returns two bytes as a little-endian number.
  func word(_ index: Int) -> Int { Int(self[index]) | Int(self[index + 1]) << 8 }
}
