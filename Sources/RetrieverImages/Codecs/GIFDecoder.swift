import CImageCodecs
import Foundation

/// Reads the first frame of a GIF with giflib, and draws it on the transparent background of the GIF's screen.
///
/// The decoder keeps the bytes until the frame is complete, and then delivers all rows together. It only counts later
/// frames: ``ImageHeader/frameCount`` is final at the end of the file.
final class GIFDecoder: ImageDecoder {
  private(set) var header: ImageHeader?
  private(set) var isComplete = false

  private let consumer: any RowConsumer
  private let limits: ImageLimits
  private var parser = GIFBlockParser()
  private var data: [UInt8] = []
  private var isChecked = false
  private var byteCount = 0
  private var failure: ImageError?

  init(consumer: any RowConsumer, limits: ImageLimits) {
    self.consumer = consumer
    self.limits = limits
  }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    if let failure { throw failure }
    do {
      try limits.count(bytes, into: &byteCount)
      parser.parse(bytes)
      try limits.checkFrames(parser.frameCount)
      if let frame = parser.firstFrame, !isChecked {
        isChecked = true
        try checkSizes(of: frame)
      }
      header?.frameCount = max(parser.frameCount, 1)
      guard !isComplete else { return }
      data.append(contentsOf: bytes)
      if parser.firstFrameEnd != nil || parser.isAtEnd { try decode() }
    } catch {
      failure = error
      throw error
    }
  }

  func finish() throws(ImageError) {
    if let failure { throw failure }
    if isComplete { return }
    do throws(ImageError) {
      guard parser.firstFrame != nil else { throw .truncated("GIF") }
      try decode()
    } catch {
      failure = error
      throw error
    }
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool { false }

  /// Returns the size of the screen, enlarged if the file declares a screen that is too small for the frame.
  private func canvas(of frame: FrameRectangle) -> PixelSize {
    PixelSize(
      width: max(parser.screen.width, frame.left + frame.size.width),
      height: max(parser.screen.height, frame.top + frame.size.height))
  }

  private func checkSizes(of frame: FrameRectangle) throws(ImageError) {
    guard frame.size.width > 0, frame.size.height > 0 else {
      throw ImageError(.corrupt, "The first frame of the GIF image has no pixels.")
    }
    try limits.check(canvas(of: frame))
    try limits.checkMemory(of: frame.size, bytesPerPixel: 4)
  }

  private func decode() throws(ImageError) {
    // Moved out of the property, so that nothing can change the data while giflib reads it.
    let data = self.data
    self.data = []
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      guard let base = bytes.baseAddress, let reader = codec_gif_decoder_make(base, bytes.count) else {
        throw .codec(.out_of_memory, format: "GIF", message: "")
      }
      defer { codec_gif_decoder_free(reader) }
      try decode(with: reader)
    }
    isComplete = true
  }

  private func decode(with reader: OpaquePointer) throws(ImageError) {
    var found = codec_gif_frame()
    try check(codec_gif_decoder_start(reader, &found), of: reader)
    let frame = FrameRectangle(
      left: Int(found.left), top: Int(found.top),
      size: PixelSize(width: Int(found.width), height: Int(found.height)))
    // giflib and the parser read the same fields; a difference would bypass the limits.
    guard frame == parser.firstFrame else { throw ImageError(.corrupt, "The GIF sizes are inconsistent.") }
    let canvas = canvas(of: frame)
    let hasAlpha = found.has_transparency || frame.size != canvas
    let header = ImageHeader(
      format: .gif, size: canvas, hasAlpha: hasAlpha, frameCount: max(parser.frameCount, 1))
    self.header = header
    _ = try consumer.begin(header)
    try consumer.prepare(for: RowLayout(size: canvas, format: hasAlpha ? .rgba8 : .rgb8))
    let rows = FrameRows(frame: frame, canvas: canvas, hasAlpha: hasAlpha, consumer: consumer)
    if found.is_interlaced {
      try takeInterlaced(from: reader, rows: rows)
    } else {
      try takeInOrder(from: reader, rows: rows)
    }
  }

  private func takeInOrder(from reader: OpaquePointer, rows: FrameRows) throws(ImageError) {
    let buffer = try RowBuffer(rows: 1, bytesPerRow: rows.bytesPerFrameRow)
    let row = buffer.base.assumingMemoryBound(to: UInt8.self)
    for _ in 0..<rows.frame.size.height {
      try check(codec_gif_decoder_read_row(reader, rows.hasAlpha, row), of: reader)
      try rows.take(buffer[0])
    }
    try rows.finish()
  }

  /// Reads the rows in the order of interlaced GIFs: rows 0, 8, 16 …, then 4, 12 …, then 2, 6 …, then the odd rows.
  private func takeInterlaced(from reader: OpaquePointer, rows: FrameRows) throws(ImageError) {
    let height = rows.frame.size.height
    let buffer = try RowBuffer(rows: height, bytesPerRow: rows.bytesPerFrameRow)
    var failure: ImageError?
    do throws(ImageError) {
      for (first, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] {
        for y in stride(from: first, to: height, by: step) {
          let row = (buffer.base + y * buffer.bytesPerRow).assumingMemoryBound(to: UInt8.self)
          try check(codec_gif_decoder_read_row(reader, rows.hasAlpha, row), of: reader)
        }
      }
    } catch {
      failure = error
    }
    // Missing rows are transparent, or black if the frame has no transparency.
    for y in 0..<height { try rows.take(buffer[y]) }
    try rows.finish()
    if let failure { throw failure }
  }

  private func check(_ result: codec_result, of reader: OpaquePointer) throws(ImageError) {
    guard result != .done else { return }
    throw .codec(result, format: "GIF", message: String(cString: codec_gif_decoder_message(reader)))
  }
}
