import Glibc

/// An outline of lines and cubic curves, which can be filled.
struct Path: Sendable {
  enum Step: Sendable {
    case move(Point)
    case line(Point)
    case curve(Point, Point, Point)
  }

  private(set) var steps: [Step] = []

  init() {}

  mutating func move(_ x: Double, _ y: Double) { steps.append(.move(Point(x, y))) }
  mutating func line(_ x: Double, _ y: Double) { steps.append(.line(Point(x, y))) }
  mutating func move(_ point: Point) { steps.append(.move(point)) }
  mutating func line(_ point: Point) { steps.append(.line(point)) }
  mutating func curve(_ first: Point, _ second: Point, _ end: Point) {
    steps.append(.curve(first, second, end))
  }
  mutating func add(_ other: Path) { steps += other.steps }

  func transformed(_ transform: Transform) -> Path {
    var result = Path()
    result.steps = steps.map { step in
      switch step {
      case .move(let point): .move(transform(point))
      case .line(let point): .line(transform(point))
      case .curve(let first, let second, let end): .curve(transform(first), transform(second), transform(end))
      }
    }
    return result
  }

  /// Returns closed polygons that deviate from the curves by at most a tenth of a unit.
  func flattened(_ transform: Transform = .identity) -> [[Point]] {
    var outlines: [[Point]] = []
    var outline: [Point] = []
    for step in steps {
      switch step {
      case .move(let point):
        if outline.count > 1 { outlines.append(outline) }
        outline = [transform(point)]
      case .line(let point): outline.append(transform(point))
      case .curve(let first, let second, let end):
        guard let start = outline.last else { continue }
        Self.flatten(start, transform(first), transform(second), transform(end), into: &outline)
      }
    }
    if outline.count > 1 { outlines.append(outline) }
    return outlines
  }

  private static func flatten(
    _ start: Point, _ first: Point, _ second: Point, _ end: Point, into outline: inout [Point]
  ) {
    let bend = max((start - first * 2 + second).length, (first - second * 2 + end).length)
    guard bend.isFinite else { return }
    // The maximum deviation of n lines from the curve is 3/4 of the bend divided by n².
    let count = min(max(Int((0.75 * bend / 0.1).squareRoot().rounded(.up)), 1), 200)
    for index in 1...count {
      let t = Double(index) / Double(count)
      let u = 1 - t
      outline.append(
        start * (u * u * u) + first * (3 * u * u * t) + second * (3 * u * t * t) + end * (t * t * t))
    }
  }
}

// Shapes.
extension Path {
  static func ellipse(_ x: Double, _ y: Double, _ rx: Double, _ ry: Double) -> Path {
    // The length of the control handles of a quarter circle.
    let k = 0.552_284_75
    var path = Path()
    path.move(x + rx, y)
    path.curve(Point(x + rx, y + ry * k), Point(x + rx * k, y + ry), Point(x, y + ry))
    path.curve(Point(x - rx * k, y + ry), Point(x - rx, y + ry * k), Point(x - rx, y))
    path.curve(Point(x - rx, y - ry * k), Point(x - rx * k, y - ry), Point(x, y - ry))
    path.curve(Point(x + rx * k, y - ry), Point(x + rx, y - ry * k), Point(x + rx, y))
    return path
  }

