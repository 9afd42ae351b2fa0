/// The pixels that a collage is drawn to.
struct CollageCanvas {
  private(set) var bitmap: Bitmap

  init(_ layout: CollageLayout, count: Int) {
    bitmap = Bitmap(size: layout.size(count: count), filledWith: layout.background)
  }

  /// Draws an image in the middle of a cell. Parts outside the cell are not drawn.
  mutating func draw(_ image: Bitmap, in cell: PixelRect) throws(ImageError) {
    try bitmap.draw(
      image, left: cell.x + (cell.size.width - image.size.width) / 2,
      top: cell.y + (cell.size.height - image.size.height) / 2, within: cell)
  }
}
