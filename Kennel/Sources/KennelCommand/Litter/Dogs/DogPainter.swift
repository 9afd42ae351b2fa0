/// Draws a dog. The centre of its head is at 0, and its head is about 200 units wide.
struct DogPainter {
  let canvas: Canvas
  let dog: Dog
  let light: Light
  var random: SeededGenerator

  init(_ canvas: Canvas, _ dog: Dog, _ light: Light, seed: UInt64) {
    self.canvas = canvas
    self.dog = dog
    self.light = light
    random = SeededGenerator(seed: seed)
  }

  /// Draws the dog.
  ///
  /// - Parameter foreground: draws the objects in front of the body and behind the paws and the head.
  mutating func draw(foreground: () -> Void = {}) {
    drawBody()
    foreground()
    if dog.pose == .peeking { drawPaws() }
    let place: Transform =
      switch dog.pose {
      case .asleep: .moved(0, 92)
      case .lying: .moved(0, 24)
      default: .identity
      }
    let before = canvas.transform
    canvas.transform = before.after(place).after(.moved(0, 90)).after(.turned(dog.tilt)).after(.moved(0, -90))
    drawHead()
    canvas.transform = before
  }

  // MARK: Light and hair

  func lit(_ colour: Colour) -> Colour { colour.lit(by: light.tint) }

  /// Draws a part of the coat with a rounded look: light from above, shadow below, and a bright edge.
  func fillFur(
    _ path: Path, _ colour: Colour, _ top: Double, _ bottom: Double, clip: Mask? = nil, rim: Double = 1
  ) {
    let colour = lit(colour)
    canvas.fill(
      path, .down(top, bottom, colour.lighter(0.14), colour, colour.darker(0.3)), clip: clip)
    guard rim > 0 else { return }
    let edge = light.rim.faded(light.strength * rim)
    canvas.fill(
      path, .across(Point(light.side * 150, -70), Point(light.side * 20, -10), edge, edge.faded(0)),
      blend: .screen, clip: clip)
    canvas.fill(
      path,
      .across(
        Point(-light.side * 150, 60), Point(-light.side * 10, 10), lit(Colour(0x7A6258)).faded(0.36),
        Colour(0x7A6258).faded(0)), blend: .multiply, clip: clip)
  }

  func soft(_ path: Path, length: Double, spacing: Double) -> Path {
    var random = random
    return path.furry(length: length, spacing: spacing, using: &random)
  }

  /// Returns the outline with the edge of the coat.
  func coated(_ path: Path, _ length: Double = 1) -> Path {
    switch dog.coat {
    case .smooth: path
    case .fluffy: soft(path, length: 15 * length, spacing: 13)
    case .wiry: soft(path, length: 9 * length, spacing: 8)
    case .curly: path
    }
  }

  /// Draws hairs within an area, pointing away from a centre and downwards.
  mutating func drawHairs(
    _ mask: Mask, x: ClosedRange<Double>, y: ClosedRange<Double>, count: Int, length: Double,
    from centre: Point,
    _ colour: Colour, droop: Double = 0.5
  ) {
    var (bright, dark) = (Path(), Path())
    for index in 0..<count {
      let root = Point(random.within(x), random.within(y))
      let away = root - centre
      let scatter = Point(random.within(-0.3...0.3), random.within(-0.3...0.3))
      let direction = away * (1 / max(away.length, 1)) + Point(0, droop) + scatter
      let tip = root + direction * (length * random.within(0.5...1.3) / max(direction.length, 0.3))
      let aside = (tip - root).normal * random.within(0.7...1.5)
      let bend = Point(random.within(-2...2), random.within(-2...2))
      var hair = Path()
      hair.move(root + aside)
      hair.line((root + tip) * 0.5 + aside * 0.8 + bend)
      hair.line(tip)
      hair.line((root + tip) * 0.5 - aside * 0.8 + bend)
      hair.line(root - aside)
      if index % 2 == 0 { bright.add(hair) } else { dark.add(hair) }
    }
    let colour = lit(colour)
    let strength = dog.coat == .smooth ? 0.55 : 1
    canvas.fill(bright, colour.lighter(0.45).faded(0.26 * strength), clip: mask)
    canvas.fill(dark, colour.darker(0.45).faded(0.2 * strength), clip: mask)
  }

  /// Draws curls along an outline and inside it.
  mutating func drawCurls(_ path: Path, _ colour: Colour, size: Double, innerCount: Int) {
    let colour = lit(colour)
    canvas.fill(path, colour.darker(0.1))
    var curls: [(Point, Double)] = []
    for outline in path.flattened() {
      var rest = 0.0
      for index in outline.indices {
        let (start, end) = (outline[index], outline[(index + 1) % outline.count])
        rest -= (end - start).length
        if rest <= 0 {
          curls.append((start, size * random.within(0.8...1.2)))
          rest = size * 0.95
        }
      }
      let middle = outline.reduce(Point(0, 0), +) * (1 / Double(outline.count))
      for _ in 0..<innerCount {
        let edge = outline[Int(random.within(0...0.999) * Double(outline.count))]
        let place = middle + (edge - middle) * random.within(0...0.95)
        curls.append((place, size * random.within(0.7...1.15)))
      }
    }
    for (place, radius) in curls {
      let shade = colour.mixed(
        random.chance(0.5) ? colour.lighter(0.18) : colour.darker(0.14), random.within(0...1))
      let bright = Point(place.x + light.side * radius * 0.3, place.y - radius * 0.35)
      canvas.fill(
        .ellipse(place.x, place.y, radius, radius),
        .radial(
          bright, radius * 1.4, radius * 1.4,
          [.init(0, shade.lighter(0.22)), .init(0.55, shade), .init(1, shade.darker(0.17))]))
    }
  }
}
