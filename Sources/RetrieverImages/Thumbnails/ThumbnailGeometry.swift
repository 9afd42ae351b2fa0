/// The part of an image that becomes a thumbnail, and the size of that thumbnail.
struct ThumbnailGeometry: Sendable, Equatable {
  /// The thumbnail's size before the orientation is applied.
  var storedSize: PixelSize
  /// The part that is shown, as fractions of the stored image's width and height.
  var left = 0.0
  var top = 0.0
  var widthShare = 1.0
  var heightShare = 1.0

  /// - Parameters:
  ///   - target: The thumbnail's size; nil for the complete image at its own size.
  ///   - size: The image's size as stored.
  init(_ target: ThumbnailTarget?, size: PixelSize, orientation: ImageOrientation) throws(ImageError) {
    storedSize = size
    guard let target else { return }
    try Self.check(target)
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
    // The limits check the image's own size, but not the size to which it is enlarged.
    guard storedSize.pixelCount <= max(size.pixelCount, Self.maximumEnlargedPixels) else {
      throw ImageError(
        .invalidRequest,
        "An image of \(size.width) × \(size.height) pixels cannot be enlarged to \(storedSize.width) × "
          + "\(storedSize.height): the maximum is \(Self.maximumEnlargedPixels) pixels.")
    }
  }

  /// The maximum width and height of a target. Sums of such sizes cannot overflow.
  static let maximumSide = 65_535

  /// The maximum number of pixels of a thumbnail that is larger than its image.
  static let maximumEnlargedPixels = 50_000_000

  /// Throws if no image can have a thumbnail of that size.
  static func check(_ target: ThumbnailTarget) throws(ImageError) {
    let sides = 1...maximumSide
    guard sides.contains(target.width), sides.contains(target.height) else {
      throw ImageError(
        .invalidRequest,
        "Invalid thumbnail size \(target.width) × \(target.height). Use a width and a height from 1 to "
          + "\(maximumSide).")
    }
  }

  private static func rounded(_ length: Double, within maximum: Int) -> Int {
    min(max(Int(length.rounded()), 1), maximum)
  }

  /// The smallest size to which the complete image may be decoded, so that the part shown is twice as large as the
  /// thumbnail.
  var minimumDecodedSize: PixelSize {
    func minimum(_ length: Int, _ share: Double) -> Int {
      Int((Double(2 * length) / max(share, 1e-6)).rounded(.up))
    }
    return PixelSize(
      width: minimum(storedSize.width, widthShare), height: minimum(storedSize.height, heightShare))
  }

  /// Returns the part that is shown; nil if that is the complete image. The edges are between pixels, unless the decoder
  /// has scaled the image.
  func area(in rows: RowLayout) -> SourceArea? {
    guard let eighths = rows.eighths else { return crop(in: rows.size).map { SourceArea($0) } }
    let (width, height) = (Double(eighths.width) / 8, Double(eighths.height) / 8)
    return SourceArea(
      columns: SourceArea.Span(left * width, length: widthShare * width, within: rows.size.width),
      rows: SourceArea.Span(top * height, length: heightShare * height, within: rows.size.height))
  }

  /// Returns the part in complete pixels.
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
  /// Returns the position in the stored image of a point in the upright image.
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
