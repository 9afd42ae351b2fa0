// The head: ears, skull, marking and muzzle. The face is drawn on top.
extension DogPainter {
  mutating func drawHead() {
    // The head's shadow on the body.
    if dog.pose != .peeking { canvas.glow(0, 92, 92, 44, lit(Colour(0x2A1A14)).faded(0.4), blend: .multiply) }
    if dog.earsAreBehind { drawEars() }
    let outline = dog.headOutline
    if dog.coat == .curly {
      drawCurls(outline, dog.fur, size: 13, innerCount: 150)
      drawCurls(.ellipse(0, -88, 64, 42), dog.fur, size: 15, innerCount: 60)
    } else {
      if dog.coat == .fluffy { drawRuff() }
      fillFur(coated(outline), dog.fur, -100, 118)
    }
    let mask = Mask(dog.coat == .curly ? outline : coated(outline, 0.7), on: canvas)
    if dog.coat != .curly {
      drawMarking(mask)
      // The forehead is lighter, and the area below the cheeks is darker.
      canvas.glow(0, -56, 62, 44, lit(dog.fur).lighter(0.5).faded(0.22), clip: mask)
      canvas.glow(0, 112, 96, 44, lit(Colour(0x3A2418)).faded(0.42), blend: .multiply, clip: mask)
      if dog.skull == .round { drawWrinkles(mask) }
      drawHairs(
        mask, x: -105...105, y: -105...112, count: dog.coat == .smooth ? 420 : 620,
        length: dog.coat == .smooth ? 10 : 19, from: Point(0, 16), dog.fur)
    }
    drawMuzzle(mask)
    drawFace(mask)
    if !dog.earsAreBehind {
      drawEarShadows(mask)
      drawEars()
    }
    drawHeadExtra()
  }

  private func drawWrinkles(_ mask: Mask) {
    let line = lit(Colour(0x4A3020)).faded(0.32)
    for (y, reach) in [(-46.0, 20.0), (-34, 26), (-23, 16)] {
      let fold = [
        Point(-reach, y + 6), Point(-reach * 0.4, y - 3), Point(0, y + 3), Point(reach * 0.4, y - 3),
        Point(reach, y + 6),
      ]
      canvas.fill(.brush(fold, 0.8, 4, 0.8), line, blend: .multiply, clip: mask)
    }
  }

  private mutating func drawRuff() {
    let ruff = Path.symmetric([
      Point(0, -60), Point(84, -40), Point(124, 16), Point(122, 66), Point(84, 112), Point(0, 130),
    ])
    let path = soft(ruff, length: 21, spacing: 15)
    let colour = dog.marking == .husky ? dog.markingColour.mixed(dog.fur, 0.25) : dog.fur
    fillFur(path, colour.darker(0.06), -60, 150)
    drawHairs(
      Mask(path, on: canvas), x: -130...130, y: -40...140, count: 300, length: 26, from: Point(0, 0), colour)
  }

  // MARK: Ears

  private mutating func drawEars() {
    let lean = random.within(-0.05...0.05)
    for side in [-1.0, 1.0] {
      let before = canvas.transform
      let pivot = Point(70, -70)
      canvas.transform = before.after(.scaled(side, 1)).after(.moved(pivot.x, pivot.y))
        .after(.turned(lean * side)).after(.moved(-pivot.x, -pivot.y))
      drawEar(isLeft: side < 0)
      canvas.transform = before
    }
  }

  /// Draws the shadow of hanging ears on the head.
  private func drawEarShadows(_ mask: Mask) {
    for side in [-1.0, 1.0] {
      canvas.with(.scaled(side, 1), .moved(-6, 9)) {
        canvas.fill(dog.earOutline, lit(Colour(0x2A1A14)).faded(0.26), blend: .multiply, clip: mask)
      }
    }
  }

