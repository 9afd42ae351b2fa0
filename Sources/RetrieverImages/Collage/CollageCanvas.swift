/// The pixels that a collage is drawn to.
struct CollageCanvas {
  private(set) var bitmap: Bitmap

  init(_ layout: CollageLayout, count: Int) {
    let size = layout.size(count: count)
    let background = layout.background
    let isOpaque = background.alpha == 255
    let pixel = [background.red, background.green, background.blue] + (isOpaque ? [] : [background.alpha])
    let row = Array(repeatElement(pixel, count: size.width).joined())
    bitmap = Bitmap(
      size: size, format: isOpaque ? .rgb8 : .rgba8,
      pixels: Array(repeatElement(row, count: size.height).joined()))
  }

  /// Draws an image in the middle of a cell. Parts outside the cell are not drawn.
  mutating func draw(_ image: Bitmap, in cell: PixelRect) {
    let left = cell.x + (cell.size.width - image.size.width) / 2
    let top = cell.y + (cell.size.height - image.size.height) / 2
    let columns =
      max(left, cell.x, 0)..<min(left + image.size.width, cell.x + cell.size.width, bitmap.size.width)
    let rows =
      max(top, cell.y, 0)..<min(top + image.size.height, cell.y + cell.size.height, bitmap.size.height)
    let sourceBytes = image.format.bytesPerPixel
    let canvasBytes = bitmap.format.bytesPerPixel
    for row in rows {
      for column in columns {
        let source = ((row - top) * image.size.width + column - left) * sourceBytes
        let target = (row * bitmap.size.width + column) * canvasBytes
        let alpha = sourceBytes == 4 ? image.pixels[source + 3] : 255
        blend(image.pixels[source..<source + 3], alpha: alpha, at: target, hasAlpha: canvasBytes == 4)
      }
    }
  }

  private mutating func blend(_ color: ArraySlice<UInt8>, alpha: UInt8, at target: Int, hasAlpha: Bool) {
    if alpha == 0 { return }
    let encoding = SRGBEncoding.shared
    let share = Float(alpha) / 255
    let backdrop = hasAlpha ? Float(bitmap.pixels[target + 3]) / 255 : 1
    let rest = backdrop * (1 - share)
    let total = share + rest
    for (offset, sample) in color.enumerated() {
      bitmap.pixels[target + offset] =
        alpha == 255
        ? sample
        : encoding.sample(
          of: (encoding.light[Int(sample)] * share
            + encoding.light[Int(bitmap.pixels[target + offset])] * rest) / total)
    }
    if hasAlpha { bitmap.pixels[target + 3] = UInt8((total * 255).rounded()) }
  }
}
