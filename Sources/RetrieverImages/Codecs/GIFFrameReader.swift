import Foundation

/// Finds the frames of a GIF. Each becomes a GIF of its own, with the color table that applies to it.
struct GIFFrameReader: FrameReader {
  private(set) var canvas: PixelSize?
  private(set) var loopCount = 1

  private let limits: ImageLimits
  private var parser = GIFBlockParser()
  private var screen = PixelSize(width: 0, height: 0)
  /// The color table that applies to frames without one.
  private var colors: [UInt8] = []
  private var frameCount = 0
  private var control = Control()
  /// The frame whose pixels are being read, and its compressed pixels so far.
  private var frame: (header: GIFFrameHeader, pixels: [UInt8])?

  /// The values of a graphic control extension, which apply to the next frame.
  private struct Control {
    var milliseconds = 0
    var disposal = EncodedFrame.Disposal.keep
    var transparent: UInt8?
  }

  init(limits: ImageLimits) { self.limits = limits }

  mutating func next(_ bytes: inout UnsafeRawBufferPointer) throws(ImageError) -> EncodedFrame? {
    while let event = parser.next(&bytes) {
      switch event {
      case .screen(let size): screen = size
      case .colors(let table): colors = table
      case .control(let block): take(control: block)
      case .application(let name, let data): take(data, ofApplication: name)
      case .frame(let header): try start(header)
      case .pixels(let piece): frame?.pixels.append(contentsOf: piece)
      case .frameEnd: if let frame = finishFrame() { return frame }
      case .end: break
      }
    }
    return nil
  }

  func finish() throws(ImageError) {
    guard !parser.isInFrame, frameCount > 0 else { throw .truncated("GIF") }
  }

  private mutating func take(control block: [UInt8]) {
    guard block.count >= 4 else { return }
    control = Control()
    control.milliseconds = block.word(1) * 10
    // Some old programs wrote 4 where they meant 3, and browsers accept it.
    control.disposal = [2: .clear, 3: .restore, 4: .restore][block[0] >> 2 & 7] ?? .keep
    control.transparent = block[0] & 1 == 1 ? block[3] : nil
  }

  private mutating func take(_ data: [UInt8], ofApplication name: [UInt8]) {
    let isLoop = name.elementsEqual("NETSCAPE2.0".utf8) || name.elementsEqual("ANIMEXTS1.0".utf8)
    guard isLoop, data.count >= 3, data[0] & 7 == 1 else { return }
    // The file has the number of repetitions after the first time.
    let count = data.word(1)
    loopCount = count == 0 ? 0 : count + 1
  }

  private mutating func start(_ header: GIFFrameHeader) throws(ImageError) {
    let place = header.rectangle
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
    frame = (header, [])
  }

  private mutating func finishFrame() -> EncodedFrame? {
    guard let complete = frame else { return nil }
    let (header, pixels) = complete
    let size = header.rectangle.size
    let table = header.colors ?? colors
    var file = Array("GIF89a".utf8) + Self.bytes(size.width) + Self.bytes(size.height) + [0, 0, 0]
    if let transparent = control.transparent { file += [0x21, 0xF9, 4, 1, 0, 0, transparent, 0] }
    file += [0x2C, 0, 0, 0, 0] + Self.bytes(size.width) + Self.bytes(size.height)
    file.append((header.isInterlaced ? 0x40 : 0) | Self.flags(of: table))
    file += table
    file.append(UInt8(truncatingIfNeeded: header.codeSize))
    file.reserveCapacity(file.count + pixels.count + pixels.count / 255 + 3)
    for start in stride(from: 0, to: pixels.count, by: 255) {
      let block = pixels[start..<min(start + 255, pixels.count)]
      file.append(UInt8(block.count))
      file += block
    }
    file += [0, 0x3B]
    let result = EncodedFrame(
      place: header.rectangle, milliseconds: control.milliseconds, disposal: control.disposal, blends: true,
      file: Data(file))
    frame = nil
    control = Control()
    return result
  }

  private static func bytes(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  /// Returns the flags that declare a color table. Its number of colors is a power of two.
  private static func flags(of table: [UInt8]) -> UInt8 {
    table.isEmpty ? 0 : 0x80 | UInt8(truncatingIfNeeded: (table.count / 3).trailingZeroBitCount - 1)
  }
}
