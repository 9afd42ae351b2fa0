/// The part of an image from which a thumbnail is made. Its edges may be inside pixels.
struct SourceArea: Sendable, Equatable {
  /// One direction of the part.
  struct Span: Sendable, Equatable {
    /// The first pixel that is completely or partly inside.
    let first: Int
    /// The number of such pixels.
    let count: Int
    /// The distance from the beginning of the first pixel to the beginning of the part; less than 1.
    let offset: Double
    /// The length of the part, in pixels.
    let length: Double

    /// The part consists of complete pixels.
    init(first: Int = 0, count: Int) {
      self.first = first
      self.count = count
      offset = 0
      length = Double(count)
    }

    /// - Parameter total: The number of pixels of the image. The part is limited to it.
    init(_ start: Double, length: Double, within total: Int) {
      // A product of fractions may miss the edge of a pixel by a rounding error.
      let tolerance = 1e-6
      let first = min(max(Int((start + tolerance).rounded(.down)), 0), total - 1)
      let end = min(max(Int((start + length - tolerance).rounded(.up)), first + 1), total)
      self.first = first
      count = end - first
      offset = min(max(start - Double(first), 0), 1)
      self.length = length
    }

    /// Whether the edges are between pixels.
    var isExact: Bool { offset == 0 && length == Double(count) }
  }

  let columns: Span
  let rows: Span

  init(columns: Span, rows: Span) {
    self.columns = columns
    self.rows = rows
  }

  init(_ rect: PixelRect) {
    columns = Span(first: rect.x, count: rect.size.width)
    rows = Span(first: rect.y, count: rect.size.height)
  }

  /// The pixels that are completely or partly inside.
  var pixels: PixelRect {
    PixelRect(
      x: columns.first, y: rows.first, size: PixelSize(width: columns.count, height: rows.count))
  }

  /// Whether the part consists of complete pixels.
  var isExact: Bool { columns.isExact && rows.isExact }
}
