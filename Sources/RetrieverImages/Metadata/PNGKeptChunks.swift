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
    "bKGD": 1...6, "pHYs": 9...9, "sTER": 1...1, "acTL": 8...8, "iCCP": 14...16 << 20,
  ]

  private var kept: Set<String> = []
  /// The maximum lengths of a palette, and of the opacity of colors, in an image of this color type.
  private var (paletteSize, opacitySize) = (0, 0)
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
    guard !hasPixels, lengths.contains(chunk.data.count), kept.insert(chunk.name).inserted else {
      return .leaveOut
    }
    switch chunk.name {
    case "IHDR": readHeader(try source.bytes(chunk.data))
    case "iCCP":
      let decision =
        kept.contains("PLTE") ? .leaveOut : try Self.decide(onProfile: source.bytes(chunk.data))
      // After an invalid profile, libpng takes the next one.
      if decision == .leaveOut { kept.remove(chunk.name) }
      return decision
    default: break
    }
    return .copy
  }

  private func lengths(of name: String) -> ClosedRange<Int>? {
    switch name {
    case "PLTE": 0...paletteSize
    case "tRNS": 0...opacitySize
    default: Self.described[name]
    }
  }

  private mutating func readHeader(_ header: [UInt8]) {
    switch header[9] {
    case 0: opacitySize = 2
    case 2: opacitySize = 6
    case 3:
      opacitySize = 1 << min(Int(header[8]), 8)
      paletteSize = 3 * opacitySize
    default: break
    }
  }

  private static let maximumProfile = 16 << 20

  /// Returns a color profile of the size that it states; nil if there is none. libpng ignores what follows it.
  private static func profile(_ stream: ArraySlice<UInt8>) -> [UInt8]? {
    func start(_ count: Int) -> [UInt8]? {
      stream.withUnsafeBytes { bytes in
        var output = codec_buffer()
        guard codec_inflate_start(bytes.bytes, bytes.count, count, &output) == .done else { return nil }
        defer { free(output.bytes) }
        return Array(UnsafeBufferPointer(start: output.bytes, count: output.count))
      }
    }
    guard let size = start(ICCHeader.size).flatMap({ ICCHeader.statedSize(of: $0) }), size <= maximumProfile
    else { return nil }
    return start(size)
  }

  /// Returns whether a stream has nothing but a profile.
  private static func isExact(_ stream: ArraySlice<UInt8>, _ profile: [UInt8]) -> Bool {
    stream.withUnsafeBytes { bytes in
      var output = codec_buffer()
      defer { free(output.bytes) }
      return codec_inflate(bytes.bytes, bytes.count, profile.count, &output) == .done
    }
  }

  /// Returns what becomes of an iCCP chunk: the name of the profile, a zero, the compression method and the compressed profile.
  private static func decide(onProfile data: [UInt8]) throws(ImageError) -> Decision {
    guard let end = data.firstIndex(of: 0), (1...79).contains(end), data.count > end + 2, data[end + 1] == 0,
      let profile = profile(data[(end + 2)...])
    else { return .leaveOut }
    if isExact(data[(end + 2)...], profile) { return .copy }
    return .replace(data[..<(end + 2)] + stored(profile))
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
