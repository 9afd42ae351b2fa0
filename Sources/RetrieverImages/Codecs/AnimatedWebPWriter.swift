import Foundation

/// The parts of a WebP file.
enum WebPFile {
  static let animationFlag: UInt8 = 0x02
  static let xmpFlag: UInt8 = 0x04
  static let exifFlag: UInt8 = 0x08
  static let alphaFlag: UInt8 = 0x10
  static let profileFlag: UInt8 = 0x20

  /// Returns the complete file with these chunks.
  static func file(_ chunks: [UInt8]) -> Data {
    var file = Data("RIFF".utf8)
    file.append(contentsOf: little(chunks.count + 4, 4))
    file.append(contentsOf: "WEBP".utf8)
    file.append(contentsOf: chunks)
    return file
  }

  static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(data.count, 4) + data + (data.count & 1 == 0 ? [] : [0])
  }

  static func features(flags: UInt8, size: PixelSize) -> [UInt8] {
    chunk("VP8X", [flags, 0, 0, 0] + little(size.width - 1, 3) + little(size.height - 1, 3))
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func damaged(_ reason: String) -> ImageError {
    ImageError(.corrupt, "The WebP image is damaged: \(reason).")
  }
}

/// Writes an animated WebP from complete pictures. A frame contains only the rectangle that has changed.
///
/// It keeps the last picture and the bytes of the file so far.
struct AnimatedWebPWriter {
  private struct Frame {
    var place: FrameRectangle
    var chunks: [UInt8]
    var milliseconds: Int
  }

  private let loopCount: Int
  private let quality: Double
  private let isLossless: Bool
  private var picture: Bitmap?
  /// The last frame, which becomes longer if the next picture is the same.
  private var last: Frame?
  private var frames: [UInt8] = []
  private var hasAlpha = false

  /// - Parameters:
  ///   - loopCount: The number of times that a viewer shows the animation; 0 means that it never ends.
  ///   - quality: The quality from 0 to 1; for lossless frames, the effort.
  init(loopCount: Int, quality: Double, isLossless: Bool = false) {
    self.loopCount = min(max(loopCount, 0), 0xFFFF)
    self.quality = quality
    self.isLossless = isLossless
  }

  /// Adds a picture. All pictures must have the same size.
  mutating func add(_ next: Bitmap, milliseconds: Int) throws(ImageError) {
    let complete = FrameRectangle(left: 0, top: 0, size: next.size)
    guard let picture else {
      try start(next, complete, milliseconds)
      return
    }
    guard next.size == picture.size else {
      throw ImageError(
        .invalidRequest,
        "All images of an animation must have the same size. The first has \(picture.size.width) × "
          + "\(picture.size.height) pixels, and another has \(next.size.width) × \(next.size.height).")
    }
    guard let changed = next.format == picture.format ? next.changes(from: picture) : complete else {
      extendLast(by: milliseconds)
      return
    }
    // Offsets are stored in units of two pixels.
    let (left, top) = (changed.left & ~1, changed.top & ~1)
    let size = PixelSize(
      width: changed.size.width + changed.left - left, height: changed.size.height + changed.top - top)
    try start(next, FrameRectangle(left: left, top: top, size: size), milliseconds)
  }

  /// Shows the last picture longer.
  mutating func extendLast(by milliseconds: Int) { last?.milliseconds += milliseconds }

  /// Returns the file. An animation with only one picture becomes a still image.
  mutating func finish() throws(ImageError) -> Data {
    guard let picture, let last else {
      throw ImageError(.invalidRequest, "An animation needs at least one image.")
    }
    if frames.isEmpty { return try WebPEncoder.encode(picture, quality: quality, isLossless: isLossless) }
    write(last)
    let flags = WebPFile.animationFlag | (hasAlpha ? WebPFile.alphaFlag : 0)
    let chunks =
      WebPFile.features(flags: flags, size: picture.size)
      + WebPFile.chunk("ANIM", [0, 0, 0, 0] + WebPFile.little(loopCount, 2)) + frames
    guard chunks.count <= Int(UInt32.max) - 16 else {
      throw ImageError(.tooLarge, "The animation is larger than a WebP file can be.")
    }
    return WebPFile.file(chunks)
  }

  private mutating func start(_ next: Bitmap, _ place: FrameRectangle, _ milliseconds: Int) throws(ImageError)
  {
    let part = next.part(place)
    let file = [UInt8](try WebPEncoder.encode(part, quality: quality, isLossless: isLossless))
    // A file with alpha begins with a VP8X chunk, which a frame must not have.
    let isExtended = file.count > 30 && file[15] == UInt8(ascii: "X")
    if isExtended || (isLossless && next.format.hasAlpha) { hasAlpha = true }
    if let last { write(last) }
    last = Frame(
      place: place, chunks: Array(file[(isExtended ? 30 : 12)...]), milliseconds: milliseconds)
    picture = next
  }

  private mutating func write(_ frame: Frame) {
    var head = WebPFile.little(frame.place.left / 2, 3) + WebPFile.little(frame.place.top / 2, 3)
    head += WebPFile.little(frame.place.size.width - 1, 3) + WebPFile.little(frame.place.size.height - 1, 3)
    // The rectangle replaces what was there, and stays.
    head += WebPFile.little(min(max(frame.milliseconds, 0), 0xFF_FFFF), 3) + [2]
    frames += WebPFile.chunk("ANMF", head + frame.chunks)
  }
}

extension Bitmap {
  /// Returns the smallest rectangle that contains all differences from a bitmap of the same size and format; nil if there
  /// is none.
  fileprivate func changes(from other: Bitmap) -> FrameRectangle? {
    let bytes = format.bytesPerPixel
    return pixels.withUnsafeBytes { new in
      other.pixels.withUnsafeBytes { old -> FrameRectangle? in
        guard let new = new.baseAddress, let old = old.baseAddress else { return nil }
        func isSame(_ y: Int) -> Bool {
          memcmp(new + y * bytesPerRow, old + y * bytesPerRow, bytesPerRow) == 0
        }
        func isSame(_ x: Int, _ y: Int) -> Bool {
          memcmp(new + y * bytesPerRow + x * bytes, old + y * bytesPerRow + x * bytes, bytes) == 0
        }
        guard let top = (0..<size.height).first(where: { !isSame($0) }),
          let bottom = (top..<size.height).last(where: { !isSame($0) })
        else { return nil }
        var (left, right) = (size.width, -1)
        for y in top...bottom {
          if let x = (0..<left).first(where: { !isSame($0, y) }) { left = x }
          if let x = (max(right + 1, 0)..<size.width).last(where: { !isSame($0, y) }) { right = x }
        }
        return FrameRectangle(
          left: left, top: top, size: PixelSize(width: right - left + 1, height: bottom - top + 1))
      }
    }
  }

  /// Returns the pixels inside a rectangle, which must be within the bitmap.
  func part(_ rect: FrameRectangle) -> Bitmap {
    if rect.size == size { return self }
    let count = rect.size.width * format.bytesPerPixel
    var part: [UInt8] = []
    part.reserveCapacity(count * rect.size.height)
    for y in rect.top..<rect.top + rect.size.height {
      let start = y * bytesPerRow + rect.left * format.bytesPerPixel
      part.append(contentsOf: pixels[start..<start + count])
    }
    return Bitmap(size: rect.size, format: format, pixels: part)
  }
}
