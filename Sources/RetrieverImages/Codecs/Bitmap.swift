/// Pixels in sRGB, 8 bits a sample, rows from the top without padding.
struct Bitmap: Sendable, Equatable {
  let size: PixelSize
  /// `.rgb8`, or `.rgba8` with straight alpha.
  let format: RowFormat
  var pixels: [UInt8]

  var bytesPerRow: Int { size.width * format.bytesPerPixel }
}
