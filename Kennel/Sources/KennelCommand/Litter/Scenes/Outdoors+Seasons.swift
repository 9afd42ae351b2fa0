// Outdoor scenes with trees and seasons.
extension Outdoors {
  static func autumn(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    let leaves = [Colour(0xE8912D), Colour(0xD9541E), Colour(0xF2B93B), Colour(0xB93A1E), Colour(0xF6D365)]
    canvas.drawBackdrop(blur: 11) { far in
      s.fill(.down(0, h, Colour(0xFBE3A6), Colour(0xF0B567), Colour(0xA9692F)), on: far)
      for layer in 0..<2 {
        for index in 0..<9 {
          let x = (Double(index) + s.random.within(-0.3...0.3)) * w / 8
          let width = s.random.within(26...54)
          far.fill(
            .rectangle(x, -20, width, h * 0.85),
            .across(
              Point(x, 0), Point(x + width, 0), Colour(0x9A6A40).faded(0.8), Colour(0x5A3A24).faded(0.8)))
        }
        for _ in 0..<60 {
          let place = Point(s.random.within(0...w), s.random.within(-20...h * (layer == 0 ? 0.55 : 0.4)))
          let size = s.random.within(50...130)
          far.glow(place.x, place.y, size, size * 0.8, leaves[Int(s.random.next() % 5)].faded(0.8))
        }
      }
      s.hills(h * 0.76, 16, 2, .down(h * 0.7, h, Colour(0xC77B35), Colour(0x8A4B22)), on: far)
      for _ in 0..<90 {
        far.glow(
          s.random.within(0...w), s.random.within(h * 0.76...h), s.random.within(18...50),
          s.random.within(8...18), leaves[Int(s.random.next() % 5)].faded(0.8))
      }
      far.glow(w * 0.12, h * 0.14, 520, 520, Colour(0xFFF1B8).faded(0.85), blend: .screen)
      s.bokeh(34, x: 0...w, y: 0...h * 0.7, 14...46, [Colour(0xFFE9A0), Colour(0xFFC36B)], on: far)
    }
    for _ in 0..<160 {
      let y = s.random.within(h * 0.84...h * 1.02)
      leaf(&s, Point(s.random.within(0...w), y), s.random.within(14...26), leaves, flat: 0.5)
    }
    stage = s
  }

  static func autumnInFront(_ stage: inout Stage) {
    let leaves = [Colour(0xE8912D), Colour(0xD9541E), Colour(0xF2B93B), Colour(0xB93A1E)]
    for _ in 0..<13 {
      let place = Point(stage.random.within(0...stage.width), stage.random.within(0...stage.height * 0.8))
      // Keep the face free.
      if abs(place.x - stage.width / 2) < 240 { continue }
      leaf(&stage, place, stage.random.within(16...30), leaves, flat: stage.random.within(0.5...1))
    }
    for _ in 0..<46 {
      let place = Point(stage.random.within(0...stage.width), stage.height * stage.random.within(0.97...1.03))
      leaf(&stage, place, stage.random.within(24...44), leaves, flat: 0.6)
    }
    stage.glare(stage.width * 0.1, stage.height * 0.08, 640, Colour(0xFFE3A0).faded(0.42))
  }

  private static func leaf(
    _ s: inout Stage, _ place: Point, _ size: Double, _ colours: [Colour], flat: Double
  ) {
    let colour = colours[Int(s.random.next() % UInt64(colours.count))]
    let before = s.canvas.transform
    s.canvas.transform = before.after(.moved(place.x, place.y)).after(.scaled(1, flat)).after(
      .turned(s.random.within(0...6.28)))
    s.canvas.with(.moved(3, 5)) {
      s.canvas.fill(.ellipse(0, 0, size, size * 0.5), Colour(0x3A1E10).faded(0.25), blend: .multiply)
    }
    var blade = Path()
    blade.move(-size, 0)
    blade.curve(Point(-size * 0.4, -size * 0.75), Point(size * 0.5, -size * 0.6), Point(size, 0))
    blade.curve(Point(size * 0.5, size * 0.6), Point(-size * 0.4, size * 0.75), Point(-size, 0))
    s.canvas.fill(
      blade, .across(Point(-size, -size), Point(size, size), colour.lighter(0.35), colour, colour.darker(0.2))
    )
    s.canvas.fill(
      .brush([Point(-size * 1.3, 0), Point(size * 0.8, 0)], 1.6, 1.4, 0.4), colour.darker(0.45).faded(0.7))
    s.canvas.transform = before
  }

  static func blossom(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    let pinks = [Colour(0xF9C6D6), Colour(0xF6A8C2), Colour(0xFFE3EC), Colour(0xF088AE)]
    canvas.drawBackdrop(blur: 10) { far in
      s.fill(.down(0, h, Colour(0xBFE0F2), Colour(0xF7E9F0), Colour(0xCFE6B8)), on: far)
      for index in 0..<4 {
        let x = (Double(index) + 0.5) * w / 4 + s.random.within(-60...60)
        far.fill(
          .brush([Point(x, h * 0.85), Point(x + 20, h * 0.5), Point(x - 40, h * 0.2)], 46, 34, 16),
          Colour(0x7A5A58).faded(0.85))
      }
      for _ in 0..<150 {
        let size = s.random.within(40...100)
        far.glow(
          s.random.within(-20...w), s.random.within(-30...h * 0.5), size, size * 0.8,
          pinks[Int(s.random.next() % 4)].faded(0.85))
      }
      s.hills(h * 0.76, 14, 2, .down(h * 0.72, h, Colour(0xA8CF83), Colour(0x78AE5C)), on: far)
      for _ in 0..<70 {
        far.glow(
          s.random.within(0...w), s.random.within(h * 0.78...h), s.random.within(10...30), 7,
          pinks[Int(s.random.next() % 4)].faded(0.8))
      }
      s.bokeh(24, x: 0...w, y: 0...h * 0.7, 12...36, [.white, Colour(0xFFD9E6)], on: far)
    }
    s.grass(
      170, x: -20...w + 20, y: h * 0.9...h * 1.02, 36...80,
      [Colour(0x8CBF62), Colour(0x6FA84A), Colour(0xA9D27A)], on: canvas)
    stage = s
  }

