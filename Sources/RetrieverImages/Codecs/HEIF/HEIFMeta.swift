/// The tables in the `meta` box of a HEIF file (ISO/IEC 23008-12): which items there are, where their data is, and how
/// they belong together.
struct HEIFMeta {
  /// A part of the file, or of the `idat` box, that contains data of an item.
  struct Extent: Equatable {
    var offset: UInt64
    var length: UInt64

    /// Returns the part; nil if it ends after a number of bytes.
    func range(within limit: Int) -> Range<Int>? {
      let (end, overflows) = offset.addingReportingOverflow(length)
      guard !overflows, end <= UInt64(limit) else { return nil }
      return Int(offset)..<Int(end)
    }
  }

  /// The place of an item's data.
  struct Location {
    var isInMeta = false
    var extents: [Extent] = []
    /// The reason why the data cannot be read; nil if it can.
    var problem: ImageError?
  }

  /// References from one item to others.
  struct Reference: Hashable {
    var type: FourCharacterCode
    var from: UInt32
  }

  /// A property of an item.
  struct Association {
    private let value: UInt16

    init(index: Int, isEssential: Bool) {
      value = UInt16(truncatingIfNeeded: index) & 0x7FFF | (isEssential ? 0x8000 : 0)
    }

    /// The index in ``properties``.
    var index: Int { Int(value & 0x7FFF) }
    var isEssential: Bool { value & 0x8000 != 0 }
  }

  private(set) var primary: UInt32?
  private(set) var types: [UInt32: FourCharacterCode] = [:]
  /// The content types of items of the type `mime`, without those whose data is compressed.
  private(set) var contentTypes: [UInt32: String] = [:]
  private(set) var locations: [UInt32: Location] = [:]
  private(set) var references: [Reference: [UInt32]] = [:]
  private(set) var properties: [BoxReader.Box] = []
  private(set) var associations: [UInt32: [Association]] = [:]
  /// The configurations of decoders among the properties, by their indices. Many tiles share one.
  private(set) var codings: [Int: Result<TileCoding, ImageError>] = [:]
  /// The content of the `idat` box.
  private(set) var data: ArraySlice<UInt8> = []

  /// Reads the content of a `meta` box. The tables are never larger than these bytes.
  init(_ bytes: [UInt8]) throws(ImageError) {
    var reader = BoxReader(bytes[...])
    _ = try reader.version()
    while let box = try reader.box() {
      var content = box.content
      switch box.type {
      case "pitm":
        let (version, _) = try content.version()
        primary = try Self.itemID(&content, isLong: version > 0)
      case "iinf": try readItems(&content)
      case "iloc": try readLocations(&content)
      case "iref": try readReferences(&content)
      case "iprp": try readProperties(&content)
      case "idat": data = content.rest
      default: break
      }
    }
  }

  static func itemID(_ reader: inout BoxReader, isLong: Bool) throws(ImageError) -> UInt32 {
    UInt32(truncatingIfNeeded: try reader.number(bytes: isLong ? 4 : 2))
  }

  private mutating func readItems(_ reader: inout BoxReader) throws(ImageError) {
    let (version, _) = try reader.version()
    _ = try reader.number(bytes: version == 0 ? 2 : 4)
    while let box = try reader.box() {
      guard box.type == "infe" else { continue }
      var entry = box.content
      let (version, _) = try entry.version()
      // Earlier versions have no type, and occur only in files without images.
      guard version >= 2 else { continue }
      let item = try Self.itemID(&entry, isLong: version > 2)
      _ = try entry.short()
      let type = try entry.code()
      types[item] = type
      guard type == "mime" else { continue }
      _ = entry.text()
      let contentType = entry.text()
      if entry.text().isEmpty { contentTypes[item] = contentType }
    }
  }

  private mutating func readLocations(_ reader: inout BoxReader) throws(ImageError) {
    var entries = try HEIFLocationReader(reader)
    while let entry = try entries.next() {
      if locations[entry.item] == nil { locations[entry.item] = entry.location }
    }
  }

  private mutating func readReferences(_ reader: inout BoxReader) throws(ImageError) {
    let (version, _) = try reader.version()
    while let box = try reader.box() {
      var content = box.content
      let from = try Self.itemID(&content, isLong: version > 0)
      var targets: [UInt32] = []
      for _ in 0..<(try content.short()) {
        targets.append(try Self.itemID(&content, isLong: version > 0))
      }
      references[Reference(type: box.type, from: from), default: []] += targets
    }
  }

  private mutating func readProperties(_ reader: inout BoxReader) throws(ImageError) {
    while let box = try reader.box() {
      var content = box.content
      switch box.type {
      case "ipco":
        while let property = try content.box() {
          codings[properties.count] = TileCoding.read(property)
          properties.append(property)
        }
      case "ipma": try readAssociations(&content)
      default: break
      }
    }
  }

  private mutating func readAssociations(_ reader: inout BoxReader) throws(ImageError) {
    let (version, flags) = try reader.version()
    let isLong = flags & 1 == 1
    let count = try reader.long()
    var index: UInt32 = 0
    while index < count {
      index += 1
      let item = try Self.itemID(&reader, isLong: version > 0)
      var found: [Association] = []
      for _ in 0..<(try reader.byte()) {
        let value = Int(try reader.number(bytes: isLong ? 2 : 1))
        let mark = isLong ? 0x8000 : 0x80
        // An index of 0 means no property.
        guard value & (mark - 1) > 0 else { continue }
        found.append(Association(index: value & (mark - 1) - 1, isEssential: value & mark != 0))
      }
      associations[item, default: []] += found
    }
  }

  static let invalidLocation = ImageError(
    .corrupt, "The image is damaged: the location of its data is invalid.")
  static let onlySequence = ImageError(
    .unsupported, "The file is a sequence of images without a still image, which is not supported.")
}

extension HEIFMeta {
  /// Returns the items that an item refers to.
  func targets(of type: FourCharacterCode, from item: UInt32) -> [UInt32] {
    references[Reference(type: type, from: item)] ?? []
  }

  /// Returns the items that refer to an item, in the order of their numbers.
  func sources(of type: FourCharacterCode, to item: UInt32) -> [UInt32] {
    references.filter { $0.key.type == type && $0.value.contains(item) }.map(\.key.from).sorted()
  }

  /// Returns the item that is the opacity of an item: the first one that can be decoded. Other auxiliary images, such as
  /// depths and gain maps, may use any feature.
  func alpha(of item: UInt32) -> UInt32? {
    sources(of: "auxl", to: item).first { (try? HEIFProperties(of: $0, in: self))?.isAlpha == true }
  }

  /// The position in the file after which the grids of the main image and of its alpha are known.
  var endOfGrids: UInt64 {
    guard let primary else { return 0 }
    let grids = ([primary] + sources(of: "auxl", to: primary)).filter { types[$0] == "grid" }
    let extents = grids.compactMap { locations[$0] }.filter { !$0.isInMeta }.flatMap(\.extents)
    return extents.map { $0.offset.addingReportingOverflow($0.length).partialValue }.max() ?? 0
  }
}