  static func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, radius: Double = 0)
    -> Path
  {
    let r = min(radius, width / 2, height / 2)
    let k = r * 0.447_715_25
    var path = Path()
    path.move(x + r, y)
    path.line(x + width - r, y)
    if r > 0 { path.curve(Point(x + width - k, y), Point(x + width, y + k), Point(x + width, y + r)) }
    path.line(x + width, y + height - r)
    if r > 0 {
      path.curve(
        Point(x + width, y + height - k), Point(x + width - k, y + height), Point(x + width - r, y + height))
    }
    path.line(x + r, y + height)
    if r > 0 { path.curve(Point(x + k, y + height), Point(x, y + height - k), Point(x, y + height - r)) }
    path.line(x, y + r)
    if r > 0 { path.curve(Point(x, y + k), Point(x + k, y), Point(x + r, y)) }
    return path
  }

  static func polygon(_ points: [Point]) -> Path {
    var path = Path()
    for (index, point) in points.enumerated() { index == 0 ? path.move(point) : path.line(point) }
    return path
  }

  /// Returns a smooth closed curve through all points.
  static func smooth(_ points: [Point], tension: Double = 1) -> Path {
    var path = Path()
    guard points.count > 2 else { return path }
    let count = points.count
    path.move(points[0])
    for index in 0..<count {
      let (before, start) = (points[(index + count - 1) % count], points[index])
      let (end, behind) = (points[(index + 1) % count], points[(index + 2) % count])
      path.curve(start + (end - before) * (tension / 6), end - (behind - start) * (tension / 6), end)
    }
    return path
  }

  /// Returns an outline made of its right half, from top to bottom, and the mirror image.
  static func symmetric(_ half: [Point], tension: Double = 1) -> Path {
    smooth(half + half.reversed().filter { abs($0.x) > 1e-9 }.map(\.mirrored), tension: tension)
  }

  /// Returns a brush stroke through the points, with the given widths at its start, middle and end.
  static func brush(_ points: [Point], _ start: Double, _ middle: Double, _ end: Double) -> Path {
    let line = openCurve(points)
    guard line.count > 1 else { return Path() }
    var (left, right): ([Point], [Point]) = ([], [])
    for (index, point) in line.enumerated() {
      let t = Double(index) / Double(line.count - 1)
      let u = 1 - t
      let width = start * u * u + middle * 2 * u * t + end * t * t
      let direction = line[min(index + 1, line.count - 1)] - line[max(index - 1, 0)]
      let aside = direction.normal * (width / 2)
      left.append(point + aside)
      right.append(point - aside)
    }
    // Round ends.
    let (tail, head) = (right.reversed(), line)
    var path = polygon(left)
    let forward = (head[head.count - 1] - head[head.count - 2]).normal
    let out = Point(forward.y, -forward.x) * (end * 0.66)
    path.curve(left[left.count - 1] + out, right[right.count - 1] + out, right[right.count - 1])
    for point in tail.dropFirst() { path.line(point) }
    let backward = (head[1] - head[0]).normal
    let back = Point(-backward.y, backward.x) * (start * 0.66)
    path.curve(right[0] + back, left[0] + back, left[0])
    return path
  }

  /// Returns points on a smooth curve through the given points, in even steps for each section.
  static func openCurve(_ points: [Point], pieces: Int = 10) -> [Point] {
    guard points.count > 2 else { return points }
    var line = [points[0]]
    for index in 0..<points.count - 1 {
      let before = points[max(index - 1, 0)]
      let (start, end) = (points[index], points[index + 1])
      let behind = points[min(index + 2, points.count - 1)]
      let (first, second) = (start + (end - before) * (1 / 6), end - (behind - start) * (1 / 6))
      for step in 1...pieces {
        let t = Double(step) / Double(pieces)
        let u = 1 - t
        line.append(
          start * (u * u * u) + first * (3 * u * u * t) + second * (3 * u * t * t) + end * (t * t * t))
      }
    }
    return line
  }

  /// Returns the outline with tufts of hair of about this length and spacing, which hang down a little.
  func furry(
    length: Double, spacing: Double, droop: Double = 0.35, using random: inout SeededGenerator
  ) -> Path {
    var result = Path()
    for outline in flattened() {
      let points = Self.resampled(outline, spacing: spacing, using: &random)
      guard points.count > 4 else { continue }
      result.move(points[0])
      for index in 0..<points.count {
        let (start, end) = (points[index], points[(index + 1) % points.count])
        let outwards = (end - start).normal * -1
        let reach = length * random.within(0.55...1.25)
        let along = (end - start) * random.within(0.45...0.95)
        let tip = start + along + outwards * reach + Point(0, reach * droop)
        result.curve(start + outwards * (reach * 0.55), tip - along * 0.35, tip)
        result.curve(tip - outwards * (reach * 0.35), end + outwards * (reach * 0.1), end)
      }
    }
    return result
  }

  private static func resampled(
    _ outline: [Point], spacing: Double, using random: inout SeededGenerator
  ) -> [Point] {
    var points: [Point] = []
    var left = 0.0
    for index in outline.indices {
      let (start, end) = (outline[index], outline[(index + 1) % outline.count])
      let length = (end - start).length
      var position = left
      while position < length {
        points.append(start + (end - start) * (position / length))
        position += spacing * random.within(0.7...1.3)
      }
      left = position - length
    }
    return points
  }
}
