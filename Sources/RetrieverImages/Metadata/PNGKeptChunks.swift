import CImageCodecs
import Foundation

/// Decides which chunks of a PNG a copy without metadata keeps: those that decoders need for pixels, colors and animation, in
/// their places and with lengths that they can have. Decoders skip what is longer, so that it could be anything.
struct PNGKeptChunks {
  /// What becomes of a chunk.
  enum Decision: Equatable {
    case leaveOut, copy
    /// The chunk has this data instead.
    case replace([UInt8])
  }

  /// The chunks before the pixels, of which the first one counts, and the lengths that they can have.
  private static let described: [String: ClosedRange<Int>] = [
    "IHDR": 13...13, "cHRM": 32...32, "gAMA": 4...4, "sBIT": 1...4,
    "sRGB": 1...1, "cICP": 4...4, "mDCV": 24...24, "mDCv": 24...24, "cLLI": 8...8, "cLLi": 8...8,
    "bKGD": 1...6, "pHYs": 9...9, "sTER": 1...1, "acTL": 8...8,
  ]

  /// libpng ignores a profile in a shorter chunk, and does not look at its data.
  private static let profileSizes = 92...RecordBudget.maximumBytes
  /// What describes colors. libpng ignores it after a palette, also in an image without one.
  private static let colors: Set<String> = ["iCCP", "cHRM", "gAMA", "sRGB"]

  private var kept: Set<String> = []
  private var colorType: UInt8 = 0
  private var hasPalette = false
  /// The lengths of a palette, and of the opacity of colors, which an image of this color type can have.
  private var (paletteSizes, opacitySizes) = (0...0, 0...0)
  private(set) var hasPixels = false

  /// Takes the next chunk, and decides what becomes of it.
  ///
  /// - Throws: An error if no decoder can show the image without knowing the chunk.
  mutating func decide(on chunk: PNGChunks.Chunk, in source: any ByteSource) throws(ImageError) -> Decision {
    switch chunk.name {
    case "IDAT":
      hasPixels = true
      return .copy
    case "IEND": return .copy
    // The frames of an animation.
    case "fcTL": return kept.contains("acTL") && chunk.data.count == 26 ? .copy : .leaveOut
    case "fdAT": return kept.contains("acTL") && chunk.data.count >= 4 ? .copy : .leaveOut
    default: break
    }
    guard let lengths = lengths(of: chunk.name) else {
      guard !chunk.isCritical else {
        throw ImageError(.unsupported, "The image uses an unsupported feature: the chunk \(chunk.name).")
      }
      return .leaveOut
    }
    defer { if chunk.name == "PLTE" { hasPalette = true } }
    guard !hasPixels, lengths.contains(chunk.data.count), !hasPalette || !Self.colors.contains(chunk.name)
    else { return .leaveOut }
    if chunk.name == "iCCP" { return decide(onProfile: try source.bytes(chunk.data)) }
    guard kept.insert(chunk.name).inserted else { return .leaveOut }
    switch chunk.name {
    case "IHDR": readHeader(try source.bytes(chunk.data))
    case "PLTE": if colorType == 3 { opacitySizes = 1...max(chunk.data.count / 3, 1) }
    default: break
    }
    return .copy
  }

  private func lengths(of name: String) -> ClosedRange<Int>? {
    switch name {
    case "PLTE": paletteSizes
    case "tRNS": opacitySizes
    case "iCCP": Self.profileSizes
    default: Self.described[name]
    }
  }

  private mutating func readHeader(_ header: [UInt8]) {
    colorType = header[9]
    switch colorType {
    case 0: opacitySizes = 2...2
    case 2: opacitySizes = 6...6
    case 3: paletteSizes = 3...(3 << min(Int(header[8]), 8))
    default: break
    }
  }

  /// The bytes of profiles that may still be inflated.
  private var budget = RecordBudget()

  /// Decides on an iCCP chunk: the name of the profile, a zero, the compression method and the compressed profile.
  ///
  /// The chunks that libpng uses stay in their order: of several profiles, the last one counts. After an invalid profile, it
  /// ignores all colors, so that another invalid one takes its place.
  private mutating func decide(onProfile data: [UInt8]) -> Decision {
    let invalid = Decision.replace([UInt8](repeating: 0, count: data.count))
    guard let end = data.firstIndex(of: 0), (1...79).contains(end), data.count > end + 2, data[end + 1] == 0
    else { return data.allSatisfy { $0 == 0 } ? .copy : invalid }
    let stream = data[(end + 2)...]
    guard budget.take(ICCHeader.size), let header = Self.inflated(stream, count: ICCHeader.size),
      let size = ICCHeader.statedSize(of: header.bytes), budget.take(size),
      let profile = Self.inflated(stream, count: size)
    else { return invalid }
    return profile.isAll ? .copy : .replace(data[..<(end + 2)] + Self.stored(profile.bytes))
  }

  /// Returns the beginning of a compressed profile, and whether the stream has nothing else.
  private static func inflated(_ stream: ArraySlice<UInt8>, count: Int) -> (bytes: [UInt8], isAll: Bool)? {
    stream.withUnsafeBytes { bytes in
      var output = codec_buffer()
      var isAll = false
      guard codec_inflate_start(bytes.bytes, bytes.count, count, &output, &isAll) == .done else { return nil }
      defer { free(output.bytes) }
      return (Array(UnsafeBufferPointer(start: output.bytes, count: output.count)), isAll)
    }
  }

  /// Returns a zlib stream that is not compressed.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bytes.count, by: 65_535) {
      let block = bytes[start..<min(start + 65_535, bytes.count)]
      let count = [UInt8(block.count & 255), UInt8(block.count >> 8)]
      stream += [start + block.count == bytes.count ? 1 : 0] + count + count.map { ~$0 } + block
    }
    let sums = bytes.reduce(into: (first: 1, second: 0)) { sums, byte in
      sums.first = (sums.first + Int(byte)) % 65_521
      sums.second = (sums.second + sums.first) % 65_521
    }
    return stream + BigEndian.bytes(sums.second << 16 | sums.first, 4)
  }
}
