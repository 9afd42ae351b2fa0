// Indoor scenes.
enum Indoors {
  static func studio(_ stage: inout Stage) {
    let palettes: [(UInt32, UInt32)] = [
      (0xF3C9B5, 0xC9776A), (0xB9D8D2, 0x4F8A88), (0xF6DE9C, 0xD9A441), (0xCBC4EA, 0x7468B0),
      (0xF4C3CF, 0xC86A86),
      (0xBFD7EE, 0x4C7FB3), (0xD6E3B5, 0x7F9F52),
    ]
    let (bright, dark) = palettes[Int(stage.random.next() % UInt64(palettes.count))]
    let (w, h) = (stage.width, stage.height)
    stage.fill(
      .radial(
        Point(w * 0.42, h * 0.36), w * 0.9, h * 0.9,
        [.init(0, Colour(bright).lighter(0.35)), .init(0.45, Colour(bright)), .init(1, Colour(dark))]),
      on: stage.canvas)
    // Large soft circles, like a painted cloth.
    for _ in 0..<14 {
      let size = stage.random.within(120...340)
      stage.canvas.glow(
        stage.random.within(0...w), stage.random.within(0...h), size, size,
        (stage.random.chance(0.5) ? Colour(bright).lighter(0.4) : Colour(dark)).faded(0.16))
    }
  }

  static func sofa(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    canvas.drawBackdrop(blur: 6) { far in
      s.fill(.down(0, h * 0.6, Colour(0xE9D6BC), Colour(0xD8BB95)), on: far)
      far.glow(w * 0.93, h * 0.2, 520, 480, Colour(0xFFE3AC).faded(0.95), blend: .screen)
      // Pictures on the wall.
      for (x, y, side, colour) in [
        (0.1, 0.07, 170.0, 0x7FA99B), (0.28, 0.12, 130, 0xD98E73), (0.58, 0.06, 180, 0x8497B8),
      ] as [(Double, Double, Double, UInt32)] {
        far.fill(
          .rectangle(w * x - 10 + 6, h * y - 10 + 12, side + 20, side * 1.2 + 20),
          Colour(0x5A3A28).faded(0.35))
        far.fill(.rectangle(w * x - 10, h * y - 10, side + 20, side * 1.2 + 20), Colour(0xFFF9EE))
        far.fill(.rectangle(w * x + 8, h * y + 8, side - 16, side * 1.2 - 16), Colour(colour))
        far.glow(w * x + side * 0.5, h * y + side * 0.8, side * 0.3, side * 0.28, Colour(colour).lighter(0.6))
      }
      // A lamp.
      far.fill(.rectangle(w * 0.93 - 5, h * 0.3, 10, h * 0.4), Colour(0x7A5A3C))
      far.fill(
        .polygon([
          Point(w * 0.93 - 60, h * 0.14), Point(w * 0.93 + 60, h * 0.14), Point(w * 0.93 + 96, h * 0.32),
          Point(w * 0.93 - 96, h * 0.32),
        ]), .down(h * 0.14, h * 0.32, Colour(0xFFF3D0), Colour(0xFFD27F)))
      // A plant.
      for index in 0..<11 {
        let angle = -Double.pi / 2 + (Double(index) - 5) * 0.24
        let root = Point(w * 0.02, h * 0.5)
        far.fill(
          .brush([root, root + .polar(110, angle), root + .polar(200, angle) + Point(0, 40)], 6, 34, 2),
          Colour(index % 2 == 0 ? 0x4F7F54 : 0x6FA06A))
      }
    }
    let cloths: [UInt32] = [0x3F6F78, 0x7D8B5A, 0xA85B4A, 0x5B5F8C]
    let cloth = Colour(cloths[Int(s.random.next() % 4)])
    let back = Path.rectangle(-w * 0.06, h * 0.42, w * 1.12, h * 0.7, radius: 90)
    canvas.with(.moved(0, -10)) { canvas.fill(back, Colour(0x3A2A20).faded(0.2), blend: .multiply) }
    canvas.fill(back, .down(h * 0.42, h * 0.8, cloth.lighter(0.22), cloth, cloth.darker(0.25)))
    for x in [0.34, 0.67] {
      canvas.fill(
        .brush([Point(w * x, h * 0.44), Point(w * x + 6, h * 0.6), Point(w * x, h * 0.8)], 3, 6, 3),
        cloth.darker(0.45).faded(0.7))
    }
    cushion(s, Point(w * 0.1, h * 0.58), 150, Colour(0xE8B15A), 0.2)
    cushion(s, Point(w * 0.92, h * 0.6), 140, Colour(0xF1E5D2), -0.24)
    let seat = Path.rectangle(-w * 0.06, h * 0.76, w * 1.12, h * 0.4, radius: 60)
    canvas.with(.moved(0, -16)) { canvas.fill(seat, Colour(0x1A1420).faded(0.28), blend: .multiply) }
    canvas.fill(seat, .down(h * 0.76, h, cloth.lighter(0.3), cloth.lighter(0.05), cloth.darker(0.3)))
    canvas.fill(
      .brush([Point(w * 0.5, h * 0.77), Point(w * 0.5 + 5, h * 0.9), Point(w * 0.5, h * 1.04)], 3, 6, 4),
      cloth.darker(0.45).faded(0.6))
    stage = s
  }

