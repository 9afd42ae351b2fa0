/// A property of a HEIF item that a copy without metadata keeps.
struct HEIFKeptProperty {
  /// What has a meaning. Bytes after it could be anything.
  let content: ArraySlice<UInt8>

  /// Returns nil if the property does not stay.
  init?(_ property: BoxReader.Box) {
    guard HEIFWriting.keptProperties.contains(property.type) else { return nil }
    let content = property.content.rest
    switch property.type {
    case "colr":
      guard let size = Self.colorSize(content) else { return nil }
      self.content = content.prefix(size)
    case "auxC":
      // A version and the kind of the auxiliary image, as a text that ends with a zero byte.
      self.content = content.prefix(4) + content.dropFirst(4).prefix { $0 != 0 } + [0]
    case let type: self.content = content.prefix(Self.sizes[type] ?? content.count)
    }
  }

  private static let sizes: [FourCharacterCode: Int] = [
    "ispe": 12, "irot": 1, "imir": 1, "clap": 32, "pasp": 8, "clli": 4, "mdcv": 24,
  ]

  /// Returns the size of a description of colors; nil if it describes none.
  private static func colorSize(_ content: ArraySlice<UInt8>) -> Int? {
    switch String(decoding: content.prefix(4), as: UTF8.self) {
    case "nclx": 11
    case "prof", "rICC": ICCHeader.statedSize(of: content.dropFirst(4)).map { 4 + $0 }
    default: nil
    }
  }
}
