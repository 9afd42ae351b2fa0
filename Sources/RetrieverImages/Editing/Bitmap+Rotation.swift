import Foundation

extension Bitmap {
  /// Returns the pixels rotated clockwise by any angle, on a transparent background.
  ///
  /// Each pixel is interpolated from 4 × 4 pixels (Catmull-Rom) in linear light with premultiplied alpha. Everything
  /// outside the bitmap is transparent, which makes its edges smooth.
  func rotated(byDegrees degrees: Double, flag: CancellationFlag) throws(ImageError) -> Bitmap {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    let (width, height) = (Double(size.width), Double(size.height))
    // The tolerance keeps rounding errors from adding an empty row.
    let result = PixelSize(
      width: max(Int((abs(width * cosine) + abs(height * sine) - 1e-6).rounded(.up)), 1),
      height: max(Int((abs(width * sine) + abs(height * cosine) - 1e-6).rounded(.up)), 1))
    guard result.pixelCount <= ThumbnailGeometry.maximumEnlargedPixels else {
      throw ImageError(
        .invalidRequest,
        "The rotated image would have \(result.width) × \(result.height) pixels; the maximum is "
          + "\(ThumbnailGeometry.maximumEnlargedPixels) pixels.")
    }
    var rotated = Bitmap(
      size: result, format: .rgba8, pixels: [UInt8](repeating: 0, count: result.pixelCount * 4))
    let source = RotationSource(self)
    for y in 0..<result.height {
      try flag.check()
      let down = Double(y) + 0.5 - Double(result.height) / 2
      rotated.pixels.withUnsafeMutableBufferPointer { pixels in
        for x in 0..<result.width {
          let right = Double(x) + 0.5 - Double(result.width) / 2
          let column = right * cosine + down * sine + width / 2 - 0.5
          let row = down * cosine - right * sine + height / 2 - 0.5
          source.write(column, row, to: pixels, at: (y * result.width + x) * 4)
        }
      }
    }
    return rotated
  }
}

/// Interpolates between the pixels of a bitmap.
private struct RotationSource {
  private let bitmap: Bitmap
  private let encoding = SRGBEncoding.shared

  init(_ bitmap: Bitmap) { self.bitmap = bitmap }

  /// Writes the pixel at a position between the centers of pixels.
  func write(_ column: Double, _ row: Double, to pixels: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    guard column > -2, row > -2, column < Double(width) + 1, row < Double(height) + 1 else { return }
    let (left, top) = (column.rounded(.down), row.rounded(.down))
    let across = Self.weights(Float(column - left))
    let down = Self.weights(Float(row - top))
    let (firstColumn, firstRow) = (Int(left) - 1, Int(top) - 1)
    let (bytes, hasAlpha) = (bitmap.format.bytesPerPixel, bitmap.format.hasAlpha)
    var sum = SIMD4<Float>()
    bitmap.pixels.withUnsafeBufferPointer { source in
      for y in max(0, -firstRow)..<max(min(4, height - firstRow), max(0, -firstRow)) {
        var line = SIMD4<Float>()
        for x in max(0, -firstColumn)..<max(min(4, width - firstColumn), max(0, -firstColumn)) {
          let start = ((firstRow + y) * width + firstColumn + x) * bytes
          let alpha = hasAlpha ? Float(source[start + 3]) / 255 : 1
          let light = SIMD4(
            encoding.light[Int(source[start])], encoding.light[Int(source[start + 1])],
            encoding.light[Int(source[start + 2])], 1)
          line += light * (alpha * across[x])
        }
        sum += line * down[y]
      }
    }
    guard sum.w > 0.001 else { return }
    for channel in 0..<3 { pixels[index + channel] = encoding.sample(of: sum[channel] / sum.w) }
    pixels[index + 3] = UInt8((min(sum.w, 1) * 255).rounded())
  }

  /// The weights of four neighbors, of which the second and the third are on both sides of the position.
  private static func weights(_ t: Float) -> SIMD4<Float> {
    let (t2, t3) = (t * t, t * t * t)
    return SIMD4(-t + 2 * t2 - t3, 2 - 5 * t2 + 3 * t3, t + 4 * t2 - 3 * t3, -t2 + t3) / 2
  }
}
