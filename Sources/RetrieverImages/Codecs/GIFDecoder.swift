import Foundation

/// Reads the first frame of a GIF, and draws it on the transparent background of the GIF's screen.
///
/// Rows are delivered while the file arrives; those of an interlaced frame, after the last one. The decoder only counts
/// later frames: ``ImageHeader/frameCount`` is final at the end of the file.
///
/// It accepts what browsers accept: a frame that extends beyond the screen, pixels without an end code, data after the
/// last pixel, a file without a trailer. An invalid code is damage, but does not end the decoding.
final class GIFDecoder: ImageDecoder {
  private(set) var header: ImageHeader?
  private(set) var damage: [ImageDamage] = []

  private let consumer: any RowConsumer
  private let limits: ImageLimits
  private var parser = GIFBlockParser()
  private var screen = PixelSize(width: 0, height: 0)
  private var colors: [UInt8]?
  private var transparent: Int?
  private var frameCount = 0
  /// The pixels of the first frame.
  private var pixels: GIFPixels?
  private var byteCount = 0
  private var failure: ImageError?

  init(consumer: any RowConsumer, limits: ImageLimits) {
    self.consumer = consumer
    self.limits = limits
  }

  var isComplete: Bool { pixels?.isComplete ?? false }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    try keepingFailure { () throws(ImageError) in
      try limits.count(bytes, into: &byteCount)
      var rest = bytes
      while let event = parser.next(&rest) { try take(event) }
    }
  }

  func finish() throws(ImageError) {
    try keepingFailure { () throws(ImageError) in
      guard isComplete else { throw .truncated("GIF") }
      if let error = damage.firstError { throw error }
    }
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool { false }

  /// Remembers the error that ends the decoding. If the data is damaged, the rows of an interlaced frame that were
  /// decoded before are delivered first.
  private func keepingFailure(_ body: () throws(ImageError) -> Void) throws(ImageError) {
    if let failure { throw failure }
    do {
      try body()
    } catch {
      failure = error
      if error.isDamage { try pixels?.finish() }
      throw error
    }
  }

  private func take(_ event: GIFBlockParser.Event) throws(ImageError) {
    switch event {
    case .screen(let size): screen = size
    case .colors(let table): colors = table
    case .control(let block):
      // A shorter block has no meaning.
      if block.count >= 4 { transparent = block[0] & 1 == 1 ? Int(block[3]) : nil }
    case .application: break
    case .frame(let frame):
      frameCount += 1
      try limits.checkFrames(frameCount)
      header?.frameCount = frameCount
      if frameCount == 1 { try begin(frame) }
    case .pixels(let piece):
      guard frameCount == 1, let pixels, !pixels.isComplete else { return }
      try pixels.feed(piece)
      if pixels.isDamaged {
        damage.add(ImageDamage(.pixels, "The GIF image is damaged: a code of its pixels is not valid."))
      }
    case .frameEnd:
      if frameCount == 1, !isComplete { throw .truncated("GIF") }
    case .end(let isTrailer):
      if frameCount == 0 { throw ImageError(.corrupt, "The GIF image is damaged: it has no frame.") }
      if !isTrailer {
        damage.add(ImageDamage(.other, "The GIF image continues with an unknown block, which was ignored."))
      }
    }
  }

  private func begin(_ frame: GIFFrameHeader) throws(ImageError) {
    let rectangle = frame.rectangle
    guard rectangle.size.width > 0, rectangle.size.height > 0 else {
      throw ImageError(.corrupt, "The first frame of the GIF image has no pixels.")
    }
    // A screen that is too small for the frame is enlarged.
    let canvas = PixelSize(
      width: max(screen.width, rectangle.left + rectangle.size.width),
      height: max(screen.height, rectangle.top + rectangle.size.height))
    try limits.check(canvas)
    try limits.checkMemory(of: rectangle.size, bytesPerPixel: 4)
    let hasAlpha = transparent != nil || rectangle.size != canvas
    let header = ImageHeader(format: .gif, size: canvas, hasAlpha: hasAlpha, frameCount: frameCount)
    self.header = header
    _ = try consumer.begin(header)
    try consumer.prepare(for: RowLayout(size: canvas, format: hasAlpha ? .rgba8 : .rgb8))
    let rows = FrameRows(frame: rectangle, canvas: canvas, hasAlpha: hasAlpha, consumer: consumer)
    pixels = try GIFPixels(frame, colors: colorTable(of: frame), rows: rows)
  }

  /// Returns 256 colors as RGBA. Colors that are not in the file's table are black. Without a table, the colors are
  /// shades of gray.
  private func colorTable(of frame: GIFFrameHeader) -> [UInt8] {
    let table = frame.colors ?? colors
    return (0..<256).flatMap { index -> [UInt8] in
      let alpha: UInt8 = index == transparent ? 0 : 255
      guard let table else { return [UInt8(index), UInt8(index), UInt8(index), alpha] }
      guard 3 * index + 2 < table.count else { return [0, 0, 0, alpha] }
      return table[(3 * index)..<(3 * index + 3)] + [alpha]
    }
  }
}
