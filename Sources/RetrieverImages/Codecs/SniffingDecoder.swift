/// Creates a decoder for any supported format.
///
/// - Parameter readsHeaderOnly: True if the consumer ends the decoding after the header, so that no pixels need to be
///   decoded before.
func makeImageDecoder(
  consumer: any RowConsumer, limits: ImageLimits, readsHeaderOnly: Bool = false
) -> any ImageDecoder {
  SniffingDecoder(consumer: consumer, limits: limits, readsHeaderOnly: readsHeaderOnly)
}

/// Selects the codec from the first bytes, in pieces of any size, and passes all bytes to it.
final class SniffingDecoder: ImageDecoder {
  private let consumer: any RowConsumer
  private let limits: ImageLimits
  private let readsHeaderOnly: Bool
  private var prefix: [UInt8] = []
  private var decoder: (any ImageDecoder)?

  init(consumer: any RowConsumer, limits: ImageLimits, readsHeaderOnly: Bool) {
    self.consumer = consumer
    self.limits = limits
    self.readsHeaderOnly = readsHeaderOnly
  }

  var header: ImageHeader? { decoder?.header }
  var isComplete: Bool { decoder?.isComplete ?? false }
  var damage: [ImageDamage] { decoder?.damage ?? [] }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    if let decoder { return try decoder.feed(bytes) }
    // The format is detected on a copy of the first bytes; the piece itself is not copied.
    let held = prefix
    prefix.append(contentsOf: bytes.prefix(UnsupportedFormat.maximumLength - held.count))
    let verdict = prefix.withUnsafeBytes { ImageSniffer.format(of: $0) }
    switch verdict {
    case .needsMoreBytes: return
    case .unknown:
      // Some names need more bytes than a verdict on the supported formats.
      guard let error = unknownFormat(isAtEnd: false) else { return }
      throw error
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
    if verdict != .needsMoreBytes, let error = unknownFormat(isAtEnd: true) { throw error }
    throw ImageError(.truncated, "The image is incomplete: its data ends after \(prefix.count) bytes.")
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool {
    try decoder?.snapshot(into: consumer) ?? false
  }

  /// Returns the error for data in a format that is not supported; nil if more bytes are needed for its name.
  private func unknownFormat(isAtEnd: Bool) -> ImageError? {
    switch prefix.withUnsafeBytes({ UnsupportedFormat.verdict(for: $0, isAtEnd: isAtEnd) }) {
    case .named(let name): .unknownFormat(named: name)
    case .needsMoreBytes: nil
    case .unknown: .unknownFormat(named: nil)
    }
  }

  private func makeDecoder(of format: ImageFormat) throws(ImageError) -> any ImageDecoder {
    switch format {
    case .jpeg: try JPEGDecoder(consumer: consumer, limits: limits)
    case .png: try PNGDecoder(consumer: consumer, limits: limits)
    case .webp: WebPDecoder(consumer: consumer, limits: limits, readsHeaderOnly: readsHeaderOnly)
    case .gif: GIFDecoder(consumer: consumer, limits: limits)
    case .heic, .avif: HEIFDecoder(consumer: consumer, limits: limits)
    }
  }
}
