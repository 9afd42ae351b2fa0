import Glibc

// The face: muzzle, nose, mouth, eyes.
extension DogPainter {
  private var muzzleColour: Colour {
    switch dog.marking {
    case .mask: dog.markingColour
    case .blaze, .husky, .tricolour: dog.markingColour
    case .points: dog.markingColour.lighter(0.1)
    case .merle: Colour(0xF6F1E8)
    case .spots: dog.fur
    case .patch, .none: dog.fur.lighter(dog.fur.luminance < 0.25 ? 0.1 : 0.28)
    }
  }

  mutating func drawMuzzle(_ mask: Mask) {
    let colour = muzzleColour
    let (y, rx, ry) = dog.muzzle
    if dog.coat == .curly {
      drawCurls(dog.muzzleOutline, colour, size: 11, innerCount: 60)
      return
    }
    let isBearded = dog.coat == .wiry
    let outline = dog.muzzleOutline
    let path =
      isBearded
      ? soft(outline.transformed(.scaled(1.1, 1.08)), length: 26, spacing: 10)
      : soft(outline, length: dog.coat == .smooth ? 4 : 9, spacing: dog.coat == .smooth ? 5 : 8)
    // A shadow around the muzzle, stronger below than above, makes it stand out.
    canvas.glow(
      0, y + 10, rx * 1.5, ry * 1.34, lit(Colour(0x3A2418)).faded(0.26), blend: .multiply, clip: mask)
    let base = lit(colour)
    canvas.fill(
      path,
      .down(
        y - ry, y + ry * 1.1, base.mixed(lit(dog.fur), dog.marking == .none ? 0.5 : 0), base.lighter(0.12),
        base.darker(0.16)))
    let muzzle = Mask(path, on: canvas)
    canvas.glow(light.side * rx * 0.4, y - 4, rx * 0.7, ry * 0.6, Colour(0xFFF6E6).faded(0.3), clip: muzzle)
    drawHairs(
      muzzle, x: -rx * 1.2...rx * 1.2, y: (y - ry)...(y + ry * 1.4), count: isBearded ? 380 : 190,
      length: isBearded ? 30 : 9, from: Point(0, y - ry * 0.5), colour, droop: isBearded ? 1 : 0.4)
    if isBearded { drawBrows(colour) }
  }

  private mutating func drawBrows(_ colour: Colour) {
    let (x, y, size) = dog.eyePlace
    for side in [-1.0, 1.0] {
      let brow = Path.ellipse(side * (x + 2), y - size * 1.35, 24, 11).transformed(.identity)
      let path = soft(brow, length: 20, spacing: 8)
      fillFur(path, colour, y - 50, y + 10, rim: 0.4)
    }
  }

  mutating func drawFace(_ mask: Mask) {
    drawMouth()
    drawNose()
    let (x, y, size) = dog.eyePlace
    for side in [-1.0, 1.0] {
      let before = canvas.transform
      canvas.transform = before.after(.moved(side * x, y)).after(.scaled(side, 1))
      switch dog.eyes {
      case .open: drawEye(size, side)
      case .wink where side > 0: drawEye(size, side)
      case .happy, .wink: drawClosedEye(size, isSmiling: true)
      case .asleep: drawClosedEye(size, isSmiling: false)
      }
      canvas.transform = before
    }
    drawWhiskers()
  }

  // MARK: Nose and mouth

  private func drawNose() {
    let (y, size) = dog.nosePlace
    let colour = lit(dog.nose)
    let nose = Path.symmetric([
      Point(0, y - size * 0.62), Point(size * 0.62, y - size * 0.6), Point(size * 1.06, y - size * 0.14),
      Point(size * 0.74, y + size * 0.42), Point(size * 0.24, y + size * 0.72), Point(0, y + size * 0.78),
    ])
    canvas.glow(
      0, y + size * 0.4, size * 1.7, size * 1.2, lit(Colour(0x2A1A14)).faded(0.34), blend: .multiply)
    canvas.fill(nose, .down(y - size * 0.7, y + size * 0.8, colour.lighter(0.26), colour, colour.darker(0.6)))
    let mask = Mask(nose, on: canvas)
    for side in [-1.0, 1.0] {
      let hole = Path.smooth([
        Point(side * size * 0.3, y + size * 0.14), Point(side * size * 0.56, y - size * 0.06),
        Point(side * size * 0.82, y + size * 0.12), Point(side * size * 0.52, y + size * 0.3),
      ])
      canvas.fill(hole, Colour(0x0C0808).faded(0.85), clip: mask)
    }
    canvas.fill(
      .ellipse(light.side * size * 0.26, y - size * 0.34, size * 0.42, size * 0.16),
      .glow(Point(light.side * size * 0.26, y - size * 0.34), size * 0.5, size * 0.2, .white.faded(0.85)),
      clip: mask)
  }

