import CImageCodecs
import Foundation

/// Writes PNG with libpng, without any metadata.
enum PNGEncoder {
  /// Returns the bitmap as a PNG, with its alpha.
  static func encode(_ bitmap: Bitmap) throws(ImageError) -> Data {
    let size = bitmap.size
    guard bitmap.format == .rgb8 || bitmap.format == .rgba8 || bitmap.format == .grey8,
      (1...0x7FFF_FFFF).contains(size.width), (1...0x7FFF_FFFF).contains(size.height),
      bitmap.pixels.count == size.pixelCount * bitmap.format.bytesPerPixel
    else {
      throw ImageError(
        .invalidRequest,
        "A PNG of \(size.width) by \(size.height) pixels cannot be made from \(bitmap.pixels.count) bytes.")
    }
    var encoding = codec_png_encoding()
    encoding.width = UInt32(size.width)
    encoding.height = UInt32(size.height)
    encoding.channels = Int32(bitmap.format.channels)
    return try EncodedBytes.collect(format: "PNG") { output, message in
      bitmap.pixels.withUnsafeBytes { codec_png_encode($0.bytes, &encoding, output, message) }
    }
  }
}

/// Writes WebP with libwebp, without any metadata.
enum WebPEncoder {
  /// Returns the bitmap as a WebP, with its alpha. If `isLossless`, `quality` is the effort spent on a smaller file.
  static func encode(_ bitmap: Bitmap, quality: Double, isLossless: Bool) throws(ImageError) -> Data {
    let size = bitmap.size
    guard bitmap.format == .rgb8 || bitmap.format == .rgba8, (1...16_383).contains(size.width),
      (1...16_383).contains(size.height), bitmap.pixels.count == size.pixelCount * bitmap.format.bytesPerPixel
    else {
      throw ImageError(
        .invalidRequest,
        "A WebP of \(size.width) by \(size.height) pixels cannot be made from \(bitmap.pixels.count) bytes.")
    }
    var encoding = codec_webp_encoding()
    encoding.width = UInt32(size.width)
    encoding.height = UInt32(size.height)
    encoding.channels = Int32(bitmap.format.channels)
    encoding.quality = quality.isFinite ? Float(min(max(quality, 0), 1) * 100) : 80
    encoding.is_lossless = isLossless
    return try EncodedBytes.collect(format: "WebP") { output, message in
      bitmap.pixels.withUnsafeBytes { codec_webp_encode($0.bytes, &encoding, output, message) }
    }
  }
}