  static func blossomInFront(_ stage: inout Stage) {
    let pinks = [Colour(0xF9C6D6), Colour(0xF6A8C2), Colour(0xFFEDF3)]
    for _ in 0..<34 {
      let place = Point(stage.random.within(0...stage.width), stage.random.within(0...stage.height))
      let size = stage.random.within(7...15)
      stage.canvas.with(.moved(place.x, place.y), .turned(stage.random.within(0...6))) {
        stage.canvas.fill(
          .ellipse(0, 0, size, size * 0.6),
          .across(Point(-size, 0), Point(size, 0), pinks[Int(place.x) % 3], .white))
      }
    }
    stage.glare(stage.width * 0.1, 0, 620, Colour(0xFFF3E0).faded(0.35))
  }

  static func garden(_ stage: inout Stage) {
    let (w, h) = (stage.width, stage.height)
    let canvas = stage.canvas
    var s = stage
    canvas.drawBackdrop(blur: 9) { far in
      s.fill(.down(0, h * 0.8, Colour(0x79C0EA), Colour(0xC9E9F4), Colour(0xEAF5DC)), on: far)
      for _ in 0..<4 {
        s.cloud(
          s.random.within(0...w), s.random.within(h * 0.06...h * 0.26), s.random.within(150...280), .white,
          on: far)
      }
      // A house across the street.
      let x = w * 0.66
      far.fill(.rectangle(x, h * 0.34, 340, 330), .down(h * 0.3, h * 0.7, Colour(0xFBEBD3), Colour(0xEAD2B0)))
      far.fill(
        .polygon([Point(x - 46, h * 0.36), Point(x + 170, h * 0.16), Point(x + 386, h * 0.36)]),
        .down(h * 0.16, h * 0.36, Colour(0xC65A45), Colour(0xA8432F)))
      far.fill(.rectangle(x + 60, h * 0.44, 80, 90), Colour(0x7FB4CF))
      far.fill(.rectangle(x + 200, h * 0.44, 80, 90), Colour(0x7FB4CF))
      for index in 0..<9 {
        let place = Double(index) * w / 8 + s.random.within(-40...40)
        let size = s.random.within(90...170)
        far.glow(place, h * 0.64, size, size, Colour(0x4F9148).faded(0.95))
        far.glow(place - 30, h * 0.58, size * 0.6, size * 0.6, Colour(0x9CCB6B).faded(0.8))
      }
      far.fill(.rectangle(-20, h * 0.68, w + 40, h), .down(h * 0.66, h, Colour(0x86BC55), Colour(0x5F9A3C)))
      s.bokeh(
        30, x: 0...w, y: h * 0.5...h * 0.75, 9...22, [Colour(0xFFB3CC), Colour(0xFFF2A8), .white], on: far)
    }
    stage = s
  }

  static func fence(_ stage: inout Stage, _ y: Double) {
    let canvas = stage.canvas
    let (w, h) = (stage.width, stage.height)
    let board = 128.0
    var x = stage.random.within(-100...(-20))
    while x < w + board {
      let shade = Colour(0xFBF7EF).darker(stage.random.within(0...0.06))
      var path = Path()
      path.move(x, h + 40)
      path.line(x, y + 60)
      path.curve(Point(x, y + 10), Point(x + board * 0.36, y), Point(x + board * 0.46, y))
      path.curve(Point(x + board * 0.56, y), Point(x + board * 0.92, y + 10), Point(x + board * 0.92, y + 60))
      path.line(x + board * 0.92, h + 40)
      canvas.with(.moved(6, 10)) { canvas.fill(path, Colour(0x2A2A3A).faded(0.25), blend: .multiply) }
      canvas.fill(
        path, .across(Point(x, 0), Point(x + board, 0), shade, shade.darker(0.04), shade.darker(0.16)))
      for _ in 0..<5 {
        let gx = x + board * stage.random.within(0.12...0.8)
        let gy = stage.random.within(y + 60...h)
        canvas.fill(
          .brush([Point(gx, gy), Point(gx + 4, gy + 60), Point(gx - 2, gy + 150)], 0.5, 2.4, 0.5),
          Colour(0xB9A88E).faded(0.5))
      }
      x += board
    }
    stage.grass(
      130, x: -20...w + 20, y: h * 0.99...h * 1.05, 70...150,
      [Colour(0x4C8A2E), Colour(0x67A63B), Colour(0x7FBF4A)], on: canvas)
    stage.flowers(
      15, x: 0...w, y: h * 0.86...h * 0.97, 16...28,
      [Colour(0xF7A6C1), .white, Colour(0xE8628B), Colour(0xB79CED)], on: canvas)
  }
}
