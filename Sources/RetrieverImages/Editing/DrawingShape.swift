import Foundation

/// A shape to fill or stroke in a ``DrawingContext``. *Beyond Apple's API.*
///
/// Coordinates are in pixels from the top left corner. The pixel in the corner covers the square from (0, 0) to (1, 1), so a
/// rectangle with integral coordinates has sharp edges.
public struct DrawingShape: Sendable, Hashable {
  enum Kind: Hashable {
    case rectangle, rounded(Double), ellipse
  }

  let rect: CGRect
  let kind: Kind

  /// A rectangle.
  public static func rectangle(_ rect: CGRect) -> DrawingShape {
    DrawingShape(rect: rect.standardized, kind: .rectangle)
  }

  /// A rectangle with round corners. The radius is at most half of the shorter side.
  public static func roundedRectangle(_ rect: CGRect, cornerRadius: Double) -> DrawingShape {
    DrawingShape(rect: rect.standardized, kind: .rounded(cornerRadius))
  }

  /// The ellipse that fits into a rectangle.
  public static func ellipse(in rect: CGRect) -> DrawingShape {
    DrawingShape(rect: rect.standardized, kind: .ellipse)
  }

  /// The area of the shape.
  var area: ConvexArea? { grown(by: 0) }

  /// The area whose edge is at a distance outside the shape's edge, or inside if the distance is negative; nil if nothing
  /// is left.
  func grown(by distance: Double) -> ConvexArea? {
    let grown = rect.insetBy(dx: -distance, dy: -distance)
    guard !grown.isNull, grown.width > 0, grown.height > 0 else { return nil }
    switch kind {
    case .rectangle: return .rectangle(grown, radius: 0)
    case .ellipse: return .ellipse(grown)
    case .rounded(let radius):
      // A comparison with a value that is not a number is false.
      let own = min(radius > 0 ? radius : 0, Double(min(rect.width, rect.height)) / 2)
      return .rectangle(grown, radius: own > 0 ? max(own + distance, 0) : 0)
    }
  }
}

/// An area that every horizontal line crosses in at most one piece.
enum ConvexArea {
  case rectangle(CGRect, radius: Double)
  case ellipse(CGRect)
  case polygon([CGPoint])

  /// Returns the area of a line with flat ends; nil if it has no length or no width.
  static func line(from start: CGPoint, to end: CGPoint, width: Double) -> ConvexArea? {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let length = (dx * dx + dy * dy).squareRoot()
    guard length > 0, length.isFinite, width > 0, width.isFinite else { return nil }
    let (x, y) = (-dy / length * width / 2, dx / length * width / 2)
    return .polygon([
      CGPoint(x: start.x + x, y: start.y + y), CGPoint(x: end.x + x, y: end.y + y),
      CGPoint(x: end.x - x, y: end.y - y), CGPoint(x: start.x - x, y: start.y - y),
    ])
  }

  /// The lowest and highest vertical coordinates; nil if a coordinate is not a finite number.
  var rows: ClosedRange<Double>? {
    switch self {
    case .rectangle(let rect, _), .ellipse(let rect):
      guard [rect.minX, rect.minY, rect.maxX, rect.maxY].allSatisfy(\.isFinite) else { return nil }
      return rect.minY...rect.maxY
    case .polygon(let points):
      guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
      let ys = points.map(\.y)
      guard let low = ys.min(), let high = ys.max() else { return nil }
      return low...high
    }
  }

  /// Returns the piece of a horizontal line that is inside the area; nil if there is none.
  func span(at y: Double) -> (left: Double, right: Double)? {
    switch self {
    case .rectangle(let rect, let radius):
      let depth = max(rect.minY + radius - y, y - rect.maxY + radius, 0)
      let inset = radius - (max(radius * radius - depth * depth, 0)).squareRoot()
      return (rect.minX + inset, rect.maxX - inset)
    case .ellipse(let rect):
      let height = (y - rect.midY) / (rect.height / 2)
      let half = rect.width / 2 * (max(1 - height * height, 0)).squareRoot()
      return (rect.midX - half, rect.midX + half)
    case .polygon(let points):
      var crossings: [Double] = []
      for (index, start) in points.enumerated() {
        let end = points[(index + 1) % points.count]
        guard (start.y <= y) != (end.y <= y) else { continue }
        crossings.append(start.x + (end.x - start.x) * (y - start.y) / (end.y - start.y))
      }
      guard let left = crossings.min(), let right = crossings.max() else { return nil }
      return (left, right)
    }
  }
}
