import Foundation

/// The position and size of a frame on the canvas of its image.
struct FrameRectangle: Equatable {
  var left: Int
  var top: Int
  var size: PixelSize
}

/// Places the rows of a frame on a larger transparent canvas, and passes the rows of the canvas to a consumer.
final class FrameRows {
  let frame: FrameRectangle
  let hasAlpha: Bool
  private let canvas: PixelSize
  private let consumer: any RowConsumer
  private var next = 0
  private var line: [UInt8]

  init(frame: FrameRectangle, canvas: PixelSize, hasAlpha: Bool, consumer: any RowConsumer) {
    self.frame = frame
    self.canvas = canvas
    self.hasAlpha = hasAlpha
    self.consumer = consumer
    line = [UInt8](repeating: 0, count: frame.size.width == canvas.width ? 0 : canvas.width * 4)
  }

  var bytesPerFrameRow: Int { frame.size.width * (hasAlpha ? 4 : 3) }

  /// Takes the frame's next row.
  func take(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    try fill(upTo: frame.top)
    next += 1
    guard frame.size.width != canvas.width else { return try consumer.take(row) }
    line.withUnsafeMutableBytes { bytes in
      let place = UnsafeMutableRawBufferPointer(rebasing: bytes[(frame.left * 4)...].prefix(row.count))
      place.copyMemory(from: UnsafeRawBufferPointer(rebasing: row.prefix(place.count)))
    }
    try send(line)
  }

  /// Ends the frame: the rest of the canvas is transparent.
  func finish() throws(ImageError) { try fill(upTo: canvas.height) }

  private func fill(upTo end: Int) throws(ImageError) {
    guard next < end else { return }
    let empty = [UInt8](repeating: 0, count: canvas.width * 4)
    while next < end {
      try send(empty)
      next += 1
    }
  }

  private func send(_ row: [UInt8]) throws(ImageError) {
    try row.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      try consumer.take(UnsafeRawBufferPointer(bytes))
    }
  }
}
