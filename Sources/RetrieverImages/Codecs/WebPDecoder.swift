import CImageCodecs
import Foundation

/// Reads a WebP with libwebp, lossy or lossless; of an animation, the first frame.
///
/// The orientation comes after the pixels in the file. If a file declares EXIF data, the decoder delivers its rows
/// only after that data. The orientation of an animation is ignored, as ``WebPFrameReader`` does.
final class WebPDecoder: ImageDecoder {
  private enum Chunk: Equatable {
    case none, ignored, features, profile, exif, frame, alpha, pixels(isLossless: Bool)
  }

  private(set) var header: ImageHeader?
  private(set) var isComplete = false

  private let consumer: any RowConsumer
  private let limits: ImageLimits
  private let readsHeaderOnly: Bool
  private var parser = RIFFChunkParser()
  private var order = WebPChunkOrder()
  private var byteCount = 0
  private var failure: ImageError?

  private var chunk = Chunk.none
  private var head: [UInt8] = []
  /// The bytes of the current chunk so far.
  private var collected: [UInt8] = []
  private var canvas: PixelSize?
  private var waitsForEXIF = false
  private var profile: Data?
  private var orientation: ImageOrientation?
  private var frame: FrameRectangle?
  private var hasAlpha = false
  private var pixels: WebPPixels?
  private var rows: FrameRows?
  private var delivered = 0
  private var hasSeenPixelHead = false

