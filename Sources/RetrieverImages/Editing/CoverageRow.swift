/// The shares of the pixels of one row that areas cover.
///
/// The row is cut into 16 thin lines. Each covers its pixels exactly in the horizontal direction, so that all edges are
/// smooth and rectangles are exact.
struct CoverageRow {
  private static let lines = 16

  private let width: Int
  /// What the ends of pieces cover of single pixels.
  private var parts: [Float]
  /// The change of what is covered completely, from one pixel to the next.
  private var steps: [Float]
  /// The pixels that are not zero.
  private(set) var range = 0..<0

  init(width: Int) {
    self.width = width
    parts = [Float](repeating: 0, count: width + 1)
    steps = [Float](repeating: 0, count: width + 2)
  }

  /// Adds an area, with a factor: -1 removes it.
  mutating func add(_ area: ConvexArea, rows: ClosedRange<Double>, row: Int, factor: Float = 1) {
    let top = max(rows.lowerBound, Double(row))
    let bottom = min(rows.upperBound, Double(row) + 1)
    guard top < bottom else { return }
    let height = (bottom - top) / Double(Self.lines)
    for line in 0..<Self.lines {
      guard let span = area.span(at: top + height * (Double(line) + 0.5)) else { continue }
      add(max(span.left, 0), min(span.right, Double(width)), Float(height) * factor)
    }
  }

  private mutating func add(_ left: Double, _ right: Double, _ weight: Float) {
    guard left < right else { return }
    let (first, last) = (Int(left), Int(right))
    range =
      range.isEmpty
      ? first..<min(last + 1, width)
      : min(range.lowerBound, first)..<max(range.upperBound, min(last + 1, width))
    if first == last {
      parts[first] += Float(right - left) * weight
      return
    }
    parts[first] += Float(Double(first + 1) - left) * weight
    parts[last] += Float(right - Double(last)) * weight
    steps[first + 1] += weight
    steps[last] -= weight
  }

  /// Passes the pixels that are covered at least partly to a closure, and clears the row.
  mutating func drain(_ take: (_ column: Int, _ share: Float) -> Void) {
    var sum: Float = 0
    for column in range {
      sum += steps[column]
      let share = sum + parts[column]
      // A smaller share changes no sample; rounding errors must not make an edge of a filled area transparent.
      if share > 0.001 { take(column, share > 0.999 ? 1 : share) }
      parts[column] = 0
      steps[column] = 0
    }
    let end = range.upperBound
    if !range.isEmpty {
      parts[end] = 0
      steps[end] = 0
      steps[end + 1] = 0
    }
    range = 0..<0
  }
}
