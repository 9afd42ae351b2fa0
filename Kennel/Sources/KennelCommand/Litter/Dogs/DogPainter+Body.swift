// The body in each pose.
extension DogPainter {
  private var chestColour: Colour? {
    switch dog.marking {
    case .blaze, .husky, .tricolour: dog.markingColour
    case .merle: Colour(0xF6F1E8)
    case .points: dog.markingColour
    case .patch: dog.fur.lighter(0.3)
    default: nil
    }
  }

  private var legColour: Colour {
    switch dog.marking {
    case .husky, .tricolour, .blaze: dog.markingColour
    case .points: dog.markingColour
    case .merle: Colour(0xF6F1E8)
    default: dog.fur.lighter(0.06)
    }
  }

  mutating func drawBody() {
    switch dog.pose {
    case .bust, .peeking: drawBust()
    case .sitting: drawSitting()
    case .lying, .asleep: drawLying()
    }
  }

  private mutating func drawCoat(
    _ outline: Path, _ colour: Colour, top: Double, bottom: Double, x: ClosedRange<Double>
  ) {
    if dog.coat == .curly { return drawCurls(outline, colour, size: 17, innerCount: 240) }
    let path = coated(outline, 1.4)
    fillFur(path, colour, top, bottom)
    let mask = Mask(path, on: canvas)
    if dog.marking == .spots { drawSpots(mask, x: x, y: top...bottom, count: 30, 8...18) }
    if dog.marking == .merle { drawSpots(mask, x: x, y: top...bottom, count: 26, 14...36) }
    drawHairs(
      mask, x: x, y: top...bottom, count: dog.coat == .smooth ? 420 : 620,
      length: dog.coat == .smooth ? 13 : 30,
      from: Point(0, top - 60), colour, droop: 0.8)
  }

  private mutating func drawChest(_ points: [Point], clip outline: Path) {
    guard let colour = chestColour, dog.coat != .curly else { return }
    let mask = Mask(coated(outline, 1.4), on: canvas)
    let path = soft(.symmetric(points), length: dog.coat == .smooth ? 10 : 22, spacing: 13)
    let lit = lit(colour)
    canvas.fill(path, .down(90, 330, lit, lit.darker(0.16)), clip: mask)
    drawHairs(
      Mask(path, on: canvas), x: -90...90, y: 80...320, count: 240, length: 24, from: Point(0, 0), colour,
      droop: 1)
  }

  private mutating func drawBust() {
    let outline = Path.symmetric([
      Point(0, 10), Point(58, 34), Point(82, 96), Point(132, 150), Point(172, 236), Point(186, 380),
      Point(0, 420),
    ])
    drawCoat(outline, dog.fur.darker(0.05), top: 20, bottom: 380, x: -180...180)
    drawChest(
      [Point(0, 70), Point(46, 96), Point(74, 170), Point(70, 260), Point(50, 360), Point(0, 390)],
      clip: outline)
    drawNeck(y: 108, width: 84, on: outline)
  }

  private mutating func drawSitting() {
    drawTail(Point(96, 366), [Point(96, 366), Point(176, 372), Point(206, 318), Point(190, 262)])
    canvas.glow(0, 398, 230, 30, Colour(0x1A1420).faded(0.5), blend: .multiply)
    for side in [-1.0, 1.0] {
      let thigh = Path.ellipse(side * 108, 326, 58, 70)
      drawCoat(thigh, dog.fur.darker(0.12), top: 250, bottom: 400, x: (side * 108 - 60)...(side * 108 + 60))
      drawPaw(side * 128, 386, 40, 22, legColour.darker(0.08))
    }
    let outline = Path.symmetric([
      Point(0, 10), Point(56, 36), Point(76, 96), Point(98, 170), Point(118, 256), Point(122, 330),
      Point(88, 376),
      Point(0, 384),
    ])
    drawCoat(outline, dog.fur.darker(0.04), top: 20, bottom: 384, x: -120...120)
    drawChest([Point(0, 70), Point(44, 96), Point(66, 160), Point(54, 230), Point(0, 270)], clip: outline)
    canvas.glow(0, 330, 30, 90, lit(Colour(0x2A1A14)).faded(0.5), blend: .multiply)
    for side in [-1.0, 1.0] {
      let leg = Path.smooth([
        Point(side * 16, 210), Point(side * 44, 190), Point(side * 74, 214), Point(side * 72, 300),
        Point(side * 68, 384), Point(side * 22, 386), Point(side * 20, 300),
      ])
      if dog.coat == .curly {
        drawCurls(leg, dog.fur, size: 14, innerCount: 60)
      } else {
        fillFur(
          coated(leg, 0.6),
          dog.marking == .none || dog.marking == .mask || dog.marking == .spots ? dog.fur : legColour, 170,
          410, rim: 0.6)
        let mask = Mask(leg, on: canvas)
        if dog.marking == .spots {
          drawSpots(mask, x: (side * 45 - 30)...(side * 45 + 30), y: 220...370, count: 7, 6...12)
        }
      }
      drawPaw(side * 46, 392, 36, 22, legColour)
    }
    drawNeck(y: 108, width: 80, on: outline)
  }

