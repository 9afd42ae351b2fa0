import CImageCodecs
import Foundation

/// Reads a JPEG at 1/1, 1/2, 1/4 or 1/8 of its size.
///
/// libjpeg-turbo reads the headers and the less common kinds. The project's own code decodes the pixels of the most
/// common kind, with the same result in less time. docs/jpeg.md describes which images that applies to, and why.
///
/// Rows of a baseline image are delivered while it is read. A progressive image delivers all its rows after the last
/// scan; ``snapshot(into:)`` returns the scans so far before that.
///
/// If libjpeg reports damage as a warning and continues, ``finish()`` throws `corrupt` after the rows, unless the damage
/// does not affect them. If damage ends a progressive image, the scans before it are delivered. An image that lacks only
/// its end marker is treated as complete.
final class JPEGDecoder: ImageDecoder {
  private enum Phase { case header, scans, rows, over }

  private(set) var header: ImageHeader?
  private(set) var isComplete = false

  private let reader: OpaquePointer
  private let consumer: any RowConsumer
  private let limits: ImageLimits
  // libjpeg waits for at most one complete segment (64 KiB) or the blocks of an MCU.
  private let pendingInput = PendingInput(limit: 1 << 20)
  /// Set after the header if the decoder must get its input in windows.
  private var windows: InputWindows?
  private var phase = Phase.header
  private var layout = RowLayout(size: PixelSize(width: 0, height: 0), format: .rgb8)
  private var rows: RowBuffer?
  private var delivered = 0
  private var byteCount = 0
  private var failure: ImageError?

  init(consumer: any RowConsumer, limits: ImageLimits) throws(ImageError) {
    guard let reader = codec_jpeg_decoder_make() else {
      throw .codec(.out_of_memory, format: "JPEG", message: "")
    }
    self.reader = reader
    self.consumer = consumer
    self.limits = limits
  }

