/// Draws colors over pixels.
enum PixelBlending {
  /// Draws a color over a pixel in linear light, where mixtures look as they do from a distance.
  ///
  /// - Parameters:
  ///   - share: The opacity of the color, from 0 to 1.
  ///   - pixel: Three samples, and straight alpha if there is any.
  static func draw(
    _ color: (UInt8, UInt8, UInt8), share: Float, over pixel: UnsafeMutablePointer<UInt8>, hasAlpha: Bool
  ) {
    if share <= 0 { return }
    if share >= 1 {
      (pixel[0], pixel[1], pixel[2]) = color
      if hasAlpha { pixel[3] = 255 }
      return
    }
    let encoding = SRGBEncoding.shared
    let backdrop = hasAlpha ? Float(pixel[3]) / 255 : 1
    let rest = backdrop * (1 - share)
    let total = share + rest
    func mixed(_ new: UInt8, _ old: UInt8) -> UInt8 {
      encoding.sample(of: (encoding.light[Int(new)] * share + encoding.light[Int(old)] * rest) / total)
    }
    pixel[0] = mixed(color.0, pixel[0])
    pixel[1] = mixed(color.1, pixel[1])
    pixel[2] = mixed(color.2, pixel[2])
    if hasAlpha { pixel[3] = UInt8((min(total, 1) * 255).rounded()) }
  }
}

extension Bitmap {
  /// Draws an image in linear light, with its top left corner at a pixel. Parts outside the bitmap are not drawn.
  mutating func draw(
    _ image: Bitmap, left: Int, top: Int, within area: PixelRect, opacity: Float = 1,
    flag: CancellationFlag? = nil
  ) throws(ImageError) {
    let first = max(left, area.x, 0)
    let end = min(left + image.size.width, area.x + area.size.width, size.width)
    let firstRow = max(top, area.y, 0)
    let endRow = min(top + image.size.height, area.y + area.size.height, size.height)
    guard first < end, firstRow < endRow else { return }
    let (bytes, sourceBytes) = (format.bytesPerPixel, image.format.bytesPerPixel)
    let (width, hasAlpha, sourceHasAlpha) = (size.width, format.hasAlpha, image.format.hasAlpha)
    for row in firstRow..<endRow {
      try flag?.check()
      pixels.withUnsafeMutableBufferPointer { canvas in
        image.pixels.withUnsafeBufferPointer { source in
          guard let canvas = canvas.baseAddress, let source = source.baseAddress else { return }
          var from = source + ((row - top) * image.size.width + first - left) * sourceBytes
          var to = canvas + (row * width + first) * bytes
          for _ in first..<end {
            let alpha = sourceHasAlpha ? Float(from[3]) / 255 : 1
            PixelBlending.draw(
              (from[0], from[1], from[2]), share: alpha * opacity, over: to, hasAlpha: hasAlpha)
            from += sourceBytes
            to += bytes
          }
        }
      }
    }
  }
}
