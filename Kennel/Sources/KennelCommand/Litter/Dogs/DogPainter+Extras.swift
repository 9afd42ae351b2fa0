// Accessories that a dog wears on its head.
extension DogPainter {
  mutating func drawHeadExtra() {
    switch dog.extra {
    case .partyHat: drawPartyHat()
    case .woolHat: drawWoolHat()
    case .sunglasses: drawGlasses(isDark: true)
    case .glasses: drawGlasses(isDark: false)
    case .flower: drawFlower(Point(66, -76))
    case .foam: drawFoam()
    case .crown: drawCrown()
    default: break
    }
  }

  private mutating func drawPartyHat() {
    let colour = lit(dog.extraColour)
    let before = canvas.transform
    canvas.transform = before.after(.moved(12, -80)).after(.turned(0.16))
    let hat = Path.smooth([Point(-44, 8), Point(0, -118), Point(44, 8), Point(0, 18)], tension: 0.25)
    canvas.with(.moved(0, 6)) { canvas.fill(hat, Colour(0x1A1010).faded(0.25), blend: .multiply) }
    canvas.fill(hat, .across(Point(-44, 0), Point(44, 0), colour.lighter(0.2), colour, colour.darker(0.3)))
    let mask = Mask(hat, on: canvas)
    let confetti = [Colour(0xFFD94A), Colour(0xFFFFFF), Colour(0x6FD3E8), Colour(0xFF8FB1)]
    for index in 0..<22 {
      canvas.fill(
        .ellipse(random.within(-40...40), random.within(-100...10), 5, 5), lit(confetti[index % 4]),
        clip: mask)
    }
    for index in 0..<14 {
      canvas.fill(
        .ellipse(random.within(-9...9), -116 + random.within(-9...9), 8, 8),
        lit(confetti[index % 4]).lighter(0.1))
    }
    canvas.transform = before
  }

  private mutating func drawWoolHat() {
    let colour = lit(dog.extraColour)
    let hat = Path.smooth([
      Point(-78, -62), Point(-70, -118), Point(-30, -148), Point(30, -148), Point(70, -118), Point(78, -62),
      Point(0, -76),
    ])
    canvas.fill(hat, .down(-150, -60, colour.lighter(0.2), colour, colour.darker(0.25)))
    let mask = Mask(hat, on: canvas)
    for column in -8...8 {
      let x = Double(column) * 10
      canvas.fill(
        .brush([Point(x * 0.3, -150), Point(x * 0.86, -112), Point(x, -60)], 2, 3, 3),
        colour.darker(0.3).faded(0.4),
        clip: mask)
    }
    canvas.fill(.rectangle(-84, -120, 168, 12), lit(Colour(0xFFF4E2)).faded(0.85), clip: mask)
    let band = [Point(-82, -62), Point(-44, -80), Point(0, -86), Point(44, -80), Point(82, -62)]
    canvas.with(.moved(0, 6)) {
      canvas.fill(.brush(band, 24, 36, 24), Colour(0x1A1010).faded(0.3), blend: .multiply)
    }
    canvas.fill(.brush(band, 24, 36, 24), .down(-104, -50, lit(Colour(0xFFF8EC)), lit(Colour(0xD9CDBE))))
    drawCurls(.ellipse(0, -164, 16, 14), Colour(0xFFF8EC), size: 12, innerCount: 10)
  }

