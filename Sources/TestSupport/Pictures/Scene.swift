/// A test picture with the properties of a photo that matter to codecs and scalers. It has soft light, out-of-focus
/// shapes, some hard edges, a block of small writing, texture and sensor noise. The same seed always gives the same
/// picture.
public struct Scene: Sendable {
  /// The amount of fine detail, relative to full white.
  public enum Surface: Sendable {
    /// The JPEG file of a 12-megapixel picture (quality 85, 4:2:0) is about 1.4 MB.
    case smooth
    /// The same with texture and noise: about 4.5 MB.
    case noisy

    var texture: Float { self == .smooth ? 0.030 : 0.085 }
    var luminanceNoise: Float { self == .smooth ? 0.0088 : 0.051 }
    var colourNoise: Float { self == .smooth ? 0.004 : 0.020 }
  }

  private let seed: UInt64
  private let surface: Surface
  private let hasAlpha: Bool

  /// Creates a scene. With alpha, the background has alpha 0, and the shapes and the writing have alpha 1.
  public init(seed: UInt64 = 1, surface: Surface = .smooth, hasAlpha: Bool = false) {
    self.seed = seed
    self.surface = surface
    self.hasAlpha = hasAlpha
  }

  /// Draws the scene at any size. Shapes scale with the picture; texture and noise stay at pixel size.
  public func picture(width: Int, height: Int) -> Picture {
    var canvas = Canvas(width: width, height: height)
    var chance = SeededGenerator(seed: seed)
    light(on: &canvas)
    shapes(on: &canvas, &chance)
    writing(on: &canvas, &chance)
    detail(on: &canvas)
    return canvas.picture(hasAlpha: hasAlpha)
  }

  /// Draws a sky and a ground with smooth color gradients.
  private func light(on canvas: inout Canvas) {
    let noise = ValueNoise(seed: seed)
    let (sky, ground) = (SIMD3<Float>(0.46, 0.62, 0.85), SIMD3<Float>(0.42, 0.36, 0.22))
    canvas.paint { u, v in
      let horizon = Float(0.55) + 0.1 * noise[u * 3, 7]
      let mix = smoothStep((v - horizon + 0.08) / 0.16)
      let base = sky * (1.15 - 0.5 * v) * (1 - mix) + ground * (0.7 + 0.6 * v) * mix
      let cloud = noise[u * 5, v * 9] + 0.5 * noise[u * 11, v * 17]
      let tint = SIMD3(noise[u * 4, v * 4 + 30], noise[u * 4, v * 4 + 60], noise[u * 4, v * 4 + 90])
      return base + cloud * 0.10 + tint * 0.06
    }
  }

  /// Draws soft shapes, then sharp shapes in front of them.
  private func shapes(on canvas: inout Canvas, _ chance: inout SeededGenerator) {
    for index in 0..<56 {
      let centre = SIMD2(chance.unit() * 1.1 - 0.05, chance.unit() * 1.1 - 0.05)
      let radii = SIMD2(0.02 + 0.11 * chance.unit(), 0.02 + 0.11 * chance.unit())
      let colour = SIMD3(chance.unit(), chance.unit(), chance.unit())
      let softness: Float = index < 30 ? 0.9 : 0
      let opacity = index < 30 ? 0.3 + 0.4 * chance.unit() : 0.85
      canvas.blend(ellipse: centre, radii, softness: softness, colour, opacity: opacity)
    }
  }

  /// Draws strokes as small as the letters of a photographed page.
  private func writing(on canvas: inout Canvas, _ chance: inout SeededGenerator) {
    let (left, top, right, bottom) = (Float(0.58), Float(0.62), Float(0.95), Float(0.93))
    canvas.blend(left: left, top: top, right: right, bottom: bottom, SIMD3(0.93, 0.92, 0.88))
    let line: Float = 0.016
    var y = top + line
    while y + line < bottom {
      var x = left + 0.015
      while x < right - 0.02 {
        let letter = 0.003 + 0.003 * chance.unit()
        if chance.unit() > 0.18 {
          for _ in 0..<2 {
            let from = SIMD2(x + letter * chance.unit(), y + line * 0.55 * chance.unit())
            let to = SIMD2(x + letter * chance.unit(), y + line * 0.55 * chance.unit())
            canvas.stroke(from: from, to: to, width: 0.0011, SIMD3(0.08, 0.08, 0.12))
          }
        }
        x += letter + 0.002
      }
      y += line
    }
  }

  /// Adds texture, which is strong in some places and absent in others, and noise, which is everywhere.
  private func detail(on canvas: inout Canvas) {
    let (noise, strength, surface, seed) = (
      ValueNoise(seed: seed ^ 0x55), ValueNoise(seed: seed ^ 0xaa), surface, seed
    )
    canvas.addDetail { x, y, u, v in
      let amount = max(0, strength[u * 6, v * 5] + 0.15)
      let fine =
        noise[Float(x) * 0.43, Float(y) * 0.37] + 0.8 * noise[Float(x) * 0.171 + 50, Float(y) * 0.193]
      let grain = SIMD3<Float>(repeating: surface.luminanceNoise * bell(x, y, seed))
      let blotch = SIMD3(
        noise[Float(x) * 0.31 + 900, Float(y) * 0.31], noise[Float(x) * 0.31 + 500, Float(y) * 0.31 + 500],
        noise[Float(x) * 0.31, Float(y) * 0.31 + 900])
      return fine * amount * surface.texture + grain + blotch * surface.colourNoise
    }
  }
}

/// Returns an approximately normal value with a deviation of 1. Integer arithmetic makes it the same on every machine.
private func bell(_ x: Int, _ y: Int, _ seed: UInt64) -> Float {
  let bits = scrambled(UInt64(truncatingIfNeeded: y) << 32 ^ UInt64(truncatingIfNeeded: x) ^ seed << 13)
  let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48)
  return (Float(sum) - 131_070) / 37_837
}
