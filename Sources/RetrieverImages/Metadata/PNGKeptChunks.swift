/// Decides which chunks of a PNG a copy without metadata keeps: those that decoders need for pixels, colors and animation, in
/// their places and with lengths that they can have. Decoders skip what is longer, so that it could be anything.
struct PNGKeptChunks {
  /// The chunks before the pixels, of which the first one counts, and the lengths that they can have.
  private static let described: [String: ClosedRange<Int>] = [
    "IHDR": 13...13, "cHRM": 32...32, "gAMA": 4...4, "sBIT": 1...4,
    "sRGB": 1...1, "cICP": 4...4, "mDCV": 24...24, "mDCv": 24...24, "cLLI": 8...8, "cLLi": 8...8,
    "bKGD": 1...6, "pHYs": 9...9, "sTER": 1...1, "acTL": 8...8, "iCCP": 1...Int.max,
  ]

  private var kept: Set<String> = []
  /// The maximum lengths of a palette, and of the opacity of colors, in an image of this color type.
  private var (paletteSize, opacitySize) = (0, 0)
  private(set) var hasPixels = false

  /// Takes the next chunk, and returns whether it stays.
  ///
  /// - Throws: An error if no decoder can show the image without knowing the chunk.
  mutating func keeps(_ chunk: PNGChunks.Chunk, in source: any ByteSource) throws(ImageError) -> Bool {
    switch chunk.name {
    case "IDAT":
      hasPixels = true
      return true
    case "IEND": return true
    // The frames of an animation.
    case "fcTL": return kept.contains("acTL") && chunk.data.count == 26
    case "fdAT": return kept.contains("acTL") && chunk.data.count >= 4
    default: break
    }
    guard let lengths = lengths(of: chunk.name) else {
      guard !chunk.isCritical else {
        throw ImageError(.unsupported, "The image uses an unsupported feature: the chunk \(chunk.name).")
      }
      return false
    }
    guard !hasPixels, lengths.contains(chunk.data.count), !kept.contains(chunk.name) else { return false }
    switch chunk.name {
    case "IHDR": readHeader(try source.bytes(chunk.data))
    case "iCCP":
      guard !kept.contains("PLTE"), try Self.isProfile(chunk, source) else { return false }
    default: break
    }
    kept.insert(chunk.name)
    return true
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

  private static func isProfile(
    _ chunk: PNGChunks.Chunk, _ source: any ByteSource
  ) throws(ImageError) -> Bool {
    var budget = RecordBudget()
    guard chunk.data.count <= budget.left else { return false }
    // The chunk has the same form as a compressed text. libpng ignores a profile that has another size than it states.
    let text = PNGText(name: "zTXt", data: try source.bytes(chunk.data))
    guard let profile = text?.bytes(within: &budget, maximum: budget.left) else { return false }
    return ICCHeader.statedSize(of: profile) == profile.count
  }
}
