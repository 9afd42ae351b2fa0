/// A decoder for any format that can be read.
///
/// - Parameters:
///   - byteCount: The length of the whole file, where it is known or announced. It is a hint only: a JPEG of few bytes a
///     pixel may be decoded at a coarser scale.
///   - readsHeaderOnly: The consumer ends the decoding when it has the header: no pixel is worth decoding before.
func makeImageDecoder(
  consumer: any RowConsumer, limits: ImageLimits, byteCount: Int? = nil, readsHeaderOnly: Bool = false
) -> any ImageDecoder {
  SniffingDecoder(consumer: consumer, limits: limits, byteCount: byteCount, readsHeaderOnly: readsHeaderOnly)
}

/// Picks the codec by the first bytes, however small the pieces they come in, and passes everything on to it.
final class SniffingDecoder: ImageDecoder {
  private let consumer: any RowConsumer
  private let limits: ImageLimits
  private let byteCount: Int?
  private let readsHeaderOnly: Bool
  private var prefix: [UInt8] = []
  private var decoder: (any ImageDecoder)?

  init(consumer: any RowConsumer, limits: ImageLimits, byteCount: Int?, readsHeaderOnly: Bool) {
    self.consumer = consumer
    self.limits = limits
    self.byteCount = byteCount
    self.readsHeaderOnly = readsHeaderOnly
  }

  var header: ImageHeader? { decoder?.header }
  var isComplete: Bool { decoder?.isComplete ?? false }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    if let decoder { return try decoder.feed(bytes) }
    // The mark is judged on a copy of the first bytes; the piece itself goes on whole, without one.
    let held = prefix
    prefix.append(contentsOf: bytes.prefix(ImageSniffer.longestMark - held.count))
    let verdict = prefix.withUnsafeBytes { ImageSniffer.format(of: $0) }
    switch verdict {
    case .needsMoreBytes: return
    case .unknown: throw Self.unknownFormat
    case .format(let format):
      let decoder = try makeDecoder(of: format)
      self.decoder = decoder
      prefix = []
      try held.withUnsafeBufferPointer { (start) throws(ImageError) in
        try decoder.feed(UnsafeRawBufferPointer(start))
      }
      try decoder.feed(bytes)
    }
  }

  func finish() throws(ImageError) {
    if let decoder { return try decoder.finish() }
    guard !prefix.isEmpty else { throw ImageError(.truncated, "There are no bytes.") }
    let verdict = prefix.withUnsafeBytes { ImageSniffer.format(of: $0) }
    guard verdict == .needsMoreBytes else { throw Self.unknownFormat }
    throw ImageError(.truncated, "The image ends after \(prefix.count) bytes.")
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool {
    try decoder?.snapshot(into: consumer) ?? false
  }

  private static let unknownFormat = ImageError(
    .unknownFormat, "The bytes are none of the image formats that can be read: JPEG, PNG, WebP and GIF.")

  private func makeDecoder(of format: ImageFormat) throws(ImageError) -> any ImageDecoder {
    switch format {
    case .jpeg: try JPEGDecoder(consumer: consumer, limits: limits, expectedByteCount: byteCount)
    case .png: try PNGDecoder(consumer: consumer, limits: limits)
    case .webp: WebPDecoder(consumer: consumer, limits: limits, readsHeaderOnly: readsHeaderOnly)
    case .gif: GIFDecoder(consumer: consumer, limits: limits)
    }
  }
}
