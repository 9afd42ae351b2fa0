/// The canvas of a picture in drawing units: its shorter side is 1,000 units, for any number of pixels.
struct Stage {
  let canvas: Canvas
  let width: Double
  let height: Double
  var random: SeededGenerator

  init(_ canvas: Canvas, width: Double, height: Double, seed: UInt64) {
    self.canvas = canvas
    self.width = width
    self.height = height
    random = SeededGenerator(seed: seed)
  }

  var area: Path { .rectangle(-20, -20, width + 40, height + 40) }

  func fill(_ paint: Paint, on canvas: Canvas, opacity: Double = 1, blend: Canvas.Blend = .normal) {
    canvas.fill(area, paint, opacity: opacity, blend: blend)
  }

  /// Draws hills below a height.
  mutating func hills(
    _ y: Double, _ swing: Double, _ waves: Int, _ paint: Paint, on canvas: Canvas
  ) {
    let step = (width + 200) / Double(waves * 2)
    let ridge = (0...waves * 2).map { index in
      Point(-100 + Double(index) * step, y + (index % 2 == 0 ? swing : -swing) * random.within(0.35...1))
    }
    var path = Path.polygon(Path.openCurve(ridge))
    path.line(width + 200, height + 100)
    path.line(-200, height + 100)
    canvas.fill(path, paint)
  }

  /// Draws lights that are out of focus.
  mutating func bokeh(
    _ count: Int, x: ClosedRange<Double>, y: ClosedRange<Double>, _ size: ClosedRange<Double>,
    _ colours: [Colour],
    on canvas: Canvas
  ) {
    for index in 0..<count {
      let (place, radius) = (Point(random.within(x), random.within(y)), random.within(size))
      let colour = colours[index % colours.count].faded(random.within(0.25...0.75))
      canvas.fill(
        .ellipse(place.x, place.y, radius, radius),
        .radial(
          place, radius, radius,
          [
            .init(0, colour.faded(0.7)), .init(0.8, colour.faded(0.85)), .init(0.93, colour),
            .init(1, colour.faded(0)),
          ]),
        blend: .screen)
    }
  }

  mutating func cloud(_ x: Double, _ y: Double, _ size: Double, _ colour: Colour, on canvas: Canvas) {
    for index in 0..<9 {
      let t = Double(index) / 8 - 0.5
      let radius = size * (0.36 - abs(t) * 0.36) * random.within(0.8...1.2) + size * 0.08
      canvas.glow(x + t * size * 1.5, y - radius * 0.3, radius * 1.6, radius, colour.faded(0.8))
    }
  }

  /// Draws blades of grass that grow from a line.
  mutating func grass(
    _ count: Int, x: ClosedRange<Double>, y: ClosedRange<Double>, _ size: ClosedRange<Double>,
    _ colours: [Colour],
    on canvas: Canvas
  ) {
    var blades = [Path](repeating: Path(), count: colours.count)
    for _ in 0..<count {
      let root = Point(random.within(x), random.within(y))
      let length = random.within(size)
      let lean = random.within(-0.5...0.5) * length
      let width = length * random.within(0.05...0.09)
      let tip = root + Point(lean, -length)
      var blade = Path()
      blade.move(root + Point(-width, 0))
      blade.curve(root + Point(-width * 0.8, -length * 0.5), tip + Point(-lean * 0.4, length * 0.3), tip)
      blade.curve(
        tip + Point(-lean * 0.4 + width, length * 0.3), root + Point(width * 0.9, -length * 0.5),
        root + Point(width, 0))
      let index = Int(random.next() % UInt64(colours.count))
      blades[index].add(blade)
    }
    for (path, colour) in zip(blades, colours) { canvas.fill(path, colour) }
  }

  mutating func flowers(
    _ count: Int, x: ClosedRange<Double>, y: ClosedRange<Double>, _ size: ClosedRange<Double>,
    _ colours: [Colour],
    on canvas: Canvas
  ) {
    for _ in 0..<count {
      let place = Point(random.within(x), random.within(y))
      let radius = random.within(size)
      let colour = colours[Int(random.next() % UInt64(colours.count))]
      let turn = random.within(0...1)
      canvas.fill(
        .brush([place, place + Point(random.within(-8...8), radius * 2.6)], 3, 2.4, 2),
        Colour(0x4E7A35).faded(0.9))
      for petal in 0..<5 {
        let centre = place + .polar(radius * 0.62, (Double(petal) + turn) * 2 * .pi / 5)
        canvas.fill(
          .ellipse(centre.x, centre.y * 1, radius * 0.5, radius * 0.46),
          colour.lighter(petal % 2 == 0 ? 0.2 : 0))
      }
      canvas.fill(.ellipse(place.x, place.y, radius * 0.34, radius * 0.32), Colour(0xF2B632))
    }
  }

  /// Darkens the corners.
  func vignette(_ strength: Double, _ colour: Colour = Colour(0x2A1B2E)) {
    let centre = Point(width / 2, height * 0.46)
    canvas.fill(
      area,
      .radial(
        centre, width * 0.78, height * 0.78,
        [.init(0, colour.faded(0)), .init(0.55, colour.faded(0)), .init(1, colour.faded(strength))]),
      blend: .multiply)
  }

  /// Draws light that comes from a point.
  func glare(_ x: Double, _ y: Double, _ radius: Double, _ colour: Colour) {
    canvas.glow(x, y, radius, radius, colour, blend: .screen)
  }
}
