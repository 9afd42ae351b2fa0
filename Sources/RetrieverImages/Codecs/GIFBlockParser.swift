/// Follows the blocks of a GIF that arrives in pieces: counts its frames and finds the end of the first one.
///
/// It keeps no data of the file.
struct GIFBlockParser {
  private enum Part: Equatable {
    case header, blockStart, extensionLabel, subBlockSize, descriptor, codeSize, trailer
  }

  private(set) var screen = PixelSize(width: 0, height: 0)
  /// The position of the first frame, after its descriptor was read.
  private(set) var firstFrame: FrameRectangle?
  /// The number of frames whose descriptor was read.
  private(set) var frameCount = 0
  /// The length of the file up to the end of the first frame's pixels, after that end was read.
  private(set) var firstFrameEnd: Int?
  /// True if the file ends here, or continues with an unknown block.
  var isAtEnd: Bool { part == .trailer }

  private var part = Part.header
  private var isInFrame = false
  private var position = 0
  /// The number of bytes to skip before the next part.
  private var skipped = 0
  private var fields: [UInt8] = []

  /// Reads the next bytes.
  mutating func parse(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset < bytes.count, part != .trailer {
      if skipped > 0 {
        let step = min(skipped, bytes.count - offset)
        skipped -= step
        offset += step
      } else {
        take(bytes[offset], at: position + offset + 1)
        offset += 1
      }
      if skipped == 0, part == .trailer { break }
    }
    position += bytes.count
  }

  private mutating func take(_ byte: UInt8, at end: Int) {
    switch part {
    case .header:
      fields.append(byte)
      guard fields.count == 13 else { return }
      screen = PixelSize(width: word(6), height: word(8))
      enterBlock(skipping: Self.colorTable(fields[10]))
    case .blockStart: startBlock(byte)
    case .extensionLabel:
      isInFrame = false
      part = .subBlockSize
    case .subBlockSize:
      skipped = Int(byte)
      guard byte == 0 else { return }
      if isInFrame, firstFrameEnd == nil { firstFrameEnd = end }
      enterBlock(skipping: 0)
    case .descriptor:
      fields.append(byte)
      guard fields.count == 9 else { return }
      if frameCount == 0 {
        firstFrame = FrameRectangle(
          left: word(0), top: word(2), size: PixelSize(width: word(4), height: word(6)))
      }
      frameCount += 1
      skipped = Self.colorTable(fields[8])
      part = .codeSize
    case .codeSize:
      isInFrame = true
      part = .subBlockSize
    case .trailer: return
    }
  }

  private mutating func startBlock(_ byte: UInt8) {
    switch byte {
    case 0x21: part = .extensionLabel
    case 0x2C:
      fields = []
      part = .descriptor
    // A stray zero between blocks is common and harmless.
    case 0: return
    default: part = .trailer
    }
  }

  private mutating func enterBlock(skipping count: Int) {
    fields = []
    skipped = count
    part = .blockStart
  }

  private func word(_ index: Int) -> Int { Int(fields[index]) | Int(fields[index + 1]) << 8 }

  /// Returns the size of a color table in bytes, as the flags declare it.
  private static func colorTable(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }
}
