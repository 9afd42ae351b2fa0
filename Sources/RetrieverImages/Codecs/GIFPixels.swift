import CImageCodecs
import Foundation

/// Decodes the pixels of one frame of a GIF, and delivers its rows.
///
/// The rows of an interlaced frame are delivered together, after the last one or at the end of the data.
final class GIFPixels {
  /// True after all rows were delivered.
  private(set) var isComplete = false
  /// True if a code of the pixels was not valid.
  private(set) var isDamaged = false
  /// True if the pixels ended, complete or not.
  private(set) var hasEnded = false

  private let reader: OpaquePointer
  private let rows: FrameRows
  private let colors: [UInt8]
  /// The indices of the current row.
  private let indices: RowBuffer
  private var filled = 0
  /// The colors of the current row, or of all rows of an interlaced frame.
  private let output: RowBuffer
  private let isInterlaced: Bool
  /// The position of each row in the frame, in the order of the file.
  private var order: GIFRowOrder
  private var hasRow: [Bool]

  /// Throws if the size of the codes is not valid, or memory cannot be allocated.
  ///
  /// - Parameter colors: 256 colors as RGBA.
  init(_ frame: GIFFrameHeader, colors: [UInt8], rows: FrameRows) throws(ImageError) {
    let size = frame.rectangle.size
    guard (0..<12).contains(frame.codeSize) else {
      throw ImageError(.corrupt, "The GIF image is damaged: its codes have \(frame.codeSize) bits.")
    }
    indices = try RowBuffer(rows: 1, bytesPerRow: size.width)
    output = try RowBuffer(
      rows: frame.isInterlaced ? size.height : 1, bytesPerRow: rows.bytesPerFrameRow)
    guard let reader = codec_gif_lzw_make(UInt32(frame.codeSize)) else {
      throw .codec(.out_of_memory, format: "GIF", message: "")
    }
    self.reader = reader
    self.rows = rows
    self.colors = colors
    isInterlaced = frame.isInterlaced
    order = GIFRowOrder(height: size.height, isInterlaced: frame.isInterlaced)
    hasRow = [Bool](repeating: false, count: frame.isInterlaced ? size.height : 0)
    // A picture needs at least two colors.
    isDamaged = frame.codeSize == 0
  }

  deinit { codec_gif_lzw_free(reader) }

  /// Decodes the next bytes. Bytes after the last pixel are ignored.
  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    var rest = bytes
    while !isComplete, !hasEnded {
      let row = indices.base.assumingMemoryBound(to: UInt8.self)
      let width = indices.bytesPerRow
      let progress = codec_gif_lzw_read(reader, rest.bytes, rest.count, row + filled, width - filled)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(progress.consumed))
      filled += progress.written
      isDamaged = isDamaged || progress.is_damaged
      hasEnded = progress.has_ended
      guard filled == width else { break }
      filled = 0
      try takeRow()
    }
  }

  private func takeRow() throws(ImageError) {
    guard let y = order.next() else { return }
    let place = (output.base + (isInterlaced ? y * output.bytesPerRow : 0)).assumingMemoryBound(
      to: UInt8.self)
    codec_gif_color_row(
      colors, indices.base.assumingMemoryBound(to: UInt8.self), indices.bytesPerRow, rows.hasAlpha, place)
    if isInterlaced {
      hasRow[y] = true
      if order.isAtEnd { try deliverInterlaced() }
    } else {
      try rows.take(output[0])
    }
    guard order.isAtEnd else { return }
    try rows.finish()
    isComplete = true
  }

  /// Ends the frame before its last row. An interlaced frame shows the rows above the missing ones instead of them.
  func finish() throws(ImageError) {
    guard isInterlaced, !isComplete, let first = hasRow.first, first else { return }
    try deliverInterlaced()
    try rows.finish()
  }

  private func deliverInterlaced() throws(ImageError) {
    var shown = 0
    for y in 0..<output.rows {
      if hasRow[y] { shown = y }
      try rows.take(output[shown])
    }
  }
}

/// The order of the rows in a file: rows 0, 8, 16 …, then 4, 12 …, then 2, 6 …, then the odd rows, if interlaced.
struct GIFRowOrder {
  private static let passes: [(first: Int, step: Int)] = [(0, 8), (4, 8), (2, 4), (1, 2)]

  private let height: Int
  private let isInterlaced: Bool
  private var pass = 0
  private var row = 0
  private var count = 0

  init(height: Int, isInterlaced: Bool) {
    self.height = height
    self.isInterlaced = isInterlaced
  }

  var isAtEnd: Bool { count == height }

  mutating func next() -> Int? {
    guard count < height else { return nil }
    while isInterlaced, row >= height, pass + 1 < Self.passes.count {
      pass += 1
      row = Self.passes[pass].first
    }
    defer {
      row += isInterlaced ? Self.passes[pass].step : 1
      count += 1
    }
    return row
  }
}
