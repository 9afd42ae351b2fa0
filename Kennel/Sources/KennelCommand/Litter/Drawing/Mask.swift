import Glibc

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
