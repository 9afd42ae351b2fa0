/// Reads one image from bytes that arrive in pieces of any size, and delivers its rows from the top as they are
/// decoded.
///
/// The rows, the damage and the error do not depend on the sizes of the pieces, even if the data is damaged.
///
/// Only one job may use a decoder at a time. Releasing a decoder before the end frees everything it holds.
protocol ImageDecoder: AnyObject {
  /// The properties that the file declares, after enough of the file was read. The orientation of a PNG and the number of
  /// frames of a GIF are final at the end of the file.
  var header: ImageHeader? { get }
  /// True after the last row was delivered.
  var isComplete: Bool { get }
  /// What was wrong with the data so far and did not end the decoding. It does not contain the error that did.
  var damage: [ImageDamage] { get }

  /// Reads the next bytes. The pointer is valid only during the call.
  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError)

  /// Ends the input. Delivers the rows that are complete, then throws ``ImageError/Code-swift.struct/truncated`` if
  /// the image is incomplete, or ``ImageError/Code-swift.struct/corrupt`` if pixels may be wrong.
  func finish() throws(ImageError)

  /// Delivers the image as decoded so far to another consumer. Returns false if the decoder cannot do that.
  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool
}

extension ImageDecoder {
  var damage: [ImageDamage] { [] }
}

/// Receives the rows of an image.
protocol RowConsumer: AnyObject {
  /// Called once, first. Returns the smallest acceptable size of the rows.
  ///
  /// A decoder that can scale while it decodes uses its smallest size that is at least this large in both directions.
  /// Other decoders use the size in the header. If this throws, decoding ends before memory is allocated for pixels.
  func begin(_ header: ImageHeader) throws(ImageError) -> PixelSize

  /// Returns the part of the image that the consumer needs, given the size in the header. A decoder may deliver any
  /// pixels outside of it. Called after `begin`; not called by decoders that cannot skip pixels.
  func neededArea(of size: PixelSize) -> FrameRectangle

  /// Called once, before the first row.
  func prepare(for rows: RowLayout) throws(ImageError)

  /// Receives the next row, which is valid only during the call. If this throws, decoding ends.
  func take(_ row: UnsafeRawBufferPointer) throws(ImageError)
}

extension RowConsumer {
  func neededArea(of size: PixelSize) -> FrameRectangle { FrameRectangle(left: 0, top: 0, size: size) }
}

/// The size and format of the rows of an image.
struct RowLayout: Sendable, Equatable {
  var size: PixelSize
  var format: RowFormat
  /// True if all colors are gray although the format has three channels for them. Their profile is then one for gray.
  var isGrey = false
  /// The size of the picture in eighths of these pixels, if the decoder has scaled it: the number of pixels is rounded
  /// up, so the last ones may extend beyond the picture's edge.
  var eighths: PixelSize?

  var bytesPerRow: Int { size.width * format.bytesPerPixel }
}

/// The samples of a pixel, interleaved without padding. Alpha is straight; 16-bit samples have the machine's byte
/// order.
enum RowFormat: Sendable, Hashable, CaseIterable {
  case grey8, rgb8, rgba8, grey16, rgb16, rgba16
  /// 0 means no ink, for every file format.
  case cmyk8

  var channels: Int {
    switch self {
    case .grey8, .grey16: 1
    case .rgb8, .rgb16: 3
    case .rgba8, .rgba16, .cmyk8: 4
    }
  }

  var hasAlpha: Bool { self == .rgba8 || self == .rgba16 }

  var bytesPerSample: Int {
    switch self {
    case .grey8, .rgb8, .rgba8, .cmyk8: 1
    case .grey16, .rgb16, .rgba16: 2
    }
  }

  var bytesPerPixel: Int { channels * bytesPerSample }
}
