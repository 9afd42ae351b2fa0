// Outdoor scenes.
enum Outdoors {
  static func meadow(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    canvas.drawBackdrop(blur: 7) { far in
      s.fill(.down(0, h * 0.7, Colour(0x6FB7E6), Colour(0xBFE3F2), Colour(0xFDF3D0)), on: far)
      far.glow(w * 0.14, h * 0.16, 420, 420, Colour(0xFFF6CF).faded(0.95), blend: .screen)
      for _ in 0..<4 {
        s.cloud(
          s.random.within(0...w), s.random.within(h * 0.06...h * 0.3), s.random.within(160...300), .white,
          on: far)
      }
      s.hills(h * 0.52, 40, 2, .down(h * 0.45, h * 0.75, Colour(0x9CC7B4), Colour(0x86BC86)), on: far)
      s.hills(h * 0.6, 34, 3, .down(h * 0.5, h * 0.85, Colour(0x9CCB6B), Colour(0x6FA84A)), on: far)
      for index in 0..<7 {
        let x = (Double(index) + s.random.within(-0.3...0.3)) * w / 6
        let size = s.random.within(60...120)
        far.glow(x, h * 0.56, size, size * 1.1, Colour(0x4E8A4A).faded(0.95))
        far.glow(x - size * 0.2, h * 0.56 - size * 0.3, size * 0.6, size * 0.6, Colour(0xA9D27A).faded(0.7))
      }
      s.hills(h * 0.7, 20, 3, .down(h * 0.64, h, Colour(0x8CC152), Colour(0x5C9A3A)), on: far)
      s.bokeh(
        26, x: 0...w, y: h * 0.62...h * 0.9, 7...20, [Colour(0xFFF4B0), Colour(0xFFC6DA), .white], on: far)
    }
    s.grass(
      260, x: -20...w + 20, y: h * 0.86...h * 0.99, 50...110,
      [Colour(0x77B043), Colour(0x5F9A37), Colour(0x8CC152)], on: canvas)
    stage = s
  }

  static func meadowInFront(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    stage.grass(
      150, x: -20...w + 20, y: h * 0.99...h * 1.05, 50...130,
      [Colour(0x4C8A2E), Colour(0x67A63B), Colour(0x7FBF4A)], on: stage.canvas)
    stage.flowers(
      22, x: 0...w, y: h * 0.9...h * 0.985, 12...22,
      [.white, Colour(0xF7A6C1), Colour(0xF6D55C), Colour(0xB79CED)], on: stage.canvas)
    stage.glare(w * 0.06, h * 0.04, 700, Colour(0xFFF0B0).faded(0.4))
  }

  static func beach(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    let horizon = h * 0.52
    canvas.drawBackdrop(blur: 5) { far in
      s.fill(
        .down(
          0, horizon, Colour(0x3D3B7A), Colour(0x9A4F8E), Colour(0xF0726A), Colour(0xFFB45C), Colour(0xFFE29A)
        ), on: far)
      let sun = Point(w * 0.76, horizon - 90)
      far.glow(sun.x, sun.y, 520, 420, Colour(0xFFD27A).faded(0.9), blend: .screen)
      far.fill(
        .ellipse(sun.x, sun.y, 78, 78), .down(sun.y - 78, sun.y + 78, Colour(0xFFF9DC), Colour(0xFFD884)))
      for _ in 0..<7 {
        let y = s.random.within(h * 0.08...horizon * 0.8)
        far.glow(
          s.random.within(0...w), y, s.random.within(160...360), s.random.within(12...26),
          Colour(0xFFB3A0).faded(0.75))
      }
      far.fill(
        .rectangle(-20, horizon, w + 40, h),
        .down(horizon, h * 0.78, Colour(0xF2A36B), Colour(0x8A5F9A), Colour(0x3F5F96)))
      for row in 0..<46 {
        let t = Double(row) / 46
        let y = horizon + 4 + t * t * h * 0.26
        let spread = 40 + t * 260
        let x = sun.x + s.random.within(-1...1) * spread
        far.fill(
          .ellipse(x, y, s.random.within(14...60) * (0.5 + t), 1.6 + t * 3.4), Colour(0xFFE9B0).faded(0.8))
      }
    }
    var sand = Path()
    sand.move(-40, h * 0.76)
    sand.curve(Point(w * 0.3, h * 0.7), Point(w * 0.6, h * 0.82), Point(w + 40, h * 0.74))
    sand.line(w + 40, h + 40)
    sand.line(-40, h + 40)
    canvas.with(.moved(0, -16)) { canvas.fill(sand, Colour(0xFFEFD8).faded(0.8)) }
    canvas.with(.moved(0, -7)) { canvas.fill(sand, Colour(0xB98570)) }
    canvas.fill(sand, .down(h * 0.72, h, Colour(0xD9A273), Colour(0xE6B98A), Colour(0xA9765C)))
    for _ in 0..<150 {
      canvas.fill(
        .ellipse(s.random.within(0...w), s.random.within(h * 0.8...h), s.random.within(1.5...4), 1.6),
        (s.random.chance(0.5) ? Colour(0x7A4E3E) : Colour(0xFFE7C4)).faded(0.45))
    }
    // A starfish.
    let star = Point(w * 0.13, h * 0.91)
    let corners = (0..<10).map { star + .polar($0 % 2 == 0 ? 44 : 18, Double($0) * .pi / 5 - 0.3) }
    canvas.glow(star.x + 6, star.y + 14, 60, 24, Colour(0x5A3A3A).faded(0.6), blend: .multiply)
    canvas.fill(
      .smooth(corners, tension: 0.6), .down(star.y - 44, star.y + 44, Colour(0xFF9C6B), Colour(0xD9623F)))
    stage = s
  }

