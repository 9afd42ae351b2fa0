/// The colours of a paint, precomputed for the pixels of a canvas.
struct Shader {
  /// A colour in units of 1/256 sample, with its opacity in units of 1/65,536.
  struct Shade {
    var red: Int
    var green: Int
    var blue: Int
    var alpha: Int

    init(_ colour: Colour) {
      func clamped(_ value: Double, _ maximum: Double) -> Int { Int(min(max(value, 0), 1) * maximum) }
      red = clamped(colour.red, 65280)
      green = clamped(colour.green, 65280)
      blue = clamped(colour.blue, 65280)
      alpha = clamped(colour.alpha, 65536)
    }

    /// The nearest colour that 8-bit samples can represent without noise.
    var rounded: Shade {
      var shade = self
      shade.red = (red + 128) & ~0xFF
      shade.green = (green + 128) & ~0xFF
      shade.blue = (blue + 128) & ~0xFF
      return shade
    }
  }

  private enum Form {
    case solid
    /// The position is x·a + y·c + tx.
    case linear(Transform)
    /// The position is the distance from the origin.
    case radial(Transform)
  }

  private static let steps = 1023
  private let form: Form
  private let shades: [Shade]

  /// Creates a shader for a paint.
  ///
  /// - Parameter transform: the transform from the paint's coordinates to pixels.
  init(_ paint: Paint, opacity: Double, transform: Transform) {
    switch paint {
    case .solid(let colour):
      form = .solid
      shades = [Shade(colour.faded(opacity)).rounded]
    case .linear(let start, let end, let stops):
      let way = end - start
      let square = max(way.x * way.x + way.y * way.y, 1e-9)
      let along = Transform(
        a: way.x / square, c: way.y / square, tx: -(start.x * way.x + start.y * way.y) / square)
      form = transform.inverse.map { .linear(along.after($0)) } ?? .solid
      shades = Self.shades(stops, opacity)
    case .radial(let centre, let rx, let ry, let stops):
      let toUnit = Transform.scaled(1 / max(rx, 1e-9), 1 / max(ry, 1e-9)).after(.moved(-centre.x, -centre.y))
      form = transform.inverse.map { .radial(toUnit.after($0)) } ?? .solid
      shades = Self.shades(stops, opacity)
    }
  }

  private static func shades(_ stops: [Paint.Stop], _ opacity: Double) -> [Shade] {
    guard let first = stops.first, let last = stops.last else { return [Shade(Colour.black.faded(0))] }
    var index = 0
    return (0...steps).map { step in
      let place = Double(step) / Double(steps)
      while index + 1 < stops.count, stops[index + 1].place < place { index += 1 }
      let (from, to) = (stops[index], index + 1 < stops.count ? stops[index + 1] : last)
      let span = to.place - from.place
      let colour =
        place <= first.place
        ? first.colour
        : place >= last.place || span <= 0
          ? to.colour : from.colour.mixed(to.colour, min(max((place - from.place) / span, 0), 1))
      return Shade(colour.faded(opacity))
    }
  }

  /// Returns the shade of a row; nil if the shade changes along the row.
  func shade(ofRow row: Int) -> Shade? {
    switch form {
    case .solid: return shades[0]
    case .linear(let map):
      guard abs(map.a) < 1e-12 else { return nil }
      return shades[Self.index(map.c * (Double(row) + 0.5) + map.tx)]
    case .radial: return nil
    }
  }

  /// Calls the closure with the shades of some pixels in a row, from left to right.
  @inline(__always)
  func forEachShade(_ columns: Range<Int>, row: Int, _ body: (Int, Shade) -> Void) {
    let start = Point(Double(columns.lowerBound) + 0.5, Double(row) + 0.5)
    shades.withUnsafeBufferPointer { shades in
      switch form {
      case .solid:
        var x = columns.lowerBound
        while x < columns.upperBound {
          body(x, shades[0])
          x &+= 1
        }
      case .linear(let map):
        var place = map.a * start.x + map.c * start.y + map.tx
        var x = columns.lowerBound
        while x < columns.upperBound {
          body(x, shades[Self.index(place)])
          place += map.a
          x &+= 1
        }
      case .radial(let map):
        var place = map(start)
        var x = columns.lowerBound
        while x < columns.upperBound {
          body(x, shades[Self.index((place.x * place.x + place.y * place.y).squareRoot())])
          place.x += map.a
          place.y += map.b
          x &+= 1
        }
      }
    }
  }

  @inline(__always)
  private static func index(_ place: Double) -> Int {
    place <= 0 ? 0 : place >= 1 ? steps : Int(place * Double(steps) + 0.5)
  }
}