  init(consumer: any RowConsumer, limits: ImageLimits, readsHeaderOnly: Bool = false) {
    self.consumer = consumer
    self.limits = limits
    self.readsHeaderOnly = readsHeaderOnly
  }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    try keepingFailure { () throws(ImageError) in
      try limits.count(bytes, into: &byteCount)
      var rest = bytes
      while let event = parser.next(&rest) {
        switch event {
        case .chunk(let name, let head, let isInFrame): try start(name, head: head, isInFrame: isInFrame)
        case .payload(let piece): try take(piece)
        case .end: try endChunk()
        case .endOfFrame:
          if order.frameCount == 1, !(pixels?.hasEnded ?? false) {
            throw WebPFile.damaged("its first frame has no pixels")
          }
        }
      }
    }
  }

  func finish() throws(ImageError) {
    try keepingFailure { () throws(ImageError) in
      try pixels?.flush()
      waitsForEXIF = false
      try deliver()
      guard isComplete else { throw .truncated("WebP") }
    }
  }

  /// Remembers the error that ends the decoding. If the data is damaged, the rows that were decoded before are delivered
  /// first.
  private func keepingFailure(_ body: () throws(ImageError) -> Void) throws(ImageError) {
    if let failure { throw failure }
    do {
      try body()
    } catch {
      failure = error
      if error.isDamage {
        waitsForEXIF = false
        do throws(ImageError) {
          try deliver()
        } catch  where error.isDamage {
          // The first damage is the one that is reported.
        }
      }
      throw error
    }
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool { false }

  // MARK: - Chunks

  private func start(_ name: String, head: [UInt8], isInFrame: Bool) throws(ImageError) {
    self.head = head
    collected = []
    chunk = .ignored
    // Of an animation, the first frame is wanted.
    guard order.uses(name, isInFrame: isInFrame), !isInFrame || order.frameCount == 1 else { return }
    switch name {
    case "VP8X": chunk = .features
    case "ICCP": chunk = .profile
    case "EXIF": chunk = .exif
    case "ANMF":
      try limits.checkFrames(order.frameCount)
      header?.frameCount = order.frameCount
      if order.frameCount == 1 { chunk = .frame }
    case "ALPH":
      chunk = .alpha
      try startAlpha()
    case "VP8 ", "VP8L": chunk = .pixels(isLossless: name == "VP8L")
    default: break
    }
  }

  private func take(_ piece: UnsafeRawBufferPointer) throws(ImageError) {
    switch chunk {
    case .none, .ignored: return
    case .alpha: try pixels?.feed(piece)
    case .pixels(let isLossless):
      var rest = piece
      if !hasSeenPixelHead {
        // Lossless pixels may be as short as their head.
        let headSize = isLossless ? 5 : 10
        let missing = min(headSize - collected.count, piece.count)
        collected.append(contentsOf: piece.prefix(missing))
        rest = UnsafeRawBufferPointer(rebasing: piece.dropFirst(missing))
        guard collected.count == headSize else { return }
        try startPixels(isLossless: isLossless)
      }
      try pixels?.feed(rest)
      try deliver()
    default: collected.append(contentsOf: piece)
    }
  }

  private func endChunk() throws(ImageError) {
    let ended = chunk
    chunk = .none
    switch ended {
    case .features: try readFeatures()
    case .profile: profile = Data(collected)
    case .exif:
      orientation = EXIFOrientation.read(collected) ?? .up
      waitsForEXIF = false
      try deliver()
    case .frame: try readFrame()
    // A chunk of odd size is padded, and libwebp needs the padding too.
    case .alpha:
      if head[4] & 1 == 1 { try pixels?.pad() }
    case .pixels:
      guard hasSeenPixelHead else { throw WebPFile.damaged("its pixel data is missing") }
      if head[4] & 1 == 1 { try pixels?.pad() }
      try pixels?.flush()
      pixels?.hasEnded = true
      try deliver()
    case .none, .ignored: break
    }
    collected = []
  }

  private func readFeatures() throws(ImageError) {
    guard collected.count >= 10 else { throw WebPFile.damaged("its VP8X chunk is too short") }
    order.readFlags(collected[0])
    let size = PixelSize(width: triple(4) + 1, height: triple(7) + 1)
    try limits.check(size)
    canvas = size
    waitsForEXIF = order.declaresEXIF && !order.isAnimated
  }

  private func readFrame() throws(ImageError) {
    guard collected.count == RIFFChunkParser.frameHeadSize, let canvas else {
      throw WebPFile.damaged("a frame header is missing or too short")
    }
    let found = FrameRectangle(
      left: triple(0) * 2, top: triple(3) * 2, size: PixelSize(width: triple(6) + 1, height: triple(9) + 1))
    guard found.left + found.size.width <= canvas.width, found.top + found.size.height <= canvas.height else {
      throw WebPFile.damaged("its first frame extends beyond the canvas")
    }
    frame = found
  }

  // MARK: - Pixels

  /// Starts the alpha chunk, which comes before the pixels, and only in files that declare their size before that.
  private func startAlpha() throws(ImageError) {
    guard let size = frame?.size ?? canvas else { return }
    try beginFrame(of: size, hasAlpha: true, isLossless: false)
    try feedHead()
  }

  private func startPixels(isLossless: Bool) throws(ImageError) {
    let (size, isTransparent) = try sizeInPixels(isLossless: isLossless)
    try beginFrame(of: size, hasAlpha: isTransparent, isLossless: isLossless)
    try feedHead()
    try collected.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      try pixels?.feed(UnsafeRawBufferPointer(bytes))
    }
    hasSeenPixelHead = true
  }

  private func feedHead() throws(ImageError) {
    try head.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      try pixels?.feed(UnsafeRawBufferPointer(bytes))
    }
  }

  private func sizeInPixels(isLossless: Bool) throws(ImageError) -> (PixelSize, isTransparent: Bool) {
    if isLossless {
      guard collected[0] == 0x2F else { throw WebPFile.damaged("its pixel data has no valid signature") }
      let bits = triple(1) | Int(collected[4]) << 24
      let size = PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
      return (size, bits >> 28 & 1 == 1)
    }
    guard collected[3] == 0x9D, collected[4] == 0x01, collected[5] == 0x2A else {
      throw WebPFile.damaged("its pixel data has no valid signature")
    }
    let width = Int(collected[6]) | Int(collected[7]) << 8
    let height = Int(collected[8]) | Int(collected[9]) << 8
    return (PixelSize(width: width & 0x3FFF, height: height & 0x3FFF), false)
  }

  private func beginFrame(of size: PixelSize, hasAlpha: Bool, isLossless: Bool) throws(ImageError) {
    let place = frame ?? FrameRectangle(left: 0, top: 0, size: canvas ?? size)
    guard place.size == size else { throw WebPFile.damaged("its sizes are inconsistent") }
    guard pixels == nil else { return }
    try limits.check(canvas ?? size)
    try limits.check(size)
    frame = place
    self.hasAlpha = hasAlpha || (canvas ?? size) != size
    // The lossless decoder needs a copy of all pixels in addition to the output.
    let perPixel = (self.hasAlpha ? 4 : 3) + (isLossless ? 4 : hasAlpha ? 1 : 0)
    try limits.checkMemory(of: size, bytesPerPixel: perPixel)
    var isReduced = false
    if !waitsForEXIF { isReduced = try begin() }
    pixels = try WebPPixels(
      hasAlpha: self.hasAlpha, isLossless: isLossless, isReduced: isReduced, isSkipped: readsHeaderOnly)
  }

  /// Returns true if the consumer needs much smaller rows only.
  private func begin() throws(ImageError) -> Bool {
    guard let frame else { return false }
    let size = canvas ?? frame.size
    let header = ImageHeader(
      format: .webp, size: size, orientation: orientation ?? .up, hasAlpha: hasAlpha, profile: profile,
      frameCount: max(order.frameCount, 1))
    self.header = header
    let wanted = try consumer.begin(header)
    try consumer.prepare(for: RowLayout(size: size, format: hasAlpha ? .rgba8 : .rgb8))
    rows = FrameRows(frame: frame, canvas: size, hasAlpha: hasAlpha, consumer: consumer)
    return wanted.width <= size.width / 2 && wanted.height <= size.height / 2
  }

  private func deliver() throws(ImageError) {
    guard let pixels, hasSeenPixelHead, !waitsForEXIF, !isComplete else { return }
    if rows == nil { _ = try begin() }
    guard let rows else { return }
    let area = pixels.area
    while delivered < min(area.rows, rows.frame.size.height) {
      guard let row = area.row(delivered, count: rows.bytesPerFrameRow) else { return }
      delivered += 1
      try rows.take(row)
    }
    if delivered == rows.frame.size.height {
      try rows.finish()
      isComplete = true
    } else if pixels.hasEnded {
      throw .truncated("WebP")
    }
  }

  private func triple(_ index: Int) -> Int {
    Int(collected[index]) | Int(collected[index + 1]) << 8 | Int(collected[index + 2]) << 16
  }
}
