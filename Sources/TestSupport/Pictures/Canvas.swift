/// The drawing area of a ``Scene``. Positions and sizes are fractions of the width and height. Color values may
/// temporarily leave the range 0…1.
struct Canvas {
  private let width: Int
  private let height: Int
  private var pixels: [SIMD3<Float>]
  /// The coverage of each pixel: 0 for background light only, 1 inside a shape.
  private var cover: [Float]

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    pixels = Array(repeating: .zero, count: width * height)
    cover = Array(repeating: 0, count: width * height)
  }

  mutating func paint(_ colour: (_ u: Float, _ v: Float) -> SIMD3<Float>) {
    for y in 0..<height {
      for x in 0..<width { pixels[y * width + x] = colour(Float(x) / Float(width), Float(y) / Float(height)) }
    }
  }

  mutating func addDetail(_ detail: (_ x: Int, _ y: Int, _ u: Float, _ v: Float) -> SIMD3<Float>) {
    for y in 0..<height {
      for x in 0..<width {
        pixels[y * width + x] += detail(x, y, Float(x) / Float(width), Float(y) / Float(height))
      }
    }
  }

  mutating func blend(
    ellipse centre: SIMD2<Float>, _ radii: SIMD2<Float>, softness: Float, _ colour: SIMD3<Float>,
    opacity: Float
  ) {
    let (middle, reach) = (inPixels(centre), inPixels(radii))
    // A hard edge half covers one pixel.
    let edge = max(softness, 1.5 / min(reach.x, reach.y))
    fill(from: middle - reach, to: middle + reach) { point in
      let offset = (point - middle) / reach
      let distance = (offset * offset).sum().squareRoot()
      return (colour, opacity * smoothStep((1 - distance) / edge))
    }
  }

  mutating func blend(left: Float, top: Float, right: Float, bottom: Float, _ colour: SIMD3<Float>) {
    fill(from: inPixels(SIMD2(left, top)), to: inPixels(SIMD2(right, bottom))) { _ in (colour, 1) }
  }

  mutating func stroke(
    from start: SIMD2<Float>, to end: SIMD2<Float>, width part: Float, _ colour: SIMD3<Float>
  ) {
    let (first, last) = (inPixels(start), inPixels(end))
    let half = max(0.5, part * Float(width) / 2)
    let along = last - first
    let length = max(1e-6, (along * along).sum())
    let margin = SIMD2(repeating: half + 1)
    fill(from: pointwiseMin(first, last) - margin, to: pointwiseMax(first, last) + margin) { point in
      let share = min(1, max(0, ((point - first) * along).sum() / length))
      let offset = point - (first + along * share)
      return (colour, min(1, max(0, half + 0.5 - (offset * offset).sum().squareRoot())))
    }
  }

  func picture(hasAlpha: Bool) -> Picture {
    var samples: [UInt16] = []
    samples.reserveCapacity(pixels.count * (hasAlpha ? 4 : 3))
    for (pixel, covered) in zip(pixels, cover) {
      let clamped = pixel.clamped(lowerBound: .zero, upperBound: .one) * 65_535
      for channel in 0..<3 { samples.append(UInt16(clamped[channel].rounded())) }
      if hasAlpha { samples.append(UInt16((min(1, max(0, covered)) * 65_535).rounded())) }
    }
    return Picture(width: width, height: height, channels: hasAlpha ? 4 : 3, samples: samples)
  }

  private func inPixels(_ place: SIMD2<Float>) -> SIMD2<Float> { place * SIMD2(Float(width), Float(height)) }

  private mutating func fill(
    from start: SIMD2<Float>, to end: SIMD2<Float>,
    _ ink: (SIMD2<Float>) -> (colour: SIMD3<Float>, opacity: Float)
  ) {
    let columns = max(0, Int(start.x))..<max(max(0, Int(start.x)), min(width, Int(end.x) + 1))
    let rows = max(0, Int(start.y))..<max(max(0, Int(start.y)), min(height, Int(end.y) + 1))
    for y in rows {
      for x in columns {
        let (colour, opacity) = ink(SIMD2(Float(x) + 0.5, Float(y) + 0.5))
        guard opacity > 0 else { continue }
        let index = y * width + x
        pixels[index] = pixels[index] * (1 - opacity) + colour * opacity
        cover[index] += (1 - cover[index]) * opacity
      }
    }
  }
}