  private func drawMouth() {
    let (noseY, noseSize) = dog.nosePlace
    let (y, rx, ry) = dog.muzzle
    let start = noseY + noseSize * 0.7
    let lip = y + ry * (dog.skull == .long ? 0.58 : 0.5)
    let line = lit(muzzleColour.luminance < 0.3 ? Colour(0x120C0B) : Colour(0x3A231C))
    let reach = rx * 0.74
    let lift = dog.mouth == .shut ? 4.0 : 9.0
    if dog.mouth == .panting { drawOpenMouth(lip, reach) }
    if dog.mouth == .blep {
      let tongue = Path.symmetric([
        Point(0, lip - 4), Point(11, lip - 2), Point(13, lip + 12), Point(8, lip + 22), Point(0, lip + 24),
      ])
      fillTongue(tongue, lip, lip + 26)
    }
    canvas.fill(.brush([Point(0, start), Point(0, lip)], 3.2, 2.6, 3), line.faded(0.85))
    for side in [-1.0, 1.0] {
      let curve = [
        Point(0, lip - 1), Point(side * reach * 0.28, lip + 7), Point(side * reach * 0.66, lip + 4),
        Point(side * reach, lip - lift),
      ]
      canvas.fill(.brush(curve, 3.2, 3.8, 1.2), line.faded(0.9))
      // A dimple where a smile ends.
      if dog.mouth != .shut {
        canvas.glow(side * (reach + 2), lip - lift, 9, 7, lit(Colour(0x3A2418)).faded(0.3), blend: .multiply)
      }
    }
  }

  private func drawOpenMouth(_ lip: Double, _ reach: Double) {
    let mouth = Path.symmetric([
      Point(0, lip), Point(reach * 0.4, lip + 4), Point(reach * 0.8, lip - 2), Point(reach * 0.66, lip + 22),
      Point(reach * 0.36, lip + 36), Point(0, lip + 40),
    ])
    // Draw the lower lip first, so that fur surrounds the mouth.
    canvas.with(.moved(0, 5)) {
      canvas.fill(mouth, lit(muzzleColour).darker(0.2))
    }
    canvas.fill(mouth, .down(lip, lip + 40, lit(Colour(0x3A1214)), lit(Colour(0x6E2427))))
    let width = reach * 0.5
    let length = dog.pose == .bust || dog.pose == .sitting ? 62.0 : 50.0
    let tongue = Path.symmetric([
      Point(0, lip + 12), Point(width * 0.7, lip + 14), Point(width, lip + 34),
      Point(width * 0.92, lip + length - 8),
      Point(width * 0.5, lip + length + 4), Point(0, lip + length + 6),
    ])
    fillTongue(tongue, lip + 8, lip + length + 8)
  }

  private func fillTongue(_ path: Path, _ top: Double, _ bottom: Double) {
    let pink = lit(Colour(0xEE8A90))
    canvas.with(.moved(2, 5)) { canvas.fill(path, lit(Colour(0x3A1214)).faded(0.25), blend: .multiply) }
    canvas.fill(path, .down(top, bottom, pink.darker(0.3), pink, pink.lighter(0.1)))
    let mask = Mask(path, on: canvas)
    canvas.fill(
      .brush([Point(0, top + 4), Point(0.6, (top + bottom) / 2), Point(0, bottom - 12)], 2.4, 2, 0.6),
      pink.darker(0.4).faded(0.6), clip: mask)
    canvas.glow(light.side * 8, bottom - 14, 7, 11, .white.faded(0.45), clip: mask)
  }