  static func snow(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    canvas.drawBackdrop(blur: 7) { far in
      s.fill(.down(0, h * 0.7, Colour(0x8FB4DA), Colour(0xC7DCEE), Colour(0xF6EEF0)), on: far)
      s.hills(h * 0.46, 70, 2, .down(h * 0.35, h * 0.7, Colour(0xB9CFE6), Colour(0xDDE9F4)), on: far)
      for layer in 0..<2 {
        for index in 0..<11 {
          let x = (Double(index) + s.random.within(-0.4...0.4)) * w / 10
          let base = h * (0.62 + 0.07 * Double(layer))
          fir(&s, x, base, s.random.within(150...300) * (0.8 + 0.3 * Double(layer)), layer, on: far)
        }
        s.hills(
          h * (0.64 + 0.08 * Double(layer)), 16, 3, .down(h * 0.6, h, Colour(0xF4F8FD), Colour(0xC9DAEC)),
          on: far)
      }
      far.glow(w * 0.2, h * 0.2, 500, 400, Colour(0xFFF4E0).faded(0.7), blend: .screen)
    }
    s.hills(h * 0.84, 14, 2, .down(h * 0.82, h, Colour(0xFFFFFF), Colour(0xCFDFF0)), on: canvas)
    for _ in 0..<120 {
      canvas.fill(.ellipse(s.random.within(0...w), s.random.within(h * 0.85...h), 2, 2), .white)
    }
    stage = s
  }

  private static func fir(
    _ s: inout Stage, _ x: Double, _ y: Double, _ size: Double, _ layer: Int, on canvas: Canvas
  ) {
    let green = layer == 0 ? Colour(0x7F9FB4) : Colour(0x4C7280)
    for tier in 0..<4 {
      let t = Double(tier)
      let top = y - size + t * size * 0.2
      let half = size * (0.12 + 0.07 * t)
      let branch = Path.polygon([
        Point(x, top), Point(x + half, top + size * 0.36), Point(x - half, top + size * 0.36),
      ])
      canvas.fill(branch, .down(top, top + size * 0.36, Colour(0xF3F8FC), green))
    }
  }

  static func snowInFront(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    for _ in 0..<110 {
      let place = Point(stage.random.within(0...w), stage.random.within(0...h))
      let size = stage.random.within(2.5...7)
      stage.canvas.glow(place.x, place.y, size * 1.5, size * 1.5, .white.faded(0.95))
    }
    for _ in 0..<16 {
      let place = Point(stage.random.within(0...w), stage.random.within(0...h))
      let size = stage.random.within(16...34)
      stage.canvas.glow(place.x, place.y, size, size, .white.faded(0.5))
    }
  }

