import Glibc

/// An opaque bitmap to draw on, with 8 bits per sample. Only one task may use it at a time.
final class Canvas {
  /// The blend mode of a colour with the colour below it.
  enum Blend {
    case normal
    /// Darkens, like a shadow.
    case multiply
    /// Lightens, like light.
    case screen
  }

  let width: Int
  let height: Int
  /// The transform from drawing coordinates to pixels.
  var transform: Transform
  /// The pixels, with red in the lowest byte and alpha in the highest.
  let pixels: UnsafeMutablePointer<UInt32>

  init(width: Int, height: Int, transform: Transform = .identity) {
    self.width = max(width, 1)
    self.height = max(height, 1)
    self.transform = transform
    pixels = .allocate(capacity: self.width * self.height)
    memset(pixels, 0xFF, self.width * self.height * 4)
  }

  deinit { pixels.deallocate() }

  /// Draws with additional transforms.
  func with(_ transforms: Transform..., draw: () -> Void) {
    let before = transform
    for added in transforms { transform = transform.after(added) }
    draw()
    transform = before
  }

  func fill(
    _ path: Path, _ paint: Paint, opacity: Double = 1, blend: Blend = .normal, clip: Mask? = nil
  ) {
    var coverage = Coverage(path, transform, width: width, height: height)
    let shader = Shader(paint, opacity: opacity, transform: transform)
    coverage.forEachRun { row, columns, level in
      guard let clip else { return paintRun(row, columns, level, shader, blend) }
      let columns = columns.clamped(to: clip.columns)
      guard clip.rows.contains(row), !columns.isEmpty else { return }
      paintRun(row, columns, level, shader, blend, clip)
    }
  }

  func fill(_ path: Path, _ colour: Colour, opacity: Double = 1, blend: Blend = .normal, clip: Mask? = nil) {
    fill(path, .solid(colour), opacity: opacity, blend: blend, clip: clip)
  }

  /// Draws a soft spot of light or shadow without an edge.
  func glow(
    _ x: Double, _ y: Double, _ rx: Double, _ ry: Double, _ colour: Colour, blend: Blend = .normal,
    clip: Mask? = nil
  ) {
    fill(.ellipse(x, y, rx, ry), .glow(Point(x, y), rx, ry, colour), blend: blend, clip: clip)
  }

  // MARK: Pixels

  private func paintRun(
    _ row: Int, _ columns: Range<Int>, _ level: Int, _ shader: Shader, _ blend: Blend, _ clip: Mask? = nil
  ) {
    let line = pixels + row * width
    let noise = Dither.row(row)
    if let clip {
      let opacities = clip.row(row)
      shader.forEachShade(columns, row: row) { x, shade in
        let opacity = Int(opacities[x &- clip.columns.lowerBound])
        guard opacity > 0 else { return }
        let alpha = (((shade.alpha &* level) >> 16) &* (opacity &+ (opacity >> 7))) >> 8
        Self.mix(line + x, shade, alpha, noise[x & 63], blend)
      }
    } else if blend == .normal, columns.count > 8, let shade = shader.shade(ofRow: row),
      shade.alpha &* level == 65536 &* 65536, shade.isFlat
    {
      repeatPixel(shade.pixel, line + columns.lowerBound, columns.count)
    } else {
      shader.forEachShade(columns, row: row) { x, shade in
        Self.mix(line + x, shade, (shade.alpha &* level) >> 16, noise[x & 63], blend)
      }
    }
  }

  /// Fills a run with one pixel. Each copy doubles the block, so large areas are fast even in debug builds.
  private func repeatPixel(_ pixel: UInt32, _ start: UnsafeMutablePointer<UInt32>, _ count: Int) {
    start[0] = pixel
    var done = 1
    while done < count {
      let more = min(done, count - done)
      memcpy(start + done, start, more * 4)
      done += more
    }
  }

  @inline(__always)
  private static func mix(
    _ place: UnsafeMutablePointer<UInt32>, _ shade: Shader.Shade, _ alpha: Int, _ noise: Int, _ blend: Blend
  ) {
    let pixel = Int(place.pointee)
    let (red, green, blue) = (pixel & 0xFF, pixel >> 8 & 0xFF, pixel >> 16 & 0xFF)
    var shade = shade
    switch blend {
    case .normal: break
    case .multiply:
      shade.red = shade.red &* red / 255
      shade.green = shade.green &* green / 255
      shade.blue = shade.blue &* blue / 255
    case .screen:
      shade.red = 65280 &- (65280 &- shade.red) &* (255 &- red) / 255
      shade.green = 65280 &- (65280 &- shade.green) &* (255 &- green) / 255
      shade.blue = 65280 &- (65280 &- shade.blue) &* (255 &- blue) / 255
    }
    let rest = (65536 &- alpha) << 8
    // Noise of less than one step prevents visible bands in slow gradients.
    let r = (red &* rest &+ shade.red &* alpha &+ noise) >> 24
    let g = (green &* rest &+ shade.green &* alpha &+ noise) >> 24
    let b = (blue &* rest &+ shade.blue &* alpha &+ noise) >> 24
    place.pointee = UInt32(truncatingIfNeeded: r | g << 8 | b << 16 | 0xFF00_0000)
  }
}

extension Shader.Shade {
  /// Whether the shade needs no noise.
  var isFlat: Bool { red & 0xFF == 0 && green & 0xFF == 0 && blue & 0xFF == 0 }
  var pixel: UInt32 { UInt32(truncatingIfNeeded: red >> 8 | green | blue << 8 | 0xFF00_0000) }
}

/// A 64 by 64 pattern of evenly distributed noise, from 0 to almost 2²⁴.
enum Dither {
  // Initialized once before the first use, and never freed.
  nonisolated(unsafe) private static let noise: UnsafePointer<Int> = {
    let values = UnsafeMutablePointer<Int>.allocate(capacity: 64 * 64)
    for index in 0..<64 * 64 {
      // Interleaved gradient noise (Jimenez).
      let product = fraction(0.067_110_56 * Double(index % 64) + 0.005_837_15 * Double(index / 64))
      (values + index).initialize(to: min(Int(fraction(52.982_918_9 * product) * 0x1p24), (1 << 24) - 1))
    }
    return UnsafePointer(values)
  }()

  private static func fraction(_ value: Double) -> Double { value - value.rounded(.down) }

  static func row(_ row: Int) -> UnsafePointer<Int> { noise + (row & 63) * 64 }
}