  private mutating func drawWhiskers() {
    guard dog.coat != .curly, dog.coat != .wiry else { return }
    let (y, rx, ry) = dog.muzzle
    for side in [-1.0, 1.0] {
      for row in 0..<3 {
        let root = Point(side * rx * (0.5 + 0.08 * Double(row % 2)), y + ry * (0.02 + 0.16 * Double(row)))
        canvas.fill(.ellipse(root.x, root.y, 1.7, 1.5), lit(Colour(0x2A1A14)).faded(0.5))
        let tip = root + Point(side * random.within(36...52), random.within(-10...4) + 6 * Double(row))
        let middle = (root + tip) * 0.5 + Point(0, -4)
        canvas.fill(
          .brush([root, middle, tip], 1.3, 0.9, 0.2), Colour(0xFFFDF5).lit(by: light.tint).faded(0.6))
      }
    }
  }

  // MARK: Eyes

  /// Draws the eye to the right of the nose. The left eye is its mirror image.
  private func drawEye(_ r: Double, _ side: Double) {
    let dark = lit(Colour(0x1A1110))
    canvas.glow(0, 0, r * 1.9, r * 1.7, lit(Colour(0x2A1A14)).faded(0.4), blend: .multiply)
    // The rim has a corner towards the nose.
    let rim = Path.smooth([
      Point(-r * 1.22, r * 0.34), Point(-r * 0.7, -r * 0.62), Point(0, -r * 1.04), Point(r * 0.78, -r * 0.74),
      Point(r * 1.1, r * 0.02), Point(r * 0.7, r * 0.74), Point(0, r * 1.0), Point(-r * 0.7, r * 0.72),
    ])
    canvas.fill(rim, dark)
    let ball = Mask(rim, on: canvas)
    canvas.fill(.ellipse(-r * 0.1, 0, r * 1.02, r * 0.88), lit(Colour(0xD9C9BA)), clip: ball)
    let iris = lit(dog.iris)
    let pupil = Point(0, r * 0.02)
    canvas.fill(
      .ellipse(0, 0, r * 0.97, r * 0.97),
      .radial(
        Point(0, r * 0.3), r * 1.1, r * 1.1,
        [.init(0, iris.lighter(0.5)), .init(0.5, iris), .init(0.85, iris.darker(0.6)), .init(1, dark)]),
      clip: ball)
    canvas.fill(.ellipse(pupil.x, pupil.y, r * 0.54, r * 0.54), Colour(0x090505), clip: ball)
    // The shadow of the upper lid, then the reflection in the eye. The reflection is not mirrored in the left eye.
    canvas.fill(
      .ellipse(0, -r * 0.96, r * 1.3, r * 0.62),
      .glow(Point(0, -r * 0.96), r * 1.4, r * 0.8, .black.faded(0.75)),
      clip: ball)
    let s = side * light.side
    canvas.fill(.ellipse(s * r * 0.3, -r * 0.34, r * 0.26, r * 0.24), .white.faded(0.96))
    canvas.fill(.ellipse(-s * r * 0.34, r * 0.38, r * 0.13, r * 0.11), .white.faded(0.6))
    canvas.fill(
      .ellipse(0, r * 0.62, r * 0.6, r * 0.2),
      .glow(Point(0, r * 0.62), r * 0.6, r * 0.26, iris.lighter(0.7).faded(0.5)),
      clip: ball)
    // A light upper lid.
    let lid = [Point(-r * 1.0, -r * 0.62), Point(-r * 0.1, -r * 1.3), Point(r * 1.02, -r * 0.66)]
    canvas.fill(.brush(lid, 0.4, r * 0.2, 0.4), lit(dog.fur).lighter(0.4).faded(0.4))
  }

  private func drawClosedEye(_ r: Double, isSmiling: Bool) {
    canvas.glow(0, 0, r * 1.7, r * 1.3, lit(Colour(0x2A1A14)).faded(0.3), blend: .multiply)
    let bend = isSmiling ? -r * 0.72 : r * 0.62
    let base = isSmiling ? r * 0.3 : -r * 0.1
    let lid = [
      Point(-r * 1.05, base), Point(-r * 0.5, base + bend * 0.8), Point(r * 0.1, base + bend),
      Point(r * 1.05, base * 0.6),
    ]
    let colour = lit(dog.fur.luminance < 0.2 ? Colour(0x050303) : Colour(0x2A1815))
    canvas.fill(.brush(lid, 1.6, 6, 1.2), colour)
    canvas.with(.moved(0, isSmiling ? -4 : 4)) {
      canvas.fill(.brush(lid, 0.6, 3, 0.4), lit(dog.fur).lighter(0.5).faded(0.35))
    }
  }
}
