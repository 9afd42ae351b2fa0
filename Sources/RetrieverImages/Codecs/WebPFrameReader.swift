import Foundation

/// Finds the frames of an animated WebP. Each becomes a WebP of its own, with the color profile of the animation.
///
/// The EXIF orientation of an animation is ignored, as browsers do: it follows the frames in the file.
struct WebPFrameReader: FrameReader {
  private enum Chunk { case ignored, features, animation, profile, frame, alpha, pixels }

  private(set) var canvas: PixelSize?
  private(set) var loopCount = 1

  private let limits: ImageLimits
  private var parser = RIFFChunkParser()
  private var order = WebPChunkOrder()
  private var chunk = Chunk.ignored
  /// The bytes of the current chunk so far; of pixels, the chunks of the frame with their headers.
  private var collected: [UInt8] = []
  private var profile: [UInt8] = []
  private var frame: EncodedFrame?
  private var pixels: [UInt8] = []
  private var hasAlpha = false

  init(limits: ImageLimits) { self.limits = limits }

  /// Returns whether a WebP is an animation; nil if more bytes are needed to know that.
  static func isAnimated(_ prefix: UnsafeRawBufferPointer) -> Bool? {
    guard prefix.count > 20 else { return nil }
    return prefix[12..<16].elementsEqual("VP8X".utf8) && prefix[20] & 0x02 != 0
  }

  mutating func next(_ bytes: inout UnsafeRawBufferPointer) throws(ImageError) -> EncodedFrame? {
    while let event = parser.next(&bytes) {
      switch event {
      case .chunk(let name, let head, let isInFrame): try start(name, head: head, isInFrame: isInFrame)
      case .payload(let piece):
        switch chunk {
        case .ignored: break
        case .alpha, .pixels: pixels.append(contentsOf: piece)
        case .features, .animation, .profile, .frame: collected.append(contentsOf: piece)
        }
      case .end:
        if let frame = try endChunk() { return frame }
      case .endOfFrame:
        guard frame == nil else { throw WebPFile.damaged("frame \(order.frameCount) has no pixels") }
      }
    }
    return nil
  }

  func finish() throws(ImageError) {
    guard frame == nil, order.frameCount > 0 else { throw .truncated("WebP") }
  }

  private mutating func start(_ name: String, head: [UInt8], isInFrame: Bool) throws(ImageError) {
    collected = []
    chunk = .ignored
    guard order.uses(name, isInFrame: isInFrame) else { return }
    switch name {
    case "VP8X": chunk = .features
    case "ANIM": chunk = .animation
    case "ICCP": chunk = .profile
    case "ANMF":
      try limits.checkFrames(order.frameCount)
      chunk = .frame
    case "ALPH":
      hasAlpha = true
      chunk = .alpha
      pixels = head
    case "VP8 ", "VP8L":
      chunk = .pixels
      pixels += head
    default: break
    }
  }

  private mutating func endChunk() throws(ImageError) -> EncodedFrame? {
    defer { chunk = .ignored }
    switch chunk {
    case .ignored: break
    case .features:
      guard collected.count >= 10 else { throw WebPFile.damaged("its VP8X chunk is too short") }
      order.readFlags(collected[0])
      let size = PixelSize(width: triple(4) + 1, height: triple(7) + 1)
      try limits.check(size)
      canvas = size
    case .animation:
      if collected.count >= 6 { loopCount = Int(collected[4]) | Int(collected[5]) << 8 }
    case .profile: profile = collected
    case .frame: try readFrame()
    case .alpha: if pixels.count & 1 == 1 { pixels.append(0) }
    case .pixels:
      if pixels.count & 1 == 1 { pixels.append(0) }
      return finishFrame()
    }
    return nil
  }

  private mutating func readFrame() throws(ImageError) {
    guard collected.count == RIFFChunkParser.frameHeadSize, let canvas else {
      throw WebPFile.damaged("the header of frame \(order.frameCount) is missing or too short")
    }
    let place = FrameRectangle(
      left: triple(0) * 2, top: triple(3) * 2, size: PixelSize(width: triple(6) + 1, height: triple(9) + 1))
    guard place.left + place.size.width <= canvas.width, place.top + place.size.height <= canvas.height else {
      throw WebPFile.damaged("frame \(order.frameCount) extends beyond the canvas")
    }
    pixels = []
    hasAlpha = false
    frame = EncodedFrame(
      place: place, milliseconds: triple(12), disposal: collected[15] & 1 == 1 ? .clear : .keep,
      blends: collected[15] & 2 == 0, file: Data())
  }

  private mutating func finishFrame() -> EncodedFrame? {
    guard var complete = frame, let place = complete.place else { return nil }
    frame = nil
    var chunks: [UInt8] = []
    if hasAlpha || !profile.isEmpty {
      let flags: UInt8 = (hasAlpha ? WebPFile.alphaFlag : 0) | (profile.isEmpty ? 0 : WebPFile.profileFlag)
      chunks = WebPFile.features(flags: flags, size: place.size)
      if !profile.isEmpty { chunks += WebPFile.chunk("ICCP", profile) }
    }
    complete.file = WebPFile.file(chunks + pixels)
    pixels = []
    return complete
  }

  private func triple(_ index: Int) -> Int {
    Int(collected[index]) | Int(collected[index + 1]) << 8 | Int(collected[index + 2]) << 16
  }
}
