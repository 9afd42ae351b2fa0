import Foundation

/// Decodes the frames of an image whose bytes arrive in pieces.
///
/// It keeps the encoded bytes of one frame, the canvas, and a copy of the canvas if a frame restores it. Only one job may
/// use a decoder at a time.
final class FrameDecoder {
  private let limits: ImageLimits
  private let flag: CancellationFlag
  private let budget: TimeBudget
  private var scanner: FrameScanner
  private var canvas: FrameCanvas?
  private var pixelCount = 0
  private var index = 0

  init(limits: ImageLimits, flag: CancellationFlag) {
    self.limits = limits
    self.flag = flag
    budget = TimeBudget(limits.duration)
    scanner = FrameScanner(limits: limits)
  }

  /// Consumes bytes from the front until a frame is complete; returns nil if more bytes are needed.
  func next(_ bytes: inout UnsafeRawBufferPointer) throws(ImageError) -> ImageFrame? {
    try flag.check()
    guard let encoded = try scanner.next(&bytes) else { return nil }
    return try frame(encoded)
  }

  /// Ends the input. Returns the picture of a still image.
  func finish() throws(ImageError) -> ImageFrame? {
    try flag.check()
    guard let encoded = try scanner.finish() else { return nil }
    return try frame(encoded)
  }

  private func frame(_ encoded: EncodedFrame) throws(ImageError) -> ImageFrame {
    let image = try budget.spend { () throws(ImageError) in try draw(encoded) }
    defer { index += 1 }
    return ImageFrame(
      image: image, index: index,
      duration: encoded.place == nil ? .zero : .milliseconds(Self.shownMilliseconds(encoded.milliseconds)),
      statedDuration: .milliseconds(encoded.milliseconds), loopCount: scanner.loopCount)
  }

  private func draw(_ encoded: EncodedFrame) throws(ImageError) -> UIImage {
    let decoder = ThumbnailDecoder(targets: [nil], limits: limits, flag: flag)
    if encoded.place != nil, let size = scanner.canvas {
      try limits.count(size, into: &pixelCount)
      // The canvas, its copy, and the frame.
      try limits.checkMemory(of: size, bytesPerPixel: 12)
      if canvas == nil { canvas = FrameCanvas(size: size) }
    }
    try encoded.file.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
    guard let image = try decoder.finish().first, case .decoded(let bitmap) = image.source else {
      throw ImageError(.corrupt, "Frame \(index + 1) of the image has no pixels.")
    }
    guard let place = encoded.place else { return image }
    canvas?.draw(bitmap, at: place, encoded)
    return canvas.map { UIImage(bitmap: $0.bitmap) } ?? image
  }

  /// The time that browsers show a frame: a tenth of a second if the file has at most a hundredth, because such files
  /// were made for old programs that could not be faster.
  static func shownMilliseconds(_ stated: Int) -> Int { stated <= 10 ? 100 : stated }
}
