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
