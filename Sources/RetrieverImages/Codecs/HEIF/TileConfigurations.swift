/// The way in which an item is coded, and what its decoder needs before the data.
enum TileCoding {
  case hevc(HEVCConfiguration)
  case av1(AV1Configuration)

  /// Returns the coding that a property describes; nil for other properties.
  static func read(_ property: BoxReader.Box) -> Result<TileCoding, ImageError>? {
    var content = property.content
    do throws(ImageError) {
      switch property.type {
      case "hvcC": return .success(.hevc(try HEVCConfiguration(&content)))
      case "av1C": return .success(.av1(try AV1Configuration(&content)))
      default: return nil
      }
    } catch {
      return .failure(error)
    }
  }

  /// The bits of a sample.
  var depth: Int {
    switch self {
    case .hevc(let configuration): configuration.depth
    case .av1(let configuration): configuration.depth
    }
  }

  var isMonochrome: Bool {
    switch self {
    case .hevc(let configuration): configuration.chroma == 0
    case .av1(let configuration): configuration.isMonochrome
    }
  }

  /// The bytes of a decoded pixel, if chroma has the full resolution.
  var maximumBytesPerPixel: Int { (isMonochrome ? 1 : 3) * (depth > 8 ? 2 : 1) }
}

/// The `hvcC` box (ISO/IEC 14496-15): the parameter sets of HEVC.
struct HEVCConfiguration {
  let chroma: Int
  let depth: Int
  /// The number of bytes of the length before each NAL unit.
  let lengthSize: Int
  /// The VPS, SPS and PPS.
  let parameterSets: [ArraySlice<UInt8>]

  init(_ reader: inout BoxReader) throws(ImageError) {
    guard try reader.byte() == 1 else {
      throw ImageError(.unsupported, "The image uses an unsupported version of the HEVC configuration.")
    }
    _ = try reader.take(15)
    chroma = Int(try reader.byte()) & 3
    depth = Int(try reader.byte()) & 7 + 8
    guard Int(try reader.byte()) & 7 + 8 == depth else {
      throw ImageError(.unsupported, "The image has different depths of luma and chroma.")
    }
    _ = try reader.short()
    lengthSize = Int(try reader.byte()) & 3 + 1
    // Each tile's decoder reads all of them. Real files have about 100 bytes.
    guard reader.rest.count <= 1 << 16 else {
      throw ImageError(.tooLarge, "The parameter sets of the image are too large.")
    }
    var units: [ArraySlice<UInt8>] = []
    for _ in 0..<(try reader.byte()) {
      _ = try reader.byte()
      for _ in 0..<(try reader.short()) { units.append(try reader.take(try reader.short())) }
    }
    parameterSets = units
  }

  /// Throws if a unit is a sequence parameter set whose picture is larger than the tile, since libde265 allocates the
  /// memory that it declares.
  static func check(_ unit: ArraySlice<UInt8>, for tile: PixelSize) throws(ImageError) {
    let head = Array(unit.prefix(2))
    // libde265 skips the units of other layers.
    guard head.count == 2, head[0] >> 1 & 0x3F == 33, head[0] & 1 == 0, head[1] >> 3 == 0 else { return }
    var reader = HEVCBitReader(unit.dropFirst(2))
    guard let size = reader.sequenceSize() else {
      throw ImageError(.corrupt, "The HEIC image is damaged: the size of a tile is missing.")
    }
    // The coded size is rounded up to the next multiple of the smallest block.
    guard size.width <= tile.width + 64, size.height <= tile.height + 64 else {
      throw ImageError(.corrupt, "The HEIC image is damaged: its sizes are inconsistent.")
    }
  }
}

/// The NAL units of a tile's data, each after its length. Empty ones are skipped.
struct HEVCUnits {
  /// The maximum number of units of a tile, with empty ones. libde265 keeps all of them until it decodes the tile, and a
  /// unit takes much more memory there than its bytes. The levels of HEVC allow 600 slice segments in a picture.
  static let maximumCount = 10_000

  private var reader: BoxReader
  private let lengthSize: Int
  private var count = 0

  /// - Parameter lengthSize: The number of bytes of each length.
  init(_ data: [UInt8], lengthSize: Int) {
    reader = BoxReader(data[...])
    self.lengthSize = lengthSize
  }

  /// Reads the next unit; nil at the end.
  mutating func next() throws(ImageError) -> ArraySlice<UInt8>? {
    while !reader.isAtEnd {
      guard count < Self.maximumCount else {
        throw ImageError(
          .tooLarge, "A tile of the HEIC image has more units than the maximum of \(Self.maximumCount).")
      }
      count += 1
      let length = try reader.number(bytes: lengthSize)
      let unit = try reader.take(Int(clamping: length))
      if !unit.isEmpty { return unit }
    }
    return nil
  }
}

/// Reads the bits of a sequence parameter set (ITU-T H.265, 7.3.2.2) up to the size.
private struct HEVCBitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ unit: ArraySlice<UInt8>) {
    // An emulation prevention byte follows two zero bytes.
    var bytes: [UInt8] = []
    var zeros = 0
    for byte in unit.prefix(4_096) {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    self.bytes = bytes
  }

  private mutating func bits(_ count: Int) -> UInt32? {
    guard count <= bytes.count * 8 - position else { return nil }
    var value: UInt32 = 0
    for _ in 0..<count {
      value = value << 1 | UInt32(bytes[position >> 3] >> (7 - UInt8(position & 7)) & 1)
      position += 1
    }
    return value
  }

  /// Reads an Exp-Golomb code of at most 31 bits.
  private mutating func code() -> UInt32? {
    var zeros = 0
    while let bit = bits(1) {
      if bit == 1 { return bits(zeros).map { (1 << UInt32(zeros)) - 1 + $0 } }
      zeros += 1
      guard zeros < 31 else { return nil }
    }
    return nil
  }

  mutating func sequenceSize() -> PixelSize? {
    guard let start = bits(8) else { return nil }
    let subLayers = Int(start >> 1 & 7)
    // profile_tier_level: 88 bits for the profile and 8 for the level, and the same for each sub-layer that has them.
    guard skip(96) else { return nil }
    var isPresent: [(profile: Bool, level: Bool)] = []
    for _ in 0..<subLayers {
      guard let flags = bits(2) else { return nil }
      isPresent.append((flags & 2 != 0, flags & 1 != 0))
    }
    if subLayers > 0, !skip(2 * (8 - subLayers)) { return nil }
    for (profile, level) in isPresent {
      guard skip((profile ? 88 : 0) + (level ? 8 : 0)) else { return nil }
    }
    guard code() != nil, let chroma = code() else { return nil }
    if chroma == 3, bits(1) == nil { return nil }
    guard let width = code(), let height = code() else { return nil }
    return PixelSize(width: Int(width), height: Int(height))
  }

  private mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.count * 8 - position else { return false }
    position += count
    return true
  }
}

/// The `av1C` box (AV1 Codec ISO Media File Format Binding). The data of each tile repeats what the decoder needs.
struct AV1Configuration {
  let depth: Int
  let isMonochrome: Bool

  init(_ reader: inout BoxReader) throws(ImageError) {
    guard try reader.byte() == 0x81 else {
      throw ImageError(.unsupported, "The image uses an unsupported version of the AV1 configuration.")
    }
    _ = try reader.byte()
    let flags = try reader.byte()
    depth = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
    isMonochrome = flags & 0x10 != 0
  }
}