  private static func cushion(
    _ stage: Stage, _ place: Point, _ size: Double, _ colour: Colour, _ turn: Double
  ) {
    let canvas = stage.canvas
    canvas.with(.moved(place.x, place.y), .turned(turn)) {
      let path = Path.smooth(
        [
          Point(-size, -size * 0.9), Point(0, -size * 0.8), Point(size, -size * 0.9), Point(size * 0.86, 0),
          Point(size, size * 0.9), Point(0, size * 0.8), Point(-size, size * 0.9), Point(-size * 0.86, 0),
        ], tension: 0.7)
      canvas.with(.moved(10, 16)) { canvas.fill(path, Colour(0x1A1420).faded(0.3), blend: .multiply) }
      canvas.fill(path, .down(-size, size, colour.lighter(0.25), colour, colour.darker(0.2)))
      let mask = Mask(path, on: canvas)
      for stripe in -3...3 {
        canvas.fill(
          .brush(
            [
              Point(Double(stripe) * size * 0.3, -size), Point(Double(stripe) * size * 0.28, 0),
              Point(Double(stripe) * size * 0.3, size),
            ], 7, 10, 7),
          colour.darker(0.25).faded(0.4), clip: mask)
      }
    }
  }

  static func bath(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    canvas.drawBackdrop(blur: 5) { far in
      s.fill(.down(0, h, Colour(0xCDE8EA), Colour(0x9CCBD2)), on: far)
      let tile = 118.0
      for row in 0..<Int(h / tile) + 2 {
        for column in 0..<Int(w / tile) + 2 {
          let (x, y) = (Double(column) * tile - 40, Double(row) * tile - 30)
          let shade = Colour(0xD9F0F0).mixed(Colour(0xA8D5DA), s.random.within(0...0.5))
          far.fill(
            .rectangle(x + 3, y + 3, tile - 6, tile - 6, radius: 8),
            .across(Point(x, y), Point(x + tile, y + tile), shade.lighter(0.5), shade))
        }
      }
      far.fill(
        .rectangle(w * 0.66, h * 0.08, 260, 300, radius: 20),
        .down(h * 0.08, h * 0.38, Colour(0xFFFFFF), Colour(0xDDF1FA)))
      far.glow(w * 0.1, h * 0.1, 600, 500, .white.faded(0.7), blend: .screen)
    }
    stage = s
  }

  static func tub(_ stage: inout Stage, _ y: Double) {
    let canvas = stage.canvas
    let (w, h) = (stage.width, stage.height)
    let painter = DogPainter(canvas, Dog(fur: .white), Scene.bath.light, seed: 1)
    for _ in 0..<70 {
      painter.drawBubble(
        Point(stage.random.within(-20...w + 20), y + stage.random.within(-70...30)),
        stage.random.within(24...62))
    }
    let wall = Path.rectangle(-40, y, w + 80, h, radius: 40)
    canvas.with(.moved(0, -10)) { canvas.fill(wall, Colour(0x3A5A6A).faded(0.16), blend: .multiply) }
    canvas.fill(wall, .down(y, h, Colour(0xFFFFFF), Colour(0xEAF2F5), Colour(0xBFD2DA)))
    canvas.fill(.rectangle(-40, y, w + 80, 46, radius: 23), .down(y, y + 46, .white, Colour(0xDDE8ED)))
    canvas.glow(w / 2, y + 62, w * 0.7, 26, Colour(0x6A8A99).faded(0.4), blend: .multiply)
    // A rubber duck.
    let (x, top) = (w * 0.12, y - 26)
    let yellow = Colour(0xFFD23F)
    canvas.fill(
      .ellipse(x, top, 62, 42), .down(top - 42, top + 42, yellow.lighter(0.3), yellow, Colour(0xE8A012)))
    canvas.fill(.ellipse(x + 34, top - 54, 36, 34), .down(top - 90, top - 20, yellow.lighter(0.35), yellow))
    canvas.fill(
      .smooth([Point(x + 62, top - 62), Point(x + 96, top - 50), Point(x + 64, top - 40)]), Colour(0xF07C2A))
    canvas.fill(.ellipse(x + 44, top - 62, 5.5, 6.5), Colour(0x221510))
    canvas.fill(.ellipse(x + 42, top - 65, 2, 2), .white)
    canvas.fill(
      .brush([Point(x - 40, top - 14), Point(x - 14, top + 6), Point(x + 14, top - 4)], 2, 10, 2),
      Colour(0xE8A012).faded(0.7))
  }

