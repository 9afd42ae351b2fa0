/// Which part of a picture becomes a thumbnail, and how large that is.
struct ThumbnailGeometry: Sendable, Equatable {
  /// The thumbnail's size before it is turned upright.
  var storedSize: PixelSize
  /// The part that is shown, as shares of the stored picture's width and height.
  var left = 0.0
  var top = 0.0
  var widthShare = 1.0
  var heightShare = 1.0

  /// - Parameters:
  ///   - target: nil is the whole picture at its own size.
  ///   - size: the picture's size as stored.
  init(_ target: ThumbnailTarget?, size: PixelSize, orientation: ImageOrientation) throws(ImageError) {
    storedSize = size
    guard let target else { return }
    guard target.width > 0, target.height > 0, target.width <= Self.mostPixels,
      target.height <= Self.mostPixels
    else {
      throw ImageError(
        .invalidRequest,
        "A thumbnail of \(target.width) by \(target.height) pixels cannot be made: each side must be from 1 to "
          + "\(Self.mostPixels).")
    }
    let isTransposed = orientation.isTransposed
    let box = PixelSize(width: target.width, height: target.height)
    let storedBox = isTransposed ? box.transposed : box
    let horizontal = Double(storedBox.width) / Double(size.width)
    let vertical = Double(storedBox.height) / Double(size.height)
    switch target.mode {
    case .stretch:
      storedSize = storedBox
      if !target.enlarges {
        storedSize.width = min(storedBox.width, size.width)
        storedSize.height = min(storedBox.height, size.height)
      }
    case .fit:
      let factor = min(horizontal, vertical)
      if factor >= 1, !target.enlarges { return }
      storedSize = PixelSize(
        width: Self.rounded(Double(size.width) * factor, within: storedBox.width),
        height: Self.rounded(Double(size.height) * factor, within: storedBox.height))
    case .fill(let focus):
      let factor = max(horizontal, vertical)
      let shrink = target.enlarges ? 1 : max(1, factor)
      storedSize = PixelSize(
        width: Self.rounded(Double(storedBox.width) / shrink, within: storedBox.width),
        height: Self.rounded(Double(storedBox.height) / shrink, within: storedBox.height))
      widthShare = min(1, horizontal / factor)
      heightShare = min(1, vertical / factor)
      let point = orientation.storedFocus(focus)
      left = min(max(point.x - widthShare / 2, 0), 1 - widthShare)
      top = min(max(point.y - heightShare / 2, 0), 1 - heightShare)
    }
    // The picture's own size was checked; what it is enlarged to was not.
    guard storedSize.pixelCount <= max(size.pixelCount, Self.mostEnlargedPixels) else {
      throw ImageError(
        .invalidRequest,
        "A picture of \(size.width) by \(size.height) pixels cannot be enlarged to \(storedSize.width) by "
          + "\(storedSize.height): at most \(Self.mostEnlargedPixels) pixels are allowed.")
    }
  }

  /// Beyond this no target is reasonable, and sums of sizes stay far from overflowing.
  static let mostPixels = 65_535

  /// What a thumbnail that is larger than its picture may have in all.
  static let mostEnlargedPixels = 50_000_000

  private static func rounded(_ length: Double, within most: Int) -> Int {
    min(max(Int(length.rounded()), 1), most)
  }

  /// The smallest size the whole picture may be decoded to: twice what is left of it in the thumbnail.
  var leastDecodedSize: PixelSize {
    func least(_ length: Int, _ share: Double) -> Int {
      Int((Double(2 * length) / max(share, 1e-6)).rounded(.up))
    }
    return PixelSize(
      width: least(storedSize.width, widthShare), height: least(storedSize.height, heightShare))
  }

  /// The part that is shown, in pixels of the picture as it was decoded; nil when that is all of it.
  func crop(in decoded: PixelSize) -> PixelRect? {
    let width = min(max(Int((widthShare * Double(decoded.width)).rounded()), 1), decoded.width)
    let height = min(max(Int((heightShare * Double(decoded.height)).rounded()), 1), decoded.height)
    if width == decoded.width, height == decoded.height { return nil }
    return PixelRect(
      x: min(max(Int((left * Double(decoded.width)).rounded()), 0), decoded.width - width),
      y: min(max(Int((top * Double(decoded.height)).rounded()), 0), decoded.height - height),
      size: PixelSize(width: width, height: height))
  }
}

extension ImageOrientation {
  /// Where a point of the upright picture lies in the stored one.
  fileprivate func storedFocus(_ focus: ThumbnailTarget.Focus) -> (x: Double, y: Double) {
    let (x, y) = (focus.x, focus.y)
    return switch self {
    case .up: (x, y)
    case .upMirrored: (1 - x, y)
    case .down: (1 - x, 1 - y)
    case .downMirrored: (x, 1 - y)
    case .leftMirrored: (y, x)
    case .right: (y, 1 - x)
    case .rightMirrored: (1 - y, 1 - x)
    case .left: (1 - y, x)
    }
  }
}