  private mutating func drawEar(isLeft: Bool) {
    var colour = dog.earFur ?? dog.fur
    if dog.marking == .patch, isLeft { colour = dog.markingColour }
    if dog.ears == .curly { return drawCurls(dog.earOutline, colour.darker(0.14), size: 13, innerCount: 60) }
    let outline = dog.earOutline
    let path =
      dog.ears == .long && dog.coat == .fluffy
      ? soft(outline, length: 18, spacing: 15) : coated(outline, 0.45)
    fillFur(path, colour.darker(dog.earsAreBehind ? 0.06 : 0.1), -180, dog.ears == .long ? 150 : 90, rim: 0.7)
    let mask = Mask(path, on: canvas)
    canvas.glow(
      dog.earsAreBehind ? 58 : 78, dog.earsAreBehind ? -62 : -66, 62, 40, lit(Colour(0x3A2418)).faded(0.4),
      blend: .multiply, clip: mask)
    if dog.marking == .spots { drawSpots(mask, x: 40...140, y: -90...120, count: 9, 5...11) }
    drawHairs(
      mask, x: 15...150, y: -185...140, count: 230, length: dog.coat == .smooth ? 10 : 20,
      from: dog.earsAreBehind ? Point(62, -40) : Point(60, -100), colour)
    guard let innerEar = dog.innerEar else { return }
    let skin = lit(Colour(0xD99A8C).mixed(colour, 0.3))
    canvas.fill(innerEar, .down(-170, -50, skin.lighter(0.1), skin, skin.darker(0.45)))
    let innerMask = Mask(innerEar, on: canvas)
    drawHairs(
      innerMask, x: 30...100, y: -150...(-50), count: 60, length: 34, from: Point(30, -30),
      colour.lighter(0.5), droop: -0.9)
  }

  // MARK: Marking

  private mutating func drawMarking(_ mask: Mask) {
    let markingColour = lit(dog.markingColour)
    switch dog.marking {
    case .none: break
    case .mask:
      let (x, y, size) = dog.eyePlace
      for side in [-1.0, 1.0] {
        canvas.glow(side * (x + 3), y, size * 2.1, size * 1.8, markingColour.faded(0.85), clip: mask)
      }
      canvas.glow(0, dog.muzzle.y, dog.muzzle.rx * 1.75, dog.muzzle.ry * 1.6, markingColour, clip: mask)
    case .blaze, .tricolour: fillPatch(blaze, markingColour, mask)
    case .husky: fillPatch(huskyFace, markingColour, mask)
    case .points: drawPoints(mask)
    case .patch:
      let patch = Path.smooth([
        Point(-14, -70), Point(-70, -108), Point(-120, -40), Point(-96, 24), Point(-52, 30), Point(-20, 0),
      ])
      fillPatch(patch, markingColour, mask)
    case .spots: drawSpots(mask, x: -100...100, y: -100...40, count: 26, 4...11)
    case .merle:
      drawSpots(mask, x: -105...105, y: -105...60, count: 26, 8...24)
      fillPatch(blaze, lit(Colour(0xF6F1E8)), mask)
      drawPoints(mask)
    }
  }

  private func fillPatch(_ path: Path, _ colour: Colour, _ mask: Mask) {
    let path = soft(path, length: dog.coat == .smooth ? 5 : 11, spacing: dog.coat == .smooth ? 6 : 10)
    canvas.fill(path, .down(-100, 120, colour.lighter(0.1), colour, colour.darker(0.22)), clip: mask)
  }

  private var blaze: Path {
    let (y, rx, ry) = dog.muzzle
    return .symmetric([
      Point(0, -112), Point(15, -100), Point(10, -52), Point(15, -8), Point(rx * 0.9, y - ry * 0.5),
      Point(rx * 1.2, y + ry * 0.4), Point(rx * 0.9, y + ry * 1.2), Point(0, y + ry * 1.4),
    ])
  }

  private var huskyFace: Path {
    .symmetric([
      Point(0, 0), Point(9, -30), Point(26, -54), Point(52, -48), Point(66, -22), Point(60, 6), Point(84, 14),
      Point(108, 40), Point(96, 110), Point(0, 130),
    ])
  }

  private func drawPoints(_ mask: Mask) {
    let tan = lit(dog.marking == .merle ? Colour(0xB8733A) : dog.markingColour)
    let (x, y, size) = dog.eyePlace
    for side in [-1.0, 1.0] {
      let brow = soft(.ellipse(side * x * 0.86, y - size * 1.75, 11, 8), length: 4, spacing: 5)
      canvas.fill(brow, tan, clip: mask)
      let cheek = soft(
        .ellipse(side * (dog.muzzle.rx + 22), dog.muzzle.y + 4, 30, 34), length: 8, spacing: 8)
      canvas.fill(cheek, .down(0, 110, tan, tan.darker(0.25)), clip: mask)
    }
  }

  mutating func drawSpots(
    _ mask: Mask, x: ClosedRange<Double>, y: ClosedRange<Double>, count: Int, _ size: ClosedRange<Double>
  ) {
    for _ in 0..<count {
      let radius = random.within(size)
      let middle = Point(random.within(x), random.within(y))
      let corners = (0..<7).map { index in
        middle + .polar(radius * random.within(0.7...1.25), Double(index) / 7 * 2 * .pi)
      }
      let opacity = dog.marking == .merle ? 0.75 : 0.94
      canvas.fill(.smooth(corners), lit(dog.markingColour).faded(opacity), clip: mask)
    }
  }
}
