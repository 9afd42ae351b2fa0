import Foundation

/// What an image says of itself before its first row.
struct ImageHeader: Sendable, Equatable {
  var format: ImageFormat
  /// As stored: an orientation has not been applied.
  var size: PixelSize
  var orientation = ImageOrientation.up
  var hasAlpha = false
  /// Rows come only after all or most of the bytes: a progressive JPEG, an interlaced PNG.
  var isProgressive = false
  /// The ICC profile its colours are in; nil means sRGB.
  var profile: Data?
  /// 1 for a still image. A GIF does not say before its end; there it is 1 until more are seen.
  var frameCount = 1
}

/// A width and height in pixels.
struct PixelSize: Sendable, Hashable {
  var width: Int
  var height: Int

  /// Never traps: images state sizes whose product is larger than an Int.
  var pixelCount: Int {
    let (product, overflows) = width.multipliedReportingOverflow(by: height)
    return overflows ? .max : product
  }

  /// Width and height exchanged.
  var transposed: PixelSize { PixelSize(width: height, height: width) }
}

/// How the top row and left column of what is stored are meant to be seen; the raw values are EXIF's.
enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
  case up = 1
  case upMirrored
  case down
  case downMirrored
  case leftMirrored
  case right
  case rightMirrored
  case left

  /// True when width and height change places.
  var isTransposed: Bool { rawValue >= 5 }
}
