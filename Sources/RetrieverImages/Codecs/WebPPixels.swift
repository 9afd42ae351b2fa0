import CImageCodecs

/// The pixels of one frame, as libwebp reads them.
final class WebPPixels {
  /// The rows so far.
  struct Area {
    var rows = 0
    fileprivate var start: UnsafePointer<UInt8>?
    fileprivate var bytesPerRow = 0

    func row(_ index: Int, count: Int) -> UnsafeRawBufferPointer? {
      guard let start, count <= bytesPerRow, index < rows else { return nil }
      return UnsafeRawBufferPointer(start: start + index * bytesPerRow, count: count)
    }
  }

  /// All chunks of the frame were fed.
  var hasEnded = false

  private let reader: OpaquePointer
  private var isDone = false
  // libwebp tries some parts again from their start with each call, without loss eight whole rows: small pieces are
  // put together.
  private var held: [UInt8] = []
  private let smallest: Int

  init(hasAlpha: Bool, isLossless: Bool, isReduced: Bool) throws(ImageError) {
    guard let reader = codec_webp_decoder_make(hasAlpha, isReduced) else {
      throw .codec(.out_of_memory, format: "WebP", message: "")
    }
    self.reader = reader
    smallest = isLossless ? 65_536 : 4_096
  }

  deinit { codec_webp_decoder_free(reader) }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    if held.count + bytes.count < smallest {
      held.append(contentsOf: bytes)
      return
    }
    try flush()
    try pass(bytes)
  }

  /// Passes on what was held back.
  func flush() throws(ImageError) {
    let held = self.held
    self.held = []
    try held.withUnsafeBufferPointer { (bytes) throws(ImageError) in try pass(UnsafeRawBufferPointer(bytes)) }
  }

  /// Adds the byte that makes a chunk even.
  func pad() { held.append(0) }

  var area: Area {
    var width: UInt32 = 0
    var rows: UInt32 = 0
    var bytesPerRow = 0
    let start = codec_webp_decoder_pixels(reader, &width, &rows, &bytesPerRow)
    return start == nil ? Area() : Area(rows: Int(rows), start: start, bytesPerRow: bytesPerRow)
  }

  private func pass(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    guard !isDone, !bytes.isEmpty else { return }
    let result = codec_webp_decoder_feed(reader, bytes.bytes, bytes.count)
    switch result {
    case .done: isDone = true
    case .needs_input: return
    default:
      throw .codec(result, format: "WebP", message: String(cString: codec_webp_decoder_message(reader)))
    }
  }
}