  deinit { codec_jpeg_decoder_free(reader) }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    try keepingFailure { () throws(ImageError) in
      try limits.count(bytes, into: &byteCount)
      guard phase != .over else { return }
      guard windows == nil else { return try readInWindows(bytes) }
      try pendingInput.feed(bytes) { (input) throws(ImageError) in try read(input) }
    }
  }

  func finish() throws(ImageError) {
    try keepingFailure { () throws(ImageError) in
      // Reads bytes that were held back, so that their errors are the same as in larger pieces.
      if phase != .over { try readRest() }
      if phase == .header { throw .truncated("JPEG") }
      if phase != .over {
        codec_jpeg_decoder_end_input(reader)
        do throws(ImageError) {
          try readRest()
        } catch {
          // An error that libjpeg finds after the end of the data only means that the end is missing.
          throw error.code == .corrupt ? .truncated("JPEG") : error
        }
      }
      if codec_jpeg_decoder_is_truncated(reader) || !isComplete { throw .truncated("JPEG") }
      if let error = damage.firstError { throw error }
    }
  }

  var damage: [ImageDamage] {
    var damage = metadataDamage
    var index = 0
    while let text = codec_jpeg_decoder_warning(reader, index).text {
      let isHarmless = codec_jpeg_decoder_warning(reader, index).is_harmless
      let error = ImageError.codec(.corrupt, format: "JPEG", message: String(cString: text))
      damage.append(ImageDamage(isHarmless ? .other : .pixels, error.description))
      index += 1
    }
    return damage
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool {
    if let failure { throw failure }
    guard phase == .scans, let header, codec_jpeg_decoder_complete_scans(reader) > 0 else { return false }
    _ = try consumer.begin(header)
    try consumer.prepare(for: layout)
    try check(codec_jpeg_decoder_start_output(reader))
    // libjpeg continues to read only after the output was finished, even if it failed.
    do {
      var count = 0
      while count < layout.size.height {
        count += try readRows { (row) throws(ImageError) in try consumer.take(row) }
      }
    } catch {
      try check(codec_jpeg_decoder_finish_output(reader))
      throw error
    }
    try check(codec_jpeg_decoder_finish_output(reader))
    return true
  }

  private func keepingFailure(_ body: () throws(ImageError) -> Void) throws(ImageError) {
    if let failure { throw failure }
    do {
      try body()
    } catch {
      failure = error
      if error.isDamage { try deliverScansBeforeDamage() }
      throw error
    }
  }

  /// Delivers all rows with the scans that are complete, after damage that ends the decoding of the scans.
  private func deliverScansBeforeDamage() throws(ImageError) {
    guard phase == .scans, codec_jpeg_decoder_start_last_output(reader) == .done else { return }
    phase = .over
    pendingInput.clear()
    windows = nil
    var count = 0
    do {
      while count < layout.size.height {
        let rows = try readRows { (row) throws(ImageError) in try consumer.take(row) }
        if rows == 0 { return }
        count += rows
      }
    } catch {
      // The damage that ended the scans comes first.
      if !error.isDamage { throw error }
    }
  }

  /// Reads as much of the input as possible, and returns the number of bytes consumed.
  private func read(_ input: UnsafeRawBufferPointer) throws(ImageError) -> Int {
    let count = windows == nil ? try readOnce(input) : 0
    guard windows != nil else { return count }
    try readInWindows(UnsafeRawBufferPointer(rebasing: input[count...]))
    return input.count
  }

  /// Reads the bytes that the reader has not consumed.
  private func readRest() throws(ImageError) {
    guard windows != nil else {
      _ = try read(pendingInput.bytes)
      return
    }
    try readWindow()
  }

  /// Reads the pixels in pieces that always end at the same positions of the file.
  private func readInWindows(_ input: UnsafeRawBufferPointer) throws(ImageError) {
    var rest = input[...]
    while !rest.isEmpty, phase != .over, let count = windows?.add(&rest) {
      guard count == 0 else { continue }
      try readWindow()
    }
  }

  private func readWindow() throws(ImageError) {
    guard let held = windows?.held else { return }
    let count = try held.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      try readOnce(UnsafeRawBufferPointer(bytes))
    }
    windows?.drop(count)
  }

  private func readOnce(_ input: UnsafeRawBufferPointer) throws(ImageError) -> Int {
    codec_jpeg_decoder_attach_input(reader, input.bytes, input.count)
    // The pointer must not outlive the call, even if there is an error.
    var left = 0
    do {
      try advance()
      left = codec_jpeg_decoder_detach_input(reader)
    } catch {
      _ = codec_jpeg_decoder_detach_input(reader)
      throw error
    }
    return phase == .over ? input.count : input.count - min(left, input.count)
  }

  private func advance() throws(ImageError) {
    if phase == .header {
      var found = codec_jpeg_header()
      guard try check(codec_jpeg_decoder_read_header(reader, &found)) else { return }
      try begin(found)
      if windows != nil { return }
    }
    if phase == .scans {
      guard try check(codec_jpeg_decoder_read_scans(reader)) else { return }
      try check(codec_jpeg_decoder_start_output(reader))
      phase = .rows
    }
    while phase == .rows {
      let count = try readRows { (row) throws(ImageError) in
        // In a truncated image, libjpeg invents the rows after the last real one.
        guard delivered < Int(codec_jpeg_decoder_real_rows(reader)) else { return }
        try consumer.take(row)
        delivered += 1
      }
      if count == 0 { return }
      if codec_jpeg_decoder_rows_left(reader) == 0 {
        phase = .over
        isComplete = delivered == layout.size.height
        pendingInput.clear()
      }
    }
  }

  /// Delivers the rows that are available now, at most as many as the buffer holds.
  private func readRows(_ take: (UnsafeRawBufferPointer) throws(ImageError) -> Void) throws(ImageError) -> Int
  {
    guard let rows else { return 0 }
    var count = 0
    let samples = rows.base.assumingMemoryBound(to: UInt8.self)
    let result = codec_jpeg_decoder_read_rows(reader, samples, rows.bytesPerRow, rows.rows, &count)
    for row in 0..<count { try take(rows[row]) }
    try check(result)
    return count
  }

  private func begin(_ found: codec_jpeg_header) throws(ImageError) {
    let size = PixelSize(width: Int(found.width), height: Int(found.height))
    try limits.check(size)
    if found.is_buffered { try limits.checkMemory(found.coefficient_bytes) }
    let header = ImageHeader(
      format: .jpeg, size: size, orientation: orientation, isProgressive: found.is_buffered, profile: profile)
    self.header = header
    let wanted = try consumer.begin(header)
    let (eighths, width, height) = try start(size, wanted: wanted)
    let format: RowFormat =
      switch found.colors {
      case .grey: .grey8
      case .cmyk: .cmyk8
      default: .rgb8
      }
    layout = RowLayout(
      size: PixelSize(width: Int(width), height: Int(height)), format: format,
      eighths: eighths == 8 ? nil : PixelSize(width: size.width * eighths, height: size.height * eighths))
    rows = try RowBuffer(rows: 16, bytesPerRow: layout.bytesPerRow)
    try consumer.prepare(for: layout)
    phase = found.is_buffered ? .scans : .rows
    if codec_jpeg_decoder_depends_on_pieces(reader) { windows = InputWindows() }
  }

  /// Starts to decode at a scale with fast code that is at least as large as the wanted size.
  ///
  /// The scale depends only on the sizes and on the kind of the image. libjpeg averages encoded values instead of light,
  /// which is visible below a half. The project's own decoder corrects this at a quarter, so images that it reads are
  /// decoded at a quarter or a half, others at a half. docs/resampling.md has the measurements.
  private func start(
    _ size: PixelSize, wanted: PixelSize
  ) throws(ImageError) -> (eighths: Int, width: UInt32, height: UInt32) {
    var width: UInt32 = 0
    var height: UInt32 = 0
    // Each pixel at a quarter is a plain mean, which is a little soft. That is visible with less than this.
    let ample = PixelSize(width: wanted.width / 4 * 5, height: wanted.height / 4 * 5)
    if size.scaled(eighths: 2).covers(ample), size.scaled(eighths: 2).covers(wanted),
      codec_jpeg_decoder_start_keeping_light(reader, &width, &height) == .done
    {
      return (2, width, height)
    }
    let eighths = size.scaled(eighths: 4).covers(wanted) ? 4 : 8
    try check(codec_jpeg_decoder_start(reader, UInt32(eighths), &width, &height))
    return (eighths, width, height)
  }

  /// Returns true if the call completed, false if it needs more input.
  @discardableResult
  private func check(_ result: codec_result) throws(ImageError) -> Bool {
    switch result {
    case .done: return true
    case .needs_input: return false
    default:
      throw .codec(result, format: "JPEG", message: String(cString: codec_jpeg_decoder_message(reader)))
    }
  }

  /// Reports EXIF data that is not a TIFF file. It is ignored.
  private var metadataDamage: [ImageDamage] {
    for segment in segments(application: 1) where segment.starts(with: Array("Exif\0\0".utf8)) {
      let tiff = segment.dropFirst(6).prefix(4)
      if tiff.elementsEqual([0x49, 0x49, 42, 0]) || tiff.elementsEqual([0x4D, 0x4D, 0, 42]) { return [] }
      return [ImageDamage(.other, "The EXIF data of the JPEG image is not valid and was ignored.")]
    }
    return []
  }

  private var orientation: ImageOrientation {
    for segment in segments(application: 1) where segment.starts(with: Array("Exif\0\0".utf8)) {
      return EXIFOrientation.read(segment) ?? .up
    }
    return .up
  }

  private var profile: Data? { ICCSegments.join(segments(application: 2)) }

  private func segments(application: Int32) -> [UnsafeRawBufferPointer] {
    var segments: [UnsafeRawBufferPointer] = []
    while true {
      let segment = codec_jpeg_decoder_segment(reader, application, segments.count)
      guard let bytes = segment.bytes else { return segments }
      segments.append(UnsafeRawBufferPointer(start: bytes, count: segment.count))
    }
  }
}

extension PixelSize {
  /// The size at which a JPEG is decoded.
  fileprivate func scaled(eighths: Int) -> PixelSize {
    PixelSize(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
  }

  fileprivate func covers(_ other: PixelSize) -> Bool { width >= other.width && height >= other.height }
}