  private func drawGlasses(isDark: Bool) {
    let (x, y, size) = dog.eyePlace
    let frame = lit(dog.extraColour)
    let r = size * 1.9
    canvas.fill(.brush([Point(-x - r, y - 8), Point(-98, y - 18)], 6, 6, 5), frame)
    canvas.fill(.brush([Point(x + r, y - 8), Point(98, y - 18)], 6, 6, 5), frame)
    canvas.fill(
      .brush([Point(-x + r * 0.7, y - 6), Point(0, y - 14), Point(x - r * 0.7, y - 6)], 6, 6, 6), frame)
    for side in [-1.0, 1.0] {
      let corners = [
        Point(side * x - r, y - r * 0.5), Point(side * x, y - r * 0.82), Point(side * x + r, y - r * 0.5),
        Point(side * x + r * 0.86, y + r * 0.5), Point(side * x, y + r * 0.86),
        Point(side * x - r * 0.86, y + r * 0.5),
      ]
      let lens = Path.smooth(corners)
      let glass: Paint =
        isDark
        ? .down(y - r, y + r, Colour(0x1B2A41), Colour(0x7A3B69), Colour(0xF39A5B))
        : .solid(.white.faded(0.12))
      canvas.fill(lens, glass)
      let mask = Mask(lens, on: canvas)
      let gleam = Path.polygon([
        Point(side * x - r * 0.2, y - r), Point(side * x + r * 0.3, y - r), Point(side * x - r * 0.5, y + r),
        Point(side * x - r, y + r),
      ])
      canvas.fill(gleam, .white.faded(0.2), clip: mask)
      for index in corners.indices {
        let piece = (0..<4).map { corners[(index + $0 + 5) % 6] }
        let curve = Path.openCurve(piece)
        canvas.fill(.brush(Array(curve[10...20]), 6.5, 6.5, 6.5), frame)
      }
    }
  }

  private func drawFlower(_ place: Point) {
    let colour = lit(dog.extraColour)
    canvas.glow(place.x + 2, place.y + 8, 34, 30, Colour(0x1A1010).faded(0.35), blend: .multiply)
    for index in 0..<6 {
      let petal = Point.polar(19, Double(index) * .pi / 3 + 0.2) + place
      canvas.fill(
        .ellipse(petal.x, petal.y, 15, 15),
        .radial(
          place, 36, 36, [.init(0, colour.darker(0.25)), .init(0.6, colour), .init(1, colour.lighter(0.4))]))
    }
    canvas.fill(
      .ellipse(place.x, place.y, 10, 10),
      .radial(
        Point(place.x - 3, place.y - 3), 14, 14,
        [.init(0, lit(Colour(0xFFE27A))), .init(1, lit(Colour(0xD98E1F)))]))
  }

  private mutating func drawFoam() {
    for _ in 0..<34 {
      let angle = random.within((-Double.pi * 0.93)...(-Double.pi * 0.07))
      let place = Point(0, -58) + .polar(random.within(0...1).squareRoot() * 62, angle)
      drawBubble(place, random.within(12...25))
    }
    for _ in 0..<5 {
      drawBubble(Point(random.within(-20...20), -130 + random.within(-12...12)), random.within(9...16))
    }
  }

  func drawBubble(_ place: Point, _ radius: Double) {
    let foam = lit(Colour(0xFFFFFF))
    canvas.fill(
      .ellipse(place.x, place.y, radius, radius),
      .radial(
        Point(place.x + light.side * radius * 0.3, place.y - radius * 0.3), radius * 1.5, radius * 1.5,
        [.init(0, foam), .init(0.55, lit(Colour(0xF1F7FC))), .init(1, lit(Colour(0xBFD4E6)))]))
  }

  private func drawCrown() {
    let gold = lit(Colour(0xF0BF46))
    let before = canvas.transform
    canvas.transform = before.after(.moved(0, -84)).after(.turned(-0.1))
    let crown = Path.polygon([
      Point(-56, 10), Point(-64, -50), Point(-32, -22), Point(0, -66), Point(32, -22), Point(64, -50),
      Point(56, 10),
    ])
    canvas.with(.moved(0, 6)) { canvas.fill(crown, Colour(0x1A1010).faded(0.3), blend: .multiply) }
    canvas.fill(crown, .across(Point(-60, 0), Point(60, 0), gold.lighter(0.3), gold, gold.darker(0.3)))
    canvas.fill(.rectangle(-57, -4, 114, 16, radius: 5), .down(-4, 12, gold.lighter(0.4), gold.darker(0.2)))
    for (index, x) in [-64.0, 0, 64].enumerated() {
      canvas.fill(.ellipse(x, index == 1 ? -68 : -52, 7, 7), gold.lighter(0.4))
    }
    for (x, colour) in [(-34.0, 0xD83A4A), (0, 0x3A78D8), (34, 0x39A867)] as [(Double, UInt32)] {
      canvas.fill(.ellipse(x, 4, 6.5, 6), lit(Colour(colour)))
      canvas.fill(.ellipse(x - 2, 2, 2, 1.6), .white.faded(0.8))
    }
    canvas.transform = before
  }
}
