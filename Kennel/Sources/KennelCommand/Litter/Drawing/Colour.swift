/// A colour in sRGB, with components from 0 to 1.
struct Colour: Sendable, Hashable {
  var red: Double
  var green: Double
  var blue: Double
  var alpha = 1.0

  /// Creates a colour from a number in the form `0xRRGGBB`.
  init(_ hex: UInt32, alpha: Double = 1) {
    red = Double(hex >> 16 & 0xFF) / 255
    green = Double(hex >> 8 & 0xFF) / 255
    blue = Double(hex & 0xFF) / 255
    self.alpha = alpha
  }

  init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  static let white = Colour(0xFFFFFF)
  static let black = Colour(0x000000)

  func mixed(_ other: Colour, _ part: Double) -> Colour {
    func mix(_ a: Double, _ b: Double) -> Double { a + (b - a) * part }
    return Colour(
      red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue),
      alpha: mix(alpha, other.alpha))
  }

  func lighter(_ part: Double) -> Colour { mixed(Colour(0xFFFAF0), part) }
  /// Returns the colour mixed with dark brown, which looks more natural for shadows than black.
  func darker(_ part: Double) -> Colour { mixed(Colour(0x1C1210), part) }
  func faded(_ alpha: Double) -> Colour {
    var colour = self
    colour.alpha *= alpha
    return colour
  }

  /// Returns the colour under a light of another colour.
  func lit(by light: Colour) -> Colour {
    Colour(
      red: min(red * light.red, 1), green: min(green * light.green, 1), blue: min(blue * light.blue, 1),
      alpha: alpha)
  }

  var luminance: Double { 0.3 * red + 0.59 * green + 0.11 * blue }
}

/// The fill of an area: a colour or a gradient.
enum Paint: Sendable {
  struct Stop: Sendable {
    var place: Double
    var colour: Colour

    init(_ place: Double, _ colour: Colour) {
      self.place = place
      self.colour = colour
    }
  }

  case solid(Colour)
  case linear(Point, Point, [Stop])
  /// A radial gradient with a centre and a radius in each direction.
  case radial(Point, Double, Double, [Stop])

  static func down(_ top: Double, _ bottom: Double, _ colours: Colour...) -> Paint {
    .linear(Point(0, top), Point(0, bottom), spread(colours))
  }

  static func across(_ start: Point, _ end: Point, _ colours: Colour...) -> Paint {
    .linear(start, end, spread(colours))
  }

  private static func spread(_ colours: [Colour]) -> [Stop] {
    colours.enumerated().map { Stop(Double($0) / Double(max(colours.count - 1, 1)), $1) }
  }

  /// Returns a soft spot of colour without an edge.
  static func glow(_ centre: Point, _ rx: Double, _ ry: Double, _ colour: Colour) -> Paint {
    // Approximately a bell curve.
    let falloff = [1, 0.93, 0.76, 0.55, 0.36, 0.2, 0.09, 0.03, 0]
    return .radial(
      centre, rx, ry, falloff.enumerated().map { Stop(Double($0) / 8, colour.faded($1)) })
  }
}
