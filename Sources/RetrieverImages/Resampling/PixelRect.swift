/// A rectangle in pixels; the origin is the top left corner.
struct PixelRect: Sendable, Hashable {
  var x: Int
  var y: Int
  var size: PixelSize

  init(x: Int, y: Int, size: PixelSize) {
    self.x = x
    self.y = y
    self.size = size
  }

  /// Creates a rectangle that covers an image.
  init(_ size: PixelSize) { self.init(x: 0, y: 0, size: size) }

  /// Returns true if the rectangle is not empty and lies within an image. Never traps.
  func isWithin(_ image: PixelSize) -> Bool {
    guard x >= 0, y >= 0, size.width > 0, size.height > 0 else { return false }
    guard size.width <= image.width, size.height <= image.height else { return false }
    return x <= image.width - size.width && y <= image.height - size.height
  }
}
