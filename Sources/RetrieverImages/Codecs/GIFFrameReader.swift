import Foundation

/// Finds the frames of a GIF. Each becomes a GIF of its own, with the color table that applies to it.
struct GIFFrameReader: FrameReader {
  private enum Part: Equatable {
    case header, globalColors, blockStart, extensionLabel, subBlockSize, subBlock, descriptor, localColors
    case codeSize, end
  }

  private(set) var canvas: PixelSize?
  private(set) var loopCount = 1

  private let limits: ImageLimits
  private var part = Part.header
  /// The bytes of the current part so far, and their number when it is complete.
  private var held: [UInt8] = []
  private var needed = 13
  private var screen = PixelSize(width: 0, height: 0)
  /// The color table that applies to frames without one, and its size as the flags declare it.
  private var globalColors: (table: [UInt8], flags: UInt8) = ([], 0)
  private var frameCount = 0
  private var control = Control()
  /// The sub-blocks of the current extension; only the first two are kept.
  private var extensionBlocks: [[UInt8]] = []
  private var extensionLabel: UInt8 = 0
  /// The frame whose pixels are being read.
  private var frame: Frame?

  /// The values of a graphic control extension, which apply to the next frame.
  private struct Control {
    var milliseconds = 0
    var disposal = EncodedFrame.Disposal.keep
    var transparent: UInt8?
  }

  private struct Frame {
    var place: FrameRectangle
    var flags: UInt8
    var colors: [UInt8] = []
    /// The code size and the sub-blocks, as stored.
    var pixels: [UInt8] = []
  }

  init(limits: ImageLimits) { self.limits = limits }

  mutating func next(_ bytes: inout UnsafeRawBufferPointer) throws(ImageError) -> EncodedFrame? {
    while part != .end {
      held.append(contentsOf: bytes.removeFirst(atMost: needed - held.count))
      guard held.count == needed else { return nil }
      let read = held
      held.removeAll(keepingCapacity: true)
      if let frame = try take(read) { return frame }
    }
    _ = bytes.removeFirst(atMost: bytes.count)
    return nil
  }

  func finish() throws(ImageError) {
    guard frame == nil, frameCount > 0 else { throw .truncated("GIF") }
  }

  private mutating func enter(_ next: Part, _ count: Int = 1) {
    part = next
    needed = count
  }

  private mutating func take(_ read: [UInt8]) throws(ImageError) -> EncodedFrame? {
    switch part {
    case .header:
      screen = PixelSize(width: read.word(6), height: read.word(8))
      let count = Self.tableSize(read[10])
      globalColors.flags = read[10] & 0x87
      if count > 0 { enter(.globalColors, count) } else { enter(.blockStart) }
    case .globalColors:
      globalColors.table = read
      enter(.blockStart)
    case .blockStart: startBlock(read[0])
    case .extensionLabel:
      extensionLabel = read[0]
      extensionBlocks = []
      enter(.subBlockSize)
    case .subBlockSize:
      if read[0] > 0 {
        frame?.pixels.append(read[0])
        enter(.subBlock, Int(read[0]))
      } else {
        enter(.blockStart)
        if let complete = frame { return finishFrame(complete) }
        finishExtension()
      }
    case .subBlock:
      if frame != nil {
        frame?.pixels.append(contentsOf: read)
      } else if extensionBlocks.count < 2 {
        extensionBlocks.append(read)
      }
      enter(.subBlockSize)
    case .descriptor: try startFrame(read)
    case .localColors:
      frame?.colors = read
      enter(.codeSize)
    case .codeSize:
      frame?.pixels = read
      enter(.subBlockSize)
    case .end: break
    }
    return nil
  }

  private mutating func startBlock(_ byte: UInt8) {
    switch byte {
    case 0x21: enter(.extensionLabel)
    case 0x2C: enter(.descriptor, 9)
    // A stray zero between blocks is common and harmless.
    case 0: enter(.blockStart)
    default: enter(.end, 0)
    }
  }

  private mutating func finishExtension() {
    guard let first = extensionBlocks.first else { return }
    if extensionLabel == 0xF9, first.count >= 4 {
      control = Control()
      control.milliseconds = first.word(1) * 10
      // Some old programs wrote 4 where they meant 3, and browsers accept it.
      control.disposal = [2: .clear, 3: .restore, 4: .restore][first[0] >> 2 & 7] ?? .keep
      control.transparent = first[0] & 1 == 1 ? first[3] : nil
    } else if extensionLabel == 0xFF, extensionBlocks.count > 1 {
      let name = String(decoding: first, as: UTF8.self)
      let repetition = extensionBlocks[1]
      guard name == "NETSCAPE2.0" || name == "ANIMEXTS1.0", repetition.count >= 3, repetition[0] & 7 == 1
      else { return }
      // The file has the number of repetitions after the first time.
      let count = repetition.word(1)
      loopCount = count == 0 ? 0 : count + 1
    }
  }

  private mutating func startFrame(_ read: [UInt8]) throws(ImageError) {
    let place = FrameRectangle(
      left: read.word(0), top: read.word(2), size: PixelSize(width: read.word(4), height: read.word(6)))
    frameCount += 1
    try limits.checkFrames(frameCount)
    guard place.size.width > 0, place.size.height > 0 else {
      throw ImageError(.corrupt, "Frame \(frameCount) of the GIF image has no pixels.")
    }
    if canvas == nil {
      // As for a still image, the screen grows if it is too small for the first frame.
      let size = PixelSize(
        width: max(screen.width, place.left + place.size.width),
        height: max(screen.height, place.top + place.size.height))
      try limits.check(size)
      canvas = size
    }
    try limits.check(place.size)
    frame = Frame(place: place, flags: read[8])
    let count = Self.tableSize(read[8])
    if count > 0 { enter(.localColors, count) } else { enter(.codeSize) }
  }

  private mutating func finishFrame(_ complete: Frame) -> EncodedFrame {
    let size = complete.place.size
    var file = Array("GIF89a".utf8) + Self.bytes(size.width) + Self.bytes(size.height) + [0, 0, 0]
    if let transparent = control.transparent { file += [0x21, 0xF9, 4, 1, 0, 0, transparent, 0] }
    let hasColors = !complete.colors.isEmpty
    let tableFlags = hasColors ? complete.flags & 0x87 : globalColors.flags
    file += [0x2C, 0, 0, 0, 0] + Self.bytes(size.width) + Self.bytes(size.height)
    file.append(complete.flags & 0x40 | tableFlags)
    file += hasColors ? complete.colors : globalColors.table
    file += complete.pixels
    file += [0, 0x3B]
    let result = EncodedFrame(
      place: complete.place, milliseconds: control.milliseconds, disposal: control.disposal, blends: true,
      file: Data(file))
    frame = nil
    control = Control()
    return result
  }

  private static func bytes(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  /// Returns the size of a color table in bytes, as the flags declare it.
  private static func tableSize(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
}

extension [UInt8] {
  /// Returns two bytes as a little-endian number.
  fileprivate func word(_ index: Int) -> Int { Int(self[index]) | Int(self[index + 1]) << 8 }
}
