import CImageCodecs
import Foundation

/// Reads a PNG with libpng's progressive reader.
///
/// Palettes and samples of less than 8 bits are expanded, transparency becomes alpha, and 16-bit samples stay 16-bit.
/// For an animation, the decoder reads the default image, which is the first frame or a replacement for it.
///
/// A cICP chunk takes precedence over all others that describe colors. Some files describe their colors only with a gAMA
/// chunk, and possibly a cHRM chunk. If these or a cICP chunk describe something other than sRGB, the header gets a
/// profile that is made from them.
final class PNGDecoder: ImageDecoder {
  private(set) var header: ImageHeader?
  private(set) var isComplete = false

  private let reader: OpaquePointer
  private let consumer: any RowConsumer
  private let limits: ImageLimits
  private var layout = RowLayout(size: PixelSize(width: 0, height: 0), format: .rgb8)
  private var byteCount = 0
  /// True after the rows of an interlaced image were delivered.
  private var isDelivered = false
  private var failure: ImageError?
  private var chunks = PNGChunkParser()
  /// True if the file states an orientation before its pixels. One that follows them changes only the header, which is
  /// final at the end of the file.
  private var isOrientationKnown = false

  init(consumer: any RowConsumer, limits: ImageLimits) throws(ImageError) {
    guard let reader = codec_png_decoder_make() else {
      throw .codec(.out_of_memory, format: "PNG", message: "")
    }
    self.reader = reader
    self.consumer = consumer
    self.limits = limits
  }

  deinit { codec_png_decoder_free(reader) }