  private mutating func drawLying() {
    canvas.glow(0, 216, 260, 34, Colour(0x1A1420).faded(0.5), blend: .multiply)
    drawTail(Point(170, 190), [Point(150, 196), Point(226, 204), Point(262, 176), Point(258, 140)])
    let outline = Path.smooth([
      Point(-70, 30), Point(-150, 62), Point(-198, 130), Point(-186, 196), Point(-90, 214), Point(90, 214),
      Point(186, 196), Point(198, 130), Point(150, 62), Point(70, 30), Point(0, 20),
    ])
    drawCoat(outline, dog.fur.darker(0.05), top: 20, bottom: 214, x: -200...200)
    drawChest([Point(0, 60), Point(60, 90), Point(84, 160), Point(60, 220), Point(0, 230)], clip: outline)
    drawNeck(y: 128, width: 92, on: outline)
    for side in [-1.0, 1.0] {
      let leg = Path.smooth([
        Point(side * 34, 150), Point(side * 84, 140), Point(side * 112, 180), Point(side * 104, 220),
        Point(side * 40, 222),
      ])
      if dog.coat == .curly {
        drawCurls(leg, dog.fur, size: 14, innerCount: 40)
      } else {
        fillFur(coated(leg, 0.6), dog.fur, 120, 236, rim: 0.6)
      }
      drawPaw(side * 72, 212, 44, 27, legColour)
    }
  }

  mutating func drawPaws() {
    for side in [-1.0, 1.0] { drawPaw(side * 98, 120, 40, 29, legColour) }
  }

  private mutating func drawPaw(_ x: Double, _ y: Double, _ rx: Double, _ ry: Double, _ colour: Colour) {
    canvas.glow(x, y + ry * 0.9, rx * 1.3, ry * 0.6, Colour(0x1A1420).faded(0.4), blend: .multiply)
    let outline = Path.smooth([
      Point(x - rx, y + ry * 0.3), Point(x - rx * 0.72, y - ry * 0.7), Point(x, y - ry),
      Point(x + rx * 0.72, y - ry * 0.7),
      Point(x + rx, y + ry * 0.3), Point(x + rx * 0.62, y + ry * 0.86), Point(x, y + ry * 0.94),
      Point(x - rx * 0.62, y + ry * 0.86),
    ])
    if dog.coat == .curly {
      drawCurls(outline, colour, size: 13, innerCount: 14)
      return
    }
    let base = lit(colour)
    canvas.fill(
      coated(outline, 0.4), .down(y - ry, y + ry, base.lighter(0.14), base, base.darker(0.28)))
    for place in [-0.36, 0.0, 0.36] {
      let top = Point(x + place * rx * 1.1, y + ry * 0.1)
      canvas.fill(
        .brush(
          [top, Point(x + place * rx * 1.34, y + ry * 0.5), Point(x + place * rx * 1.3, y + ry * 0.84)], 1,
          3.4, 2.2),
        base.darker(0.55).faded(0.7))
    }
    canvas.glow(x + light.side * rx * 0.2, y - ry * 0.4, rx * 0.6, ry * 0.4, .white.faded(0.16))
  }

  private mutating func drawTail(_ root: Point, _ points: [Point]) {
    let isBushy = dog.coat == .fluffy
    let tail = Path.brush(points, 44, isBushy ? 70 : 30, isBushy ? 22 : 12)
    if dog.coat == .curly {
      drawCurls(.ellipse(points[2].x - 10, points[2].y, 30, 34), dog.fur, size: 13, innerCount: 40)
      return
    }
    let path = isBushy ? soft(tail, length: 18, spacing: 14) : tail
    let colour = lit(dog.fur)
    canvas.fill(path, .down(200, 390, colour.lighter(0.2), colour, colour.darker(0.3)))
  }

  // MARK: Around the neck

  private mutating func drawNeck(y: Double, width: Double, on outline: Path) {
    if let collar = dog.collar, dog.extra != .scarf {
      drawCollar(collar, y, width, Mask(outline.transformed(.scaled(1.02, 1)), on: canvas))
    }
    switch dog.extra {
    case .bandana: drawBandana(y, width)
    case .bow: drawBow(y + 14)
    case .scarf: drawScarf(y, width)
    default: break
    }
  }