  static func night(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    s.fill(
      .down(0, h * 0.9, Colour(0x0C1638), Colour(0x1F2F66), Colour(0x4A4A8C), Colour(0x8A6BA0)), on: canvas)
    for index in 0..<26 {
      let t = Double(index) / 25
      let place = Point(t * w * 1.1 - 40, h * (0.62 - 0.55 * t) + s.random.within(-50...50))
      canvas.glow(
        place.x, place.y, s.random.within(90...190), s.random.within(50...110), Colour(0x9DB0F0).faded(0.16),
        blend: .screen)
    }
    for _ in 0..<340 {
      let place = Point(s.random.within(0...w), s.random.within(0...h * 0.74))
      let size = s.random.within(0.8...2.3)
      canvas.fill(.ellipse(place.x, place.y, size, size), Colour(0xFFF9E8).faded(s.random.within(0.35...1)))
    }
    for _ in 0..<12 {
      let place = Point(s.random.within(0...w), s.random.within(0...h * 0.6))
      let size = s.random.within(8...16)
      canvas.glow(place.x, place.y, size * 1.5, size * 1.5, Colour(0xDCE6FF).faded(0.5), blend: .screen)
      for turn in [0.0, .pi / 2] {
        canvas.fill(
          .brush([place - .polar(size, turn), place, place + .polar(size, turn)], 0.2, 2.4, 0.2),
          Colour(0xFFFDF2))
      }
    }
    let moon = Point(w * 0.82, h * 0.17)
    canvas.glow(moon.x, moon.y, 330, 330, Colour(0xCBD8FF).faded(0.55), blend: .screen)
    canvas.fill(
      .ellipse(moon.x, moon.y, 84, 84),
      .radial(
        Point(moon.x - 20, moon.y - 24), 120, 120, [.init(0, Colour(0xFFFDF0)), .init(1, Colour(0xE6DCC0))]))
    let disc = Mask(.ellipse(moon.x, moon.y, 84, 84), on: canvas)
    for (x, y, r) in [(-24.0, 8.0, 20.0), (26, -26, 14), (20, 34, 17), (-38, -34, 10)] {
      canvas.glow(moon.x + x, moon.y + y, r * 1.3, r * 1.2, Colour(0xBDB294).faded(0.7), clip: disc)
    }
    s.hills(h * 0.74, 40, 2, .down(h * 0.68, h, Colour(0x2C3666), Colour(0x1B2348)), on: canvas)
    s.hills(h * 0.84, 22, 3, .down(h * 0.8, h, Colour(0x1C274C), Colour(0x0F1830)), on: canvas)
    s.bokeh(20, x: 0...w, y: h * 0.72...h * 0.95, 3...7, [Colour(0xFFE88A), Colour(0xD8FF9A)], on: canvas)
    stage = s
  }

  static func lake(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    let shore = h * 0.6
    canvas.drawBackdrop(blur: 5) { far in
      s.fill(.down(0, shore, Colour(0x7FB6DC), Colour(0xCDE4EC), Colour(0xFCE7D2)), on: far)
      for _ in 0..<3 {
        s.cloud(
          s.random.within(0...w), s.random.within(h * 0.05...h * 0.22), s.random.within(150...260), .white,
          on: far)
      }
      var peaks: [Path] = []
      for layer in 0..<3 {
        let base = h * (0.36 + 0.07 * Double(layer))
        var points = [Point(-60, shore)]
        var x = -60.0
        while x < w + 120 {
          points.append(Point(x, base + s.random.within(-0.13...0.03) * h))
          x += s.random.within(90...210)
          points.append(Point(x, base + s.random.within(0.04...0.1) * h))
          x += s.random.within(60...120)
        }
        points.append(Point(w + 120, shore))
        peaks.append(.polygon(points))
      }
      let colours = [Colour(0x9FB5CE), Colour(0x7594B0), Colour(0x4F7488)]
      for (path, colour) in zip(peaks, colours) {
        far.fill(path, .down(h * 0.24, shore, colour.lighter(0.45), colour))
      }
      far.fill(.rectangle(-20, shore, w + 40, h), .down(shore, h, Colour(0xA9CCD8), Colour(0x4F8CA6)))
      let water = Mask(.rectangle(-20, shore, w + 40, h), on: far)
      for (path, colour) in zip(peaks, colours) {
        let mirrored = path.transformed(Transform.moved(0, shore * 1.62).after(.scaled(1, -0.62)))
        far.fill(
          mirrored, .down(shore, h * 0.9, colour.lighter(0.1).faded(0.75), colour.faded(0)), clip: water)
      }
      for _ in 0..<60 {
        far.fill(
          .ellipse(
            s.random.within(0...w), s.random.within(shore + 6...h * 0.86), s.random.within(14...60), 1.8),
          .white.faded(0.35))
      }
    }
    // A jetty.
    let deck = Path.polygon([
      Point(w * 0.16, h * 0.82), Point(w * 0.84, h * 0.82), Point(w * 1.1, h * 1.05),
      Point(-w * 0.1, h * 1.05),
    ])
    canvas.with(.moved(0, 16)) { canvas.fill(deck, Colour(0x1F3A48).faded(0.5), blend: .multiply) }
    canvas.fill(deck, .down(h * 0.82, h, Colour(0xB89A7C), Colour(0xCBAE8E), Colour(0x8F7157)))
    let planks = Mask(deck, on: canvas)
    for row in 0..<7 {
      let y = h * 0.82 + pow2(Double(row) / 7) * h * 0.22
      canvas.fill(
        .rectangle(-40, y, w + 80, 2 + Double(row) * 0.7), Colour(0x5F4734).faded(0.7), clip: planks)
    }
    stage = s
  }

  private static func pow2(_ value: Double) -> Double { value * value }
}
