import Foundation

/// The properties of an image that are known before its first row.
struct ImageHeader: Sendable, Equatable {
  var format: ImageFormat
  /// The size as stored, before the orientation is applied.
  var size: PixelSize
  var orientation = ImageOrientation.up
  var hasAlpha = false
  /// True if rows are available only after all or most of the bytes: in a progressive JPEG or an interlaced PNG.
  var isProgressive = false
  /// The ICC profile of the colors; nil means sRGB.
  var profile: Data?
  /// 1 for a still image. A GIF does not declare its count; there this is 1 until more frames were read.
  var frameCount = 1
}

/// A width and height in pixels.
struct PixelSize: Sendable, Hashable {
  var width: Int
  var height: Int

  /// The number of pixels. Never traps: files can declare sizes whose product is larger than an Int.
  var pixelCount: Int {
    let (product, overflows) = width.multipliedReportingOverflow(by: height)
    return overflows ? .max : product
  }

  /// The size with width and height swapped.
  var transposed: PixelSize { PixelSize(width: height, height: width) }
}

/// The way the stored rows and columns are meant to be displayed. The raw values are those of EXIF.
enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
  case up = 1
  case upMirrored
  case down
  case downMirrored
  case leftMirrored
  case right
  case rightMirrored
  case left

  /// True if the orientation swaps width and height.
  var isTransposed: Bool { rawValue >= 5 }
}
