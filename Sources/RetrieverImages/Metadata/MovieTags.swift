import Foundation

/// The texts of a movie that say when, where, how and by whom it was made, as cameras store them.
///
/// Phones use two places: `udta` with short names such as `©xyz`, and `meta` with keys such as
/// `com.apple.quicktime.location.ISO6709`.
struct MovieTags {
  /// A property, however a file names it.
  enum Name: Hashable {
    case date, location, make, model, author, title
  }

  /// Larger values are not read.
  private static let maximumValueSize = 64 << 10
  private static let maximumKeyCount = 1_000

  private(set) var texts: [Name: String] = [:]
  private(set) var location: ImageMetadata.Location?
  /// Whether a place is stated, also in a form that cannot be read.
  private(set) var hasLocation = false
  private let source: any ByteSource

  init(_ movie: MovieFile) throws(ImageError) {
    source = movie.source
    for box in try source.boxes(in: movie.box.content) { try read(box, depth: 0) }
    for box in movie.boxes where box.type == "meta" { try read(box, depth: 0) }
    if let text = texts[.location] { location = Self.location(text) ?? location }
  }

  /// Reads `udta` and `meta` boxes. Damage in them does not make a video unreadable.
  private mutating func read(_ box: FileBox, depth: Int) throws(ImageError) {
    guard depth < 3 else { return }
    do {
      switch box.type {
      case "udta":
        for part in try source.boxes(in: box.content) {
          if part.type == "meta" { try read(part, depth: depth + 1) } else { try readText(part) }
        }
      case "meta": try readKeys(box)
      case "trak":
        for part in try source.boxes(in: box.content) where part.type == "udta" || part.type == "meta" {
          try read(part, depth: depth + 1)
        }
      default: break
      }
    } catch {
      if error.code == .unreadable { throw error }
    }
  }

  private mutating func note(_ name: Name, _ bytes: some Collection<UInt8>) {
    if name == .location { hasLocation = true }
    guard texts[name] == nil, let text = MetadataText.decode(bytes).flatMap({ MetadataText.trimmed($0) })
    else { return }
    texts[name] = text
  }

  /// The names of texts. The first character is © in the encoding of old Macs.
  private static let textNames: [FourCharacterCode: Name] = [
    FourCharacterCode(0xA964_6179): .date, FourCharacterCode(0xA978_797A): .location,
    FourCharacterCode(0xA96D_616B): .make, FourCharacterCode(0xA96D_6F64): .model,
    FourCharacterCode(0xA961_7574): .author, FourCharacterCode(0xA941_5254): .author,
    FourCharacterCode(0xA96E_616D): .title,
  ]

  private static let keyNames: [String: Name] = [
    "com.apple.quicktime.creationdate": .date, "com.apple.quicktime.location.ISO6709": .location,
    "com.apple.quicktime.make": .make, "com.apple.quicktime.model": .model,
    "com.apple.quicktime.author": .author, "com.apple.quicktime.artist": .author,
    "com.apple.quicktime.title": .title,
  ]

  /// Reads a text in `udta`: its length, its language and its bytes.
  private mutating func readText(_ box: FileBox) throws(ImageError) {
    if box.type == "loci" {
      try readPlace(box)
    } else if let name = Self.textNames[box.type], box.content.count <= Self.maximumValueSize {
      var reader = try source.reader(box, maximum: Self.maximumValueSize)
      let count = try reader.short()
      _ = try reader.short()
      note(name, reader.rest.prefix(count))
    }
  }

  /// Reads the place in the form of 3GPP: a name, and numbers with 16 bits after the point.
  private mutating func readPlace(_ box: FileBox) throws(ImageError) {
    hasLocation = true
    var reader = try source.reader(box, maximum: Self.maximumValueSize)
    _ = try reader.take(6)
    _ = reader.text()
    _ = try reader.take(1)
    func degrees() throws(ImageError) -> Double {
      Double(Int32(bitPattern: try reader.long())) / 65_536
    }
    let longitude = try degrees()
    let latitude = try degrees()
    location = ImageMetadata.Location(
      latitude: latitude, longitude: longitude, altitude: try? degrees())
  }

  /// Reads a `meta` box: keys and values, or values with the short names of iTunes.
  private mutating func readKeys(_ box: FileBox) throws(ImageError) {
    // In MP4 files, the box begins with a version; in QuickTime files, it does not.
    let start = try source.exactly(8, at: box.content.lowerBound) ?? []
    let hasVersion = !start.suffix(4).elementsEqual("hdlr".utf8)
    let head = hasVersion ? 4 : 0
    guard box.content.count >= head else { return }
    let parts = try source.boxes(in: (box.content.lowerBound + head)..<box.content.upperBound)
    var names: [Name?] = []
    if let keys = parts.first(where: { $0.type == "keys" }) { names = try self.names(keys) }
    guard let list = parts.first(where: { $0.type == "ilst" }) else { return }
    for item in try source.boxes(in: list.content) {
      let index = Int(item.type.rawValue) - 1
      let name = names.indices.contains(index) ? names[index] : Self.textNames[item.type]
      guard let name, let value = try source.boxes(in: item.content).first(where: { $0.type == "data" })
      else { continue }
      if name == .location { hasLocation = true }
      guard value.content.count <= Self.maximumValueSize else { continue }
      // The type of the value, and its language.
      note(name, try source.reader(value, maximum: Self.maximumValueSize).rest.dropFirst(8))
    }
  }

  private func names(_ keys: FileBox) throws(ImageError) -> [Name?] {
    var reader = try source.reader(keys, maximum: Self.maximumValueSize)
    _ = try reader.long()
    let count = min(Int(try reader.long()), Self.maximumKeyCount)
    var names: [Name?] = []
    while names.count < count, let key = try reader.box() {
      names.append(Self.keyNames[String(decoding: key.content.rest, as: UTF8.self)])
    }
    return names
  }

  /// Reads a place such as `+48.1374+011.5755+519/` (ISO 6709), in degrees.
  static func location(_ text: String) -> ImageMetadata.Location? {
    var numbers: [String] = []
    for character in text.prefix(64) {
      switch character {
      case "+", "-": numbers.append(String(character))
      case "0"..."9", ".":
        guard !numbers.isEmpty else { return nil }
        numbers[numbers.count - 1].append(character)
      default:
        // A slash ends the numbers, and a coordinate system may come before it.
        guard numbers.count >= 2 else { return nil }
        return place(numbers)
      }
    }
    return place(numbers)
  }

  private static func place(_ numbers: [String]) -> ImageMetadata.Location? {
    let values = numbers.compactMap { Double($0) }
    guard values.count >= 2, values.count == numbers.count, values.allSatisfy(\.isFinite) else { return nil }
    return ImageMetadata.Location(
      latitude: values[0], longitude: values[1], altitude: values.count > 2 ? values[2] : nil)
  }
}