  static func bathInFront(_ stage: inout Stage) {
    for _ in 0..<22 {
      let place = Point(stage.random.within(0...stage.width), stage.random.within(0...stage.height * 0.6))
      let r = stage.random.within(9...34)
      stage.canvas.fill(
        .ellipse(place.x, place.y, r, r),
        .radial(
          place, r, r,
          [
            .init(0, .white.faded(0.05)), .init(0.75, .white.faded(0.12)),
            .init(0.94, Colour(0xEFD9FF).faded(0.7)), .init(1, .white.faded(0.2)),
          ]))
      stage.canvas.fill(
        .ellipse(place.x - r * 0.35, place.y - r * 0.4, r * 0.2, r * 0.14), .white.faded(0.95))
    }
  }

  static func party(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    let colours = [Colour(0xF25F5C), Colour(0xFFE066), Colour(0x5BC0EB), Colour(0x9BC53D), Colour(0xC77DFF)]
    canvas.drawBackdrop(blur: 4) { far in
      s.fill(.down(0, h, Colour(0xFFF0DC), Colour(0xFAD2B8), Colour(0xE8A596)), on: far)
      s.bokeh(30, x: 0...w, y: 0...h, 22...60, [Colour(0xFFE9B8), Colour(0xFFD0DA)], on: far)
      for index in 0..<7 {
        let x = (Double(index) + 0.5) * w / 7 + s.random.within(-30...30)
        let y = h * s.random.within(0.1...0.38)
        guard abs(x - w / 2) > w * 0.16 else { continue }
        let colour = colours[index % 5]
        far.fill(
          .brush([Point(x, y + 80), Point(x + 14, y + 240), Point(x - 10, y + 460)], 2, 3, 2),
          Colour(0x8A6A5A).faded(0.6))
        far.fill(
          .ellipse(x, y, 76, 92),
          .radial(
            Point(x - 22, y - 30), 120, 130,
            [.init(0, colour.lighter(0.75)), .init(0.5, colour), .init(1, colour.darker(0.25))]))
      }
    }
    // Flags on a line.
    let line = Path.openCurve([
      Point(-20, 30), Point(w * 0.25, 96), Point(w * 0.5, 70), Point(w * 0.75, 100), Point(w + 20, 20),
    ])
    canvas.fill(
      .brush(
        [Point(-20, 30), Point(w * 0.25, 96), Point(w * 0.5, 70), Point(w * 0.75, 100), Point(w + 20, 20)], 3,
        3, 3), Colour(0x8A5A4A))
    for (index, place) in line.enumerated() where index % 3 == 1 {
      let colour = colours[index / 3 % 5]
      canvas.fill(
        .polygon([place + Point(-26, 0), place + Point(26, 0), place + Point(2, 56)]),
        .down(place.y, place.y + 56, colour.lighter(0.15), colour.darker(0.1)))
    }
    stage = s
  }

  static func partyInFront(_ stage: inout Stage) {
    let colours = [Colour(0xF25F5C), Colour(0xFFE066), Colour(0x5BC0EB), Colour(0x9BC53D), Colour(0xC77DFF)]
    for index in 0..<80 {
      let place = Point(stage.random.within(0...stage.width), stage.random.within(0...stage.height))
      // Keep the face free.
      if (place - Point(stage.width / 2, stage.height * 0.5)).length < 300 { continue }
      let size = stage.random.within(6...13)
      stage.canvas.with(.moved(place.x, place.y), .turned(stage.random.within(0...6))) {
        stage.canvas.fill(
          .rectangle(-size, -size * 0.45, size * 2, size * 0.9, radius: 2), colours[index % 5].faded(0.95))
      }
    }
  }
}
