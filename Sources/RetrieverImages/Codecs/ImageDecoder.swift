/// Reads one image from bytes that come in pieces of any size, and hands on its rows from the top as they are ready.
///
/// A decoder belongs to one job at a time. Dropping it in the middle frees everything it holds.
protocol ImageDecoder: AnyObject {
  /// What the image says of itself, once enough of it was seen.
  var header: ImageHeader? { get }
  /// True when the last row was handed on.
  var isComplete: Bool { get }

  /// Takes the next bytes. The pointer is valid for the call only.
  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError)

  /// There are no more bytes. Rows that were complete are handed on first; then an image that is not whole throws
  /// ``ImageError/Code-swift.struct/truncated``.
  func finish() throws(ImageError)

  /// Hands the image as it can be shown by now to another consumer, where a decoder can: false when it cannot.
  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool
}

/// Takes the rows of an image.
protocol RowConsumer: AnyObject {
  /// Called once, first. The answer is the smallest size the rows may have: a decoder that can scale while it decodes
  /// gives the smallest it has that is at least this large in both directions, others the size the header says.
  ///
  /// Throwing here ends the decoding before memory is taken for pixels.
  func begin(_ header: ImageHeader) throws(ImageError) -> PixelSize

  /// Called once, before the first row.
  func prepare(for rows: RowLayout) throws(ImageError)

  /// Takes the next row, valid for the call only. Throwing ends the decoding.
  func take(_ row: UnsafeRawBufferPointer) throws(ImageError)
}

/// What the rows of an image look like.
struct RowLayout: Sendable, Equatable {
  var size: PixelSize
  var format: RowFormat

  var bytesPerRow: Int { size.width * format.bytesPerPixel }
}

/// The samples of a pixel, interleaved without padding. Alpha is straight; 16-bit samples have the machine's byte order.
enum RowFormat: Sendable, Hashable, CaseIterable {
  case grey8, rgb8, rgba8, grey16, rgb16, rgba16
  /// 0 is no ink, whatever the file's own convention.
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
