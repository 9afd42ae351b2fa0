/// A decoder for any format that can be read.
func makeImageDecoder(consumer: any RowConsumer, limits: ImageLimits) -> any ImageDecoder {
  SniffingDecoder(consumer: consumer, limits: limits)
}

/// Picks the codec by the first bytes, however small the pieces they come in, and passes everything on to it.
final class SniffingDecoder: ImageDecoder {
  private let consumer: any RowConsumer
  private let limits: ImageLimits
  private var prefix: [UInt8] = []
  private var decoder: (any ImageDecoder)?

  init(consumer: any RowConsumer, limits: ImageLimits) {
    self.consumer = consumer
    self.limits = limits
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
      if !held.isEmpty { try held.feed(to: decoder) }
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
    case .jpeg: try JPEGDecoder(consumer: consumer, limits: limits)
    default: throw ImageError(.unsupported, "Not yet.")
    }
  }
}

extension [UInt8] {
  /// A copy stands behind the pointer, so that what the decoder's consumer does cannot touch these bytes.
  fileprivate func feed(to decoder: any ImageDecoder) throws(ImageError) {
    let result = withUnsafeBytes { bytes -> Result<Void, ImageError> in
      do throws(ImageError) {
        return .success(try decoder.feed(bytes))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}
