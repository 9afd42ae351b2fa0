/// The description of a picture: its dog, its scene and its size. The same description always gives the same picture.
struct Picture: Sendable {
  enum Form: Sendable { case landscape, portrait, square }

  var dog: Dog
  var scene: Scene
  var form = Form.landscape
  /// The horizontal distance of the dog from the centre, relative to the width.
  var offset = 0.0
  var seed: UInt64

  /// The length of the longer side in pixels, at full size.
  private var longSide: Double {
    switch form {
    case .landscape: [1800, 2000, 2400][Int(seed % 3)]
    case .portrait: [1800, 1920, 2000][Int(seed % 3)]
    case .square: 1600
    }
  }

  private var proportion: Double {
    switch form {
    case .landscape: [4.0 / 3, 3.0 / 2][Int(seed % 2)]
    case .portrait: [4.0 / 3, 5.0 / 4][Int(seed % 2)]
    case .square: 1
    }
  }

  /// The size in pixels.
  var size: (width: Int, height: Int) {
    let (long, short) = (Int(longSide), Int((longSide / proportion).rounded()))
    return form == .portrait ? (short, long) : (long, short)
  }

  /// Draws the picture.
  ///
  /// - Parameter scale: the scale, where 1 is full size.
  func drawn(scale: Double = 1) -> Canvas {
    let long = longSide * scale
    let short = long / proportion
    let isUpright = form == .portrait
    let (width, height) = isUpright ? (short, long) : (long, short)
    let unit = short / 1000
    let canvas = Canvas(
      width: Int(width.rounded()), height: Int(height.rounded()), transform: .scaled(unit))
    var stage = Stage(canvas, width: width / unit, height: height / unit, seed: seed)
    scene.drawBehind(&stage)
    let (place, size) = placing(stage)
    var painter = DogPainter(canvas, dog, scene.light, seed: seed &* 31 &+ 7)
    let before = canvas.transform
    canvas.transform = before.after(.moved(place.x, place.y)).after(.scaled(size))
    painter.draw {
      let dogTransform = canvas.transform
      canvas.transform = before
      if dog.pose == .peeking { scene.drawEdge(&stage, y: place.y + 112 * size) }
      canvas.transform = dogTransform
    }
    canvas.transform = before
    scene.drawInFront(&stage)
    return canvas
  }

  private func placing(_ stage: Stage) -> (Point, Double) {
    let (w, h) = (stage.width, stage.height)
    let x = w * (0.5 + offset)
    switch dog.pose {
    case .bust:
      let size = form == .portrait ? 2.6 : 2.15
      return (Point(x, h - 240 * size), size)
    case .peeking:
      let size = form == .portrait ? 2.2 : 2.0
      return (Point(x, h * 0.66 - 112 * size), size)
    case .sitting:
      let size = form == .portrait ? 1.72 : 1.38
      return (Point(x, h * 0.93 - 404 * size), size)
    case .lying, .asleep:
      let size = min(w / 640, 1.95)
      return (Point(x, h * 0.9 - 232 * size), size)
    }
  }
}
