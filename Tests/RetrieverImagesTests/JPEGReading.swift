import CImageCodecs
import Foundation

@testable import RetrieverImages

/// The codec's result for a JPEG that is not progressive, decoded by our own code if it applies, or by libjpeg.
struct JPEGReading: Equatable {
  var width = 0
  var rows = 0
  /// Contains only rows that come completely from the input.
  var pixels: [UInt8] = []
  var isFailed = false
  var message: String?
  var isTruncated = false

  init(_ data: Data, eighths: UInt32, byLibjpeg: Bool, cut: Cut = .onePiece) {
    guard let decoder = codec_jpeg_decoder_make() else {
      isFailed = true
      return
    }
    defer { codec_jpeg_decoder_free(decoder) }
    if byLibjpeg { codec_jpeg_decoder_leave_all_to_libjpeg(decoder) }
    var left: [UInt8] = []
    var phase = Phase.header
    for piece in pieces(of: data, cut) + [nil] {
      if piece == nil { codec_jpeg_decoder_end_input(decoder) }
      let input = left + (piece ?? [])
      left = input.withUnsafeBytes { input in
        codec_jpeg_decoder_attach_input(decoder, input.bytes, input.count)
        let result = advance(decoder, &phase, eighths: eighths)
        let count = codec_jpeg_decoder_detach_input(decoder)
        if result != .done && result != .needs_input {
          isFailed = true
          message = String(cString: codec_jpeg_decoder_message(decoder))
        }
        return Array(input.suffix(count))
      }
      if isFailed || phase == .over { break }
    }
    guard !isFailed else { return }
    message = warning(of: decoder)
    isTruncated = codec_jpeg_decoder_is_truncated(decoder)
    let realRows = Int(codec_jpeg_decoder_real_rows(decoder))
    let bytesPerRow = rows == 0 ? 0 : pixels.count / rows
    rows = min(rows, realRows)
    pixels.removeLast(pixels.count - rows * bytesPerRow)
  }

  /// Returns the first warning that affects pixels.
  private func warning(of decoder: OpaquePointer) -> String? {
    let warnings = (0..<8).map { codec_jpeg_decoder_warning(decoder, $0) }
    return warnings.first { !$0.is_harmless }.flatMap { $0.text.map { String(cString: $0) } }
  }

  private enum Phase { case header, rows, over }

  private mutating func advance(
    _ decoder: OpaquePointer, _ phase: inout Phase, eighths: UInt32
  ) -> codec_result {
    if phase == .header {
      var header = codec_jpeg_header()
      let result = codec_jpeg_decoder_read_header(decoder, &header)
      guard result == .done else { return result }
      guard !header.is_buffered, header.width * header.height < 20_000_000 else { return .unsupported }
      var size = (width: UInt32(0), height: UInt32(0))
      let started = codec_jpeg_decoder_start(decoder, eighths, &size.width, &size.height)
      guard started == .done else { return started }
      width = Int(size.width)
      channels = header.colors == .grey ? 1 : header.colors == .cmyk ? 4 : 3
      phase = .rows
    }
    let bytesPerRow = width * channels
    var row = [UInt8](repeating: 0, count: bytesPerRow * 5)
    while codec_jpeg_decoder_rows_left(decoder) > 0 {
      var count = 0
      let result = codec_jpeg_decoder_read_rows(decoder, &row, bytesPerRow, 5, &count)
      pixels += row.prefix(count * bytesPerRow)
      rows += count
      guard result == .done else { return result }
    }
    phase = .over
    return .done
  }

  private var channels = 0
}

private func pieces(of data: Data, _ cut: Cut) -> [[UInt8]?] {
  var random = SeededGenerator(seed: 0)
  if case .random(let seed) = cut { random = SeededGenerator(seed: seed) }
  var pieces: [[UInt8]?] = []
  var offset = 0
  while offset < data.count {
    let size =
      switch cut {
      case .onePiece: data.count
      case .pieces(let size): size
      case .random: Int.random(in: 1...max(2, data.count / 4), using: &random)
      }
    pieces.append([UInt8](data[offset..<min(offset + size, data.count)]))
    offset += size
  }
  return pieces
}

/// A random picture, encoded as a random form of JPEG.
struct JPEGSample: CustomStringConvertible {
  let size: PixelSize
  let format: RowFormat
  let form: codec_jpeg_encoding
  let data: Data

  var description: String {
    "\(size.width) by \(size.height), \(form.channels) channels at quality \(form.quality), "
      + "chroma halved: \(form.halves_chroma), only horizontally: \(form.halves_chroma_horizontally_only), "
      + "restarts: \(form.restart_interval), optimized tables: \(form.optimizes_tables)"
  }

  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    size = PixelSize(
      width: Int.random(in: 1...70, using: &random), height: Int.random(in: 1...70, using: &random))
    format = Int.random(in: 0..<3, using: &random) == 0 ? .grey8 : .rgb8
    var form = codec_jpeg_encoding()
    form.quality = Int32.random(in: 1...100, using: &random)
    form.halves_chroma = Int.random(in: 0..<3, using: &random) > 0
    form.halves_chroma_horizontally_only = Bool.random(using: &random)
    form.optimizes_tables = Bool.random(using: &random)
    if Bool.random(using: &random) { form.restart_interval = Int32.random(in: 1...12, using: &random) }
    var pixels = drawnPixels(size: size, format: format)
    let noise = UInt8.random(in: 0...255, using: &random)
    for index in pixels.indices where noise > 30 {
      pixels[index] ^= UInt8.random(in: 0...noise, using: &random)
    }
    data = try JPEGEncoder.encode(pixels, size: size, format: format, as: form)
    form.channels = Int32(format.channels)
    self.form = form
  }
}