  private func drawCollar(_ colour: Colour, _ y: Double, _ width: Double, _ neck: Mask) {
    let colour = lit(colour)
    let line = [
      Point(-width, y - 24), Point(-width * 0.55, y + 2), Point(0, y + 12), Point(width * 0.55, y + 2),
      Point(width, y - 24),
    ]
    canvas.with(.moved(0, 7)) {
      canvas.fill(.brush(line, 15, 22, 15), Colour(0x1A1010).faded(0.35), blend: .multiply, clip: neck)
    }
    canvas.fill(
      .brush(line, 15, 22, 15),
      .across(
        Point(-width, 0), Point(width, 0), colour.darker(0.3), colour.lighter(0.14), colour.darker(0.4)),
      clip: neck)
    let stitch = line.map { Point($0.x, $0.y - 5) }
    canvas.fill(.brush(stitch, 1, 1.6, 1), colour.lighter(0.5).faded(0.5), clip: neck)
    guard dog.extra != .bow, dog.extra != .bandana else { return }
    let gold = lit(Colour(0xE8B84A))
    canvas.fill(.ellipse(0, y + 25, 6, 6), gold.darker(0.35))
    canvas.fill(
      .ellipse(0, y + 42, 17, 17),
      .radial(
        Point(-5, y + 36), 24, 24,
        [.init(0, gold.lighter(0.7)), .init(0.5, gold), .init(1, gold.darker(0.4))]))
    // A heart on it.
    var heart = Path()
    heart.move(0, y + 51)
    heart.curve(Point(-14, y + 41), Point(-8, y + 31), Point(0, y + 38))
    heart.curve(Point(8, y + 31), Point(14, y + 41), Point(0, y + 51))
    canvas.fill(heart, gold.darker(0.45).faded(0.8))
  }

  private func drawBandana(_ y: Double, _ width: Double) {
    let colour = lit(dog.extraColour)
    let cloth = Path.symmetric(
      [
        Point(0, y + 6), Point(width * 0.6, y - 6), Point(width * 1.02, y - 26), Point(width * 0.8, y + 18),
        Point(width * 0.4, y + 66), Point(0, y + 104),
      ], tension: 0.7)
    canvas.with(.moved(3, 9)) { canvas.fill(cloth, Colour(0x1A1010).faded(0.3), blend: .multiply) }
    canvas.fill(cloth, .down(y - 26, y + 104, colour.darker(0.2), colour.lighter(0.08), colour.darker(0.12)))
    let mask = Mask(cloth, on: canvas)
    for row in 0..<6 {
      for column in -4...4 {
        let x = Double(column) * 26 + (row % 2 == 0 ? 0 : 13)
        canvas.fill(
          .ellipse(x, y - 14 + Double(row) * 22, 4.4, 4.4), lit(Colour(0xFFF8EA)).faded(0.9), clip: mask)
      }
    }
    canvas.fill(
      .brush([Point(-width, y - 24), Point(0, y + 10), Point(width, y - 24)], 12, 20, 12), colour.darker(0.24)
    )
  }

  private func drawBow(_ y: Double) {
    let colour = lit(dog.extraColour)
    for side in [-1.0, 1.0] {
      let wing = Path.smooth(
        [
          Point(side * 4, y - 6), Point(side * 40, y - 28), Point(side * 62, y - 22),
          Point(side * 60, y + 20),
          Point(side * 40, y + 26), Point(side * 4, y + 8),
        ], tension: 0.8)
      canvas.with(.moved(0, 6)) { canvas.fill(wing, Colour(0x1A1010).faded(0.3), blend: .multiply) }
      canvas.fill(wing, .down(y - 28, y + 26, colour.lighter(0.2), colour, colour.darker(0.3)))
      canvas.fill(
        .brush([Point(side * 8, y), Point(side * 26, y - 6), Point(side * 42, y - 8)], 1, 4, 0.5),
        colour.darker(0.4).faded(0.6))
    }
    canvas.fill(
      .rectangle(-13, y - 14, 26, 30, radius: 10),
      .down(y - 14, y + 16, colour.lighter(0.24), colour.darker(0.2)))
  }

  private func drawScarf(_ y: Double, _ width: Double) {
    let colour = lit(dog.extraColour)
    let end = Path.smooth(
      [
        Point(18, y + 6), Point(58, y + 4), Point(66, y + 70), Point(62, y + 130), Point(22, y + 132),
        Point(26, y + 70),
      ], tension: 0.6)
    canvas.with(.moved(4, 8)) { canvas.fill(end, Colour(0x1A1010).faded(0.3), blend: .multiply) }
    canvas.fill(end, .down(y, y + 130, colour.darker(0.15), colour, colour.darker(0.2)))
    let mask = Mask(end, on: canvas)
    for stripe in 0..<3 {
      canvas.fill(
        .rectangle(0, y + 52 + Double(stripe) * 26, 90, 11), lit(Colour(0xFFF4E2)).faded(0.85), clip: mask)
    }
    let line = [
      Point(-width * 1.05, y - 30), Point(-width * 0.5, y + 4), Point(0, y + 14), Point(width * 0.5, y + 4),
      Point(width * 1.05, y - 30),
    ]
    canvas.with(.moved(0, 8)) {
      canvas.fill(.brush(line, 30, 46, 30), Colour(0x1A1010).faded(0.3), blend: .multiply)
    }
    canvas.fill(
      .brush(line, 30, 46, 30), .down(y - 40, y + 40, colour.lighter(0.2), colour, colour.darker(0.3)))
    for step in -7...7 {
      let x = Double(step) * width / 7
      let height = y + 12 - abs(x / width) * abs(x / width) * 40
      canvas.fill(
        .brush([Point(x - 4, height - 16), Point(x + 2, height), Point(x - 2, height + 16)], 1, 2.4, 1),
        colour.darker(0.35).faded(0.4))
    }
  }
}
