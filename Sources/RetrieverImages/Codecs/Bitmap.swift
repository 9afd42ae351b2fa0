/// Pixels in sRGB with 8 bits per sample, from the top row down, without padding.
struct Bitmap: Sendable, Equatable {
  let size: PixelSize
  /// `.rgb8`, or `.rgba8` with straight (not premultiplied) alpha.
  let format: RowFormat
  var pixels: [UInt8]

  var bytesPerRow: Int { size.width * format.bytesPerPixel }
}
