import Glibc

/// A point or a vector. The y-axis points downwards.
struct Point: Sendable, Hashable {
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  static func + (left: Point, right: Point) -> Point { Point(left.x + right.x, left.y + right.y) }
  static func - (left: Point, right: Point) -> Point { Point(left.x - right.x, left.y - right.y) }
  static func * (point: Point, factor: Double) -> Point { Point(point.x * factor, point.y * factor) }

  var length: Double { (x * x + y * y).squareRoot() }
  /// The mirror image on the other side of the y-axis.
  var mirrored: Point { Point(-x, y) }
  /// The vector rotated by 90° and scaled to length 1; zero for a vector of length 0.
  var normal: Point {
    let length = length
    return length > 1e-9 ? Point(-y / length, x / length) : Point(0, 0)
  }

  static func polar(_ radius: Double, _ angle: Double) -> Point {
    Point(cos(angle) * radius, sin(angle) * radius)
  }
}

/// An affine transform.
struct Transform: Sendable, Hashable {
  var a = 1.0
  var b = 0.0
  var c = 0.0
  var d = 1.0
  var tx = 0.0
  var ty = 0.0

  static let identity = Transform()

  static func moved(_ x: Double, _ y: Double) -> Transform { Transform(tx: x, ty: y) }
  static func scaled(_ x: Double, _ y: Double) -> Transform { Transform(a: x, d: y) }
  static func scaled(_ factor: Double) -> Transform { scaled(factor, factor) }
  static func turned(_ angle: Double) -> Transform {
    Transform(a: cos(angle), b: sin(angle), c: -sin(angle), d: cos(angle))
  }

  func callAsFunction(_ point: Point) -> Point {
    Point(a * point.x + c * point.y + tx, b * point.x + d * point.y + ty)
  }

  /// Returns a transform that applies the other transform first, then this one.
  func after(_ other: Transform) -> Transform {
    Transform(
      a: a * other.a + c * other.b, b: b * other.a + d * other.b, c: a * other.c + c * other.d,
      d: b * other.c + d * other.d, tx: a * other.tx + c * other.ty + tx, ty: b * other.tx + d * other.ty + ty
    )
  }

  /// The inverse transform; nil if there is none.
  var inverse: Transform? {
    let determinant = a * d - b * c
    guard abs(determinant) > 1e-12 else { return nil }
    let (p, q, r, s) = (d / determinant, -b / determinant, -c / determinant, a / determinant)
    return Transform(a: p, b: q, c: r, d: s, tx: -(p * tx + r * ty), ty: -(q * tx + s * ty))
  }
}
