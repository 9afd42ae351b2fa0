import Glibc

/// The exact area of each pixel that an outline covers, stored only for pixels on an edge.
struct Coverage {
  /// The edges through one pixel: their total height in it, and the part of that area to their left.
  private struct Cell {
    var row: Int32
    var column: Int32
    var cover: Float
    var area: Float
  }

  private let width: Int
  private let height: Int
  private var cells: [Cell] = []

  init(_ path: Path, _ transform: Transform, width: Int, height: Int) {
    self.width = width
    self.height = height
    for outline in path.flattened(transform) {
      var last = outline[outline.count - 1]
      for point in outline {
        addEdge(last, point)
        last = point
      }
    }
  }

  private mutating func addEdge(_ from: Point, _ to: Point) {
    guard from.x.isFinite, from.y.isFinite, to.x.isFinite, to.y.isFinite, from.y != to.y else { return }
    let (top, bottom, sign) = from.y < to.y ? (from, to, 1.0) : (to, from, -1.0)
    let first = max(top.y, 0)
    let last = min(bottom.y, Double(height))
    guard first < last else { return }
    let slope = (bottom.x - top.x) / (bottom.y - top.y)
    var y = first
    var row = Int(first)
    while y < last, row < height {
      let next = min(Double(row + 1), last)
      let left = top.x + (y - top.y) * slope
      let right = top.x + (next - top.y) * slope
      addPiece(row, left, right, (next - y) * sign)
      y = next
      row += 1
    }
  }

  /// Adds a piece of an edge within one row, with the height `cover`.
  private mutating func addPiece(_ row: Int, _ from: Double, _ to: Double, _ cover: Double) {
    // An edge left of the picture covers the complete row; an edge right of it covers nothing.
    let low = min(max(min(from, to), -1), Double(width))
    let high = min(max(max(from, to), -1), Double(width))
    let (start, end) = (Int(low.rounded(.down)), Int(high.rounded(.down)))
    if start == end {
      append(row, start, cover, cover * ((low + high) / 2 - Double(start)))
      return
    }
    let rate = cover / (high - low)
    var x = low
    for column in start...end {
      let next = min(Double(column + 1), high)
      let part = (next - x) * rate
      if part != 0 { append(row, column, part, part * ((x + next) / 2 - Double(column))) }
      x = next
    }
  }

  private mutating func append(_ row: Int, _ column: Int, _ cover: Double, _ area: Double) {
    cells.append(Cell(row: Int32(row), column: Int32(column), cover: Float(cover), area: Float(area)))
  }

  /// Calls the closure with runs of pixels with the same coverage, row by row from left to right. 65,536 is complete
  /// coverage.
  mutating func forEachRun(_ body: (_ row: Int, _ columns: Range<Int>, _ coverage: Int) -> Void) {
    cells.sort { ($0.row, $0.column) < ($1.row, $1.column) }
    cells.withUnsafeBufferPointer { cells in
      var index = 0
      while index < cells.count {
        let row = cells[index].row
        var column = Int(cells[index].column)
        var running: Float = 0
        while index < cells.count, cells[index].row == row {
          let next = Int(cells[index].column)
          let level = Self.level(running)
          if level > 0, next > column { body(Int(row), max(column, 0)..<max(min(next, width), 0), level) }
          var (cover, area): (Float, Float) = (0, 0)
          while index < cells.count, cells[index].row == row, Int(cells[index].column) == next {
            cover += cells[index].cover
            area += cells[index].area
            index += 1
          }
          let edge = Self.level(running + cover - area)
          if edge > 0, next >= 0, next < width { body(Int(row), next..<next + 1, edge) }
          running += cover
          column = next + 1
        }
        // An area that is still open extends to the right edge.
        let level = Self.level(running)
        if level > 256, column < width { body(Int(row), max(column, 0)..<width, level) }
      }
    }
  }

  private static func level(_ value: Float) -> Int {
    let level = min(value < 0 ? -value : value, 1) * 65536
    // Remove rounding errors near zero and near complete coverage.
    return level < 24 ? 0 : level > 65500 ? 65536 : Int(level)
  }
}

/// The opacity of each pixel of a shape. Drawing through a mask affects only this shape.
final class Mask {
  let columns: Range<Int>
  let rows: Range<Int>
  private let opacities: UnsafeMutablePointer<UInt8>

  init(_ path: Path, on canvas: Canvas) {
    let points = path.flattened(canvas.transform).joined()
    func range(_ values: [Double], _ maximum: Int) -> Range<Int> {
      guard let low = values.min(), let high = values.max(), low.isFinite, high.isFinite else { return 0..<0 }
      let first = Int(min(max(low.rounded(.down), 0), Double(maximum)))
      return first..<max(first, Int(min(max(high.rounded(.up), 0), Double(maximum))))
    }
    columns = range(points.map(\.x), canvas.width)
    rows = range(points.map(\.y), canvas.height)
    let count = max(columns.count * rows.count, 1)
    opacities = .allocate(capacity: count)
    memset(opacities, 0, count)
    var coverage = Coverage(path, canvas.transform, width: canvas.width, height: canvas.height)
    coverage.forEachRun { row, run, level in
      let run = run.clamped(to: columns)
      guard rows.contains(row), !run.isEmpty else { return }
      let start = opacities + (row - rows.lowerBound) * columns.count + (run.lowerBound - columns.lowerBound)
      memset(start, Int32(min(level >> 8, 255)), run.count)
    }
  }

  deinit { opacities.deallocate() }

  func row(_ row: Int) -> UnsafeMutablePointer<UInt8> { opacities + (row - rows.lowerBound) * columns.count }
}
