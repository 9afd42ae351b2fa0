extension Canvas {
  /// Draws a background out of focus: at a smaller size, blurred, then enlarged.
  ///
  /// - Parameters:
  ///   - blur: the radius of the blur, in the coordinates of the canvas.
  ///   - reduction: the factor by which the background is drawn smaller.
  func drawBackdrop(blur: Double, reduction: Int = 4, _ draw: (Canvas) -> Void) {
    let small = Canvas(
      width: width / reduction + 2, height: height / reduction + 2,
      transform: Transform.scaled(1 / Double(reduction)).after(transform))
    draw(small)
    var planes = small.planes()
    let scale = (small.transform.a * small.transform.a + small.transform.b * small.transform.b).squareRoot()
    // Three box blurs approximate a Gaussian blur.
    for _ in 0..<3 { planes.soften(Int((blur * scale).rounded())) }
    enlarge(planes, by: reduction)
  }

  /// Samples as floating-point numbers, so that blurring does not round.
  struct Planes {
    var width: Int
    var height: Int
    var samples: [Float]

    /// Replaces each pixel by the mean of its neighbours, in both directions.
    mutating func soften(_ radius: Int) {
      guard radius > 0 else { return }
      var other = samples
      samples.withUnsafeMutableBufferPointer { samples in
        other.withUnsafeMutableBufferPointer { other in
          for row in 0..<height {
            Self.soften(samples, other, start: row * width * 3, step: 3, count: width, radius)
          }
          for column in 0..<width {
            Self.soften(other, samples, start: column * 3, step: width * 3, count: height, radius)
          }
        }
      }
    }

    private static func soften(
      _ from: UnsafeMutableBufferPointer<Float>, _ to: UnsafeMutableBufferPointer<Float>, start: Int,
      step: Int, count: Int, _ radius: Int
    ) {
      let scale = 1 / Float(2 * radius + 1)
      for channel in 0..<3 {
        let base = start + channel
        var sum: Float = 0
        for index in -radius...radius { sum += from[base + min(max(index, 0), count - 1) * step] }
        for index in 0..<count {
          to[base + index * step] = sum * scale
          sum += from[base + min(index + radius + 1, count - 1) * step]
          sum -= from[base + max(index - radius, 0) * step]
        }
      }
    }
  }

  private func planes() -> Planes {
    var samples = [Float](repeating: 0, count: width * height * 3)
    samples.withUnsafeMutableBufferPointer { samples in
      for index in 0..<width * height {
        let pixel = pixels[index]
        samples[index * 3] = Float(pixel & 0xFF)
        samples[index * 3 + 1] = Float(pixel >> 8 & 0xFF)
        samples[index * 3 + 2] = Float(pixel >> 16 & 0xFF)
      }
    }
    return Planes(width: width, height: height, samples: samples)
  }

  private func enlarge(_ planes: Planes, by factor: Int) {
    let scale = 1 / Float(factor)
    planes.samples.withUnsafeBufferPointer { samples in
      guard let start = samples.baseAddress else { return }
      for row in 0..<height {
        let y = max((Float(row) + 0.5) * scale - 0.5, 0)
        let top = min(Int(y), planes.height - 1)
        let upper = start + top * planes.width * 3
        let lower = start + min(top + 1, planes.height - 1) * planes.width * 3
        enlarge(upper, lower, y - Float(top), row, planes.width, scale)
      }
    }
  }

  private func enlarge(
    _ upper: UnsafePointer<Float>, _ lower: UnsafePointer<Float>, _ down: Float, _ row: Int, _ count: Int,
    _ scale: Float
  ) {
    let noise = Dither.row(row)
    let line = pixels + row * width
    var x = 0
    while x < width {
      let position = max((Float(x) + 0.5) * scale - 0.5, 0)
      let column = Int(position)
      let left = min(column, count - 1) &* 3
      let right = min(column &+ 1, count - 1) &* 3
      let across = position - Float(column)
      let grain = Float(noise[x & 63]) * 0x1p-24
      var pixel: UInt32 = 0xFF00_0000
      var channel = 0
      while channel < 3 {
        let above = upper[left &+ channel] + (upper[right &+ channel] - upper[left &+ channel]) * across
        let below = lower[left &+ channel] + (lower[right &+ channel] - lower[left &+ channel]) * across
        pixel |= UInt32(min(above + (below - above) * down + grain, 255)) << UInt32(channel &* 8)
        channel &+= 1
      }
      line[x] = pixel
      x &+= 1
    }
  }
}