  var damage: [ImageDamage] {
    var damage: [ImageDamage] = []
    while let text = codec_png_decoder_warning(reader, damage.count).text {
      let isHarmless = codec_png_decoder_warning(reader, damage.count).is_harmless
      damage.append(
        ImageDamage(
          isHarmless ? .other : .pixels, "The PNG image is damaged: \(String(cString: text))."))
    }
    return damage
  }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    do throws(ImageError) {
      try decode(bytes)
    } catch {
      // What follows the damage does not count, because it may be in the same piece or not.
      header?.orientation = chunks.orientationBeforePixels.value ?? .up
      throw error
    }
    if !isOrientationKnown { header?.orientation = chunks.orientation.value ?? .up }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    try keepingFailure { () throws(ImageError) in
      try limits.count(bytes, into: &byteCount)
      chunks.parse(bytes)
      try read { codec_png_decoder_feed(reader, bytes.bytes, bytes.count, $0) }
      if codec_png_decoder_has_all_rows(reader) { try completePixels() }
      isComplete = codec_png_decoder_has_all_rows(reader)
    }
  }

  func finish() throws(ImageError) {
    try keepingFailure { () throws(ImageError) in
      if !isComplete {
        try read { codec_png_decoder_finish(reader, $0) }
        try completePixels()
        isComplete = codec_png_decoder_has_all_rows(reader)
        guard isComplete else { throw .truncated("PNG") }
      }
      if let error = damage.firstError { throw error }
    }
  }

  /// Remembers the error that ends the decoding. If the data is damaged, the rows of an interlaced image that were
  /// decoded before are delivered first.
  private func keepingFailure(_ body: () throws(ImageError) -> Void) throws(ImageError) {
    if let failure { throw failure }
    do {
      try body()
    } catch {
      failure = error
      if error.isDamage {
        isComplete = codec_png_decoder_has_all_rows(reader)
        try completePixels()
      }
      throw error
    }
  }

  /// Delivers the rows of an interlaced image, once.
  private func completePixels() throws(ImageError) {
    guard header?.isProgressive == true, !isDelivered else { return }
    isDelivered = true
    try takePixels(for: consumer)
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool {
    if let failure { throw failure }
    var rows: UInt32 = 0
    guard let header, !isComplete, codec_png_decoder_pixels(reader, &rows) != nil,
      Int(rows) == layout.size.height
    else { return false }
    _ = try consumer.begin(header)
    try consumer.prepare(for: layout)
    try takePixels(for: consumer)
    return true
  }

  /// Delivers the rows of an interlaced image as decoded so far.
  private func takePixels(for consumer: any RowConsumer) throws(ImageError) {
    var rows: UInt32 = 0
    guard let pixels = codec_png_decoder_pixels(reader, &rows) else { return }
    for row in 0..<Int(rows) {
      let start = pixels + row * layout.bytesPerRow
      try consumer.take(UnsafeRawBufferPointer(start: start, count: layout.bytesPerRow))
    }
  }

  private func read(_ call: (codec_png_callbacks) -> codec_result) throws(ImageError) {
    // The decoder outlives the call, so the context needs no reference of its own. The callbacks return before libpng
    // jumps anywhere: they store an error and return false.
    var thrown: ImageError?
    let result = withUnsafeMutablePointer(to: &thrown) { thrown in
      var visit = Visit(decoder: self, thrown: thrown)
      return withUnsafeMutablePointer(to: &visit) { visit in
        call(Self.callbacks(for: visit))
      }
    }
    switch result {
    case .done, .needs_input: return
    case .stopped where thrown != nil: if let thrown { throw thrown }
    default:
      throw .codec(result, format: "PNG", message: String(cString: codec_png_decoder_message(reader)))
    }
  }

  /// The context of the callbacks for one call to libpng.
  private struct Visit {
    let decoder: PNGDecoder
    let thrown: UnsafeMutablePointer<ImageError?>

    func run(_ body: (PNGDecoder) throws(ImageError) -> Void) -> Bool {
      do throws(ImageError) {
        try body(decoder)
        return true
      } catch {
        thrown.pointee = error
        return false
      }
    }
  }

  private static func callbacks(for visit: UnsafeMutablePointer<Visit>) -> codec_png_callbacks {
    codec_png_callbacks(
      context: visit,
      begin: { context, header in
        let found = header.pointee
        return context.assumingMemoryBound(to: Visit.self).pointee.run { (decoder) throws(ImageError) in
          try decoder.begin(found)
        }
      },
      take: { context, row, count in
        context.assumingMemoryBound(to: Visit.self).pointee.run { (decoder) throws(ImageError) in
          try decoder.consumer.take(UnsafeRawBufferPointer(start: row, count: count))
        }
      })
  }

  private func begin(_ found: codec_png_header) throws(ImageError) {
    let size = PixelSize(width: Int(found.width), height: Int(found.height))
    try limits.check(size)
    let format = Self.format(of: found)
    layout = RowLayout(size: size, format: format, isGrey: found.is_grey && format.channels > 1)
    if found.is_interlaced {
      try limits.checkMemory(of: size, bytesPerPixel: layout.format.bytesPerPixel)
    }
    let header = ImageHeader(
      format: .png, size: size, orientation: chunks.orientationBeforePixels.value ?? .up,
      hasAlpha: layout.format.hasAlpha, isProgressive: found.is_interlaced,
      profile: chunks.colors.map { $0.profile(of: Self.profileColors(of: found)) } ?? Self.profile(of: found))
    self.header = header
    isOrientationKnown = header.orientation != .up
    _ = try consumer.begin(header)
    try consumer.prepare(for: layout)
  }

  private static func format(of found: codec_png_header) -> RowFormat {
    let isDeep = found.bytes_per_sample == 2
    return switch found.colors {
    case .grey: isDeep ? .grey16 : .grey8
    case .rgba: isDeep ? .rgba16 : .rgba8
    default: isDeep ? .rgb16 : .rgb8
    }
  }

  private static func profile(of found: codec_png_header) -> Data? {
    if let profile = found.profile { return Data(bytes: profile, count: found.profile_count) }
    // gAMA is the exponent that encoded the samples; sRGB's curve is close to 1/2.2.
    guard found.gamma > 0.05, found.gamma < 20 else { return nil }
    let isUsual = abs(found.gamma * 2.2 - 1) < 0.05
    var chromaticities = found.chromaticities
    return withUnsafeBytes(of: &chromaticities) { bytes in
      let values = bytes.bindMemory(to: Double.self)
      let usual = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
      let areUsual =
        !found.has_chromaticities || found.is_grey
        || zip(values, usual).allSatisfy { abs($0 - $1) < 0.005 }
      if isUsual, areUsual { return nil }
      return ColorProfile.data(
        exponent: 1 / found.gamma, chromaticities: areUsual ? nil : values.baseAddress,
        of: profileColors(of: found))
    }
  }

  /// The colors that a profile describes: those of an image in gray with alpha are gray.
  private static func profileColors(of found: codec_png_header) -> codec_colors {
    found.is_grey ? .grey : found.colors
  }
}
