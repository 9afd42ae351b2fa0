/// Creates a decoder for any supported format.
///
/// - Parameters:
///   - byteCount: The length of the complete file, if it is known or announced. It is only a hint: a JPEG with few
///     bytes per pixel may be decoded at a coarser scale.
///   - readsHeaderOnly: True if the consumer ends the decoding after the header, so that no pixels need to be decoded
///     before.
func makeImageDecoder(
  consumer: any RowConsumer, limits: ImageLimits, byteCount: Int? = nil, readsHeaderOnly: Bool = false
) -> any ImageDecoder {
  SniffingDecoder(consumer: consumer, limits: limits, byteCount: byteCount, readsHeaderOnly: readsHeaderOnly)
}

/// Selects the codec from the first bytes, in pieces of any size, and passes all bytes to it.
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
  var damage: [ImageDamage] { decoder?.damage ?? [] }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    if let decoder { return try decoder.feed(bytes) }
    // The format is detected on a copy of the first bytes; the piece itself is not copied.
    let held = prefix
    prefix.append(contentsOf: bytes.prefix(ImageSniffer.maximumSignatureLength - held.count))
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
    guard !prefix.isEmpty else { throw ImageError(.truncated, "The image data is empty.") }
    let verdict = prefix.withUnsafeBytes { ImageSniffer.format(of: $0) }
    guard verdict == .needsMoreBytes else { throw Self.unknownFormat }
    throw ImageError(.truncated, "The image is incomplete: its data ends after \(prefix.count) bytes.")
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool {
    try decoder?.snapshot(into: consumer) ?? false
  }

  private static let unknownFormat = ImageError(
    .unknownFormat, "The image format is not supported. Use a JPEG, PNG, WebP or GIF image.")

  private func makeDecoder(of format: ImageFormat) throws(ImageError) -> any ImageDecoder {
    switch format {
    case .jpeg: try JPEGDecoder(consumer: consumer, limits: limits, expectedByteCount: byteCount)
    case .png: try PNGDecoder(consumer: consumer, limits: limits)
    case .webp: WebPDecoder(consumer: consumer, limits: limits, readsHeaderOnly: readsHeaderOnly)
    case .gif: GIFDecoder(consumer: consumer, limits: limits)
    }
  }
}
