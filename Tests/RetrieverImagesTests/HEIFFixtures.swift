import Foundation

@testable import RetrieverImages

/// Writes HEIF files around coded tiles of 64 × 64 pixels, which Debian's heif-enc and avifenc made of drawn pictures.
struct HEIFFixture {
  /// A coded tile.
  struct Tile {
    let type: String
    let configuration: [UInt8]
    let data: [UInt8]

    private init(_ type: String, _ configuration: String, _ data: String) {
      self.type = type
      self.configuration = [UInt8](Data(base64Encoded: configuration) ?? Data())
      self.data = [UInt8](Data(base64Encoded: data) ?? Data())
    }

    private static let hevc =
      "AAAAeGh2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAIQABACtCAQEDcAAAAwCQAAADAA"
      + "ADAB6gIIEFlupJKa5uBAQMCAAAAwAIAAADAAhAIgABAAdEAcFysCJA"
    /// Red 200, green 40, blue 30.
    static let red = Tile("hvc1", hevc, redData)
    private static let redData = "AAAAGCgBrxOA5TPAn//tAo//gEzw+8/WtUPU+A=="
    /// Red from 20 and blue from 200 on to the right, green from 30 on downward; three or one a pixel.
    static let gradient = Tile(
      "hvc1", hevc,
      "AAAAaCgBrxOAt7uHhmYcWD+wXRoipHZ3kWe2CS3XsF/w6wXdG7aqxdHihtuX1yTtjLHfwsfujCyLr677z1sVCM84HpcVL1nFqtzLMc8yLo"
        + "Z+94+5kCrDmltmx/20kIQ3eaShrWtzSG0QWfjg")
    /// The red tile, with the parameter sets of a picture of 512 × 512 pixels.
    static let oversized = Tile(
      "hvc1",
      "AAAAeWh2Y0MBA3AAAAAAAAAAAABa8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwBaugJAIQABACxCAQEDcAAA"
        + "AwCQAAADAAADAFqgBAIAgFlupJKa5uBAQMCAAAADAIAAAAMAhCIAAQAHRAHBcrBiQA==",
      redData)
    /// Gray 128, without chroma.
    static let grey = Tile(
      "hvc1",
      "AAAAcmh2Y0MBBAgAAAAAAAAAAAAe8AD8/Pj4AAAPAyAAAQAXQAEMAf//BAgAAAMAn/gAAAMAAB66AkAhAAEAJkIBAQQIAAADAJ/4AAADAA"
        + "AewIIEFlupJKa5sCAAAAMAIAAAAwAhIgABAAdEAcFysCJA", "AAAACSgBrifHI0UPgA==")

    /// The same pictures, coded with AV1.
    static let redAV1 = Tile("av01", "AAAADGF2MUOBAAwA", "EgAKCRgVf/2CAhoNCDIVF4AJJJJEALSD6tu50xtn0N76fVRg")
    static let gradientAV1 = Tile(
      "av01", "AAAADGF2MUOBAAwA",
      "EgAKCRgVf/2CAhoNCDJGF4AJJJJEAL9j/+oOCOkCbz5dTvfISasJDkWGgB+on9O1MChORCnXfZHNSCIldtrfRXCo6jggp8LlaLn37a+tFJ"
        + "nmWD79sA==")
    static let greyAV1 = Tile("av01", "AAAADGF2MUOBABwA", "EgAKCRgVf/2GAhoNQDIJFkAYYQC8zPGA")
  }

  /// An item of the file.
  struct Item {
    var type: String
    var data: [UInt8]
    var properties: [[UInt8]] = []
    /// Properties that decoders need not know.
    var optionalProperties: [[UInt8]] = []
    var isInMeta = false
    /// Of an item of the type `mime`.
    var contentType = ""
    /// The number of the item whose data this item has too; nil for its own.
    var sharedItem: Int?
  }

  var brands = ["heic", "mif1"]
  var items: [Item] = []
  var references: [(type: String, from: Int, to: [Int])] = []
  /// The number of the main item; items are counted from 1.
  var primary = 1
  var isMetaLast = false
  /// The version of the `iloc` box.
  var locationVersion = 1
  /// Every item has its data in this many parts, in reverse order.
  var parts = 1
  /// Boxes of the top level have lengths of 8 bytes, and the last one has none.
  var hasOpenSizes = false
  var constructionMethod = 0
  /// The file that contains the data; 0 for this one.
  var dataReference = 0
  /// Boxes after the others.
  var lastBoxes: [UInt8] = []
  /// Bytes in the `mdat` box that no item has.
  var unusedData: [UInt8] = []

  /// A file with one coded image.
  init(_ tile: Tile = .gradient, width: Int = 64, height: Int = 64, properties: [[UInt8]] = []) {
    items = [Item(type: tile.type, data: tile.data)]
    items[0].properties = [tile.configuration, Self.size(width, height)] + properties
    if tile.type == "av01" { brands = ["avif", "mif1"] }
  }

  /// A file with a grid.
  init(
    grid tiles: [Tile], columns: Int, width: Int, height: Int, properties: [[UInt8]] = [],
    isInMeta: Bool = true
  ) {
    items = tiles.map {
      Item(type: $0.type, data: $0.data, properties: [$0.configuration, Self.size(64, 64)])
    }
    let rows = tiles.count / columns
    let description = [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + Self.big(width, 2) + Self.big(height, 2)
    items.append(
      Item(
        type: "grid", data: description, properties: [Self.size(width, height)] + properties,
        isInMeta: isInMeta))
    primary = items.count
    references = [("dimg", items.count, Array(1...tiles.count))]
    if tiles.contains(where: { $0.type == "av01" }) { brands = ["avif", "mif1"] }
  }

  /// Two columns and rows of tiles, of which the last ones are cut off.
  static func phone(properties: [[UInt8]] = []) -> HEIFFixture {
    HEIFFixture(
      grid: [.red, .gradient, .gradient, .red], columns: 2, width: 120, height: 100, properties: properties)
  }

  /// Adds an image with the opacity of the main item.
  mutating func addAlpha(_ tile: Tile, isPremultiplied: Bool = false) {
    let type = Self.full("auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8) + [0])
    items.append(
      Item(type: tile.type, data: tile.data, properties: [tile.configuration, Self.size(64, 64), type]))
    references.append(("auxl", items.count, [primary]))
    if isPremultiplied { references.append(("prem", primary, [items.count])) }
  }

  /// Adds an item that describes another one: the main item, if no number is given.
  @discardableResult
  mutating func describe(_ item: Int? = nil, by description: Item) -> Int {
    items.append(description)
    references.append(("cdsc", items.count, [item ?? primary]))
    return items.count
  }

  func data() -> Data {
    let start = Self.box(
      "ftyp", Array((brands.first ?? "").utf8) + [0, 0, 0, 0] + brands.flatMap { Array($0.utf8) })
    let mdatHead = hasOpenSizes ? 16 : 8
    let stored = items.filter { !$0.isInMeta && $0.sharedItem == nil }
    let payload = stored.flatMap { item in split(item.data).flatMap { $0 } } + unusedData
    let mdat = topLevel("mdat", payload, isLast: !isMetaLast)
    if isMetaLast {
      let meta = topLevel("meta", meta(start: start.count + mdatHead), isLast: true)
      return Data(start + mdat + meta + lastBoxes)
    }
    let length = topLevel("meta", meta(start: 0), isLast: false).count
    let head = topLevel("meta", meta(start: start.count + length + mdatHead), isLast: false)
    return Data(start + head + mdat + lastBoxes)
  }

  private func topLevel(_ type: String, _ content: [UInt8], isLast: Bool) -> [UInt8] {
    guard hasOpenSizes else { return Self.box(type, content) }
    let size = isLast && type == "meta" ? Self.big(0, 4) : Self.big(1, 4)
    let long = isLast && type == "meta" ? [] : Self.big(content.count + 16, 8)
    return size + Array(type.utf8) + long + content
  }

  /// The parts of an item's data, as they are stored.
  private func split(_ data: [UInt8]) -> [[UInt8]] {
    let length = max((data.count + parts - 1) / parts, 1)
    return stride(from: 0, to: data.count, by: length).map { Array(data[$0..<min($0 + length, data.count)]) }
      .reversed()
  }

  private func meta(start: Int) -> [UInt8] {
    var (infos, locations, links, kept): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
    var position = start
    var allPlaces: [[UInt8]] = []
    var boxes: [[UInt8]] = []
    let idSize = locationVersion == 2 ? 4 : 2
    for (index, item) in items.enumerated() {
      let contentType = item.type == "mime" ? Array(item.contentType.utf8) + [0] : []
      infos += Self.full(
        "infe", Self.big(index + 1, 2) + [0, 0] + Array(item.type.utf8) + [0] + contentType, version: 2)
      locations += Self.big(index + 1, idSize)
      if locationVersion > 0 { locations += Self.big(item.isInMeta ? 1 : constructionMethod, 2) }
      locations += Self.big(dataReference, 2)
      let shared = item.sharedItem.map { items[$0 - 1] } ?? item
      let pieces = item.isInMeta ? [item.data] : split(shared.data)
      locations += Self.big(pieces.count, 2)
      if let number = item.sharedItem {
        locations += allPlaces[number - 1]
        allPlaces.append([])
        continue
      }
      var places: [UInt8] = []
      for piece in pieces {
        let place = Self.big(item.isInMeta ? kept.count : position, 4) + Self.big(piece.count, 4)
        places = item.isInMeta ? places + place : place + places
        if item.isInMeta { kept += piece } else { position += piece.count }
      }
      locations += places
      allPlaces.append(places)
      var indices: [UInt8] = []
      for (property, mark) in item.properties.map({ ($0, 0x80) }) + item.optionalProperties.map({ ($0, 0) }) {
        let known = boxes.firstIndex(of: property)
        if known == nil { boxes.append(property) }
        indices.append(UInt8((known ?? boxes.count - 1) + 1 | mark))
      }
      links += Self.big(index + 1, 2) + [UInt8(indices.count)] + indices
    }
    let count = Self.big(items.count, 2)
    var content = Self.full("hdlr", [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
    content += Self.full("pitm", Self.big(primary, 2))
    content += Self.full("iinf", count + infos)
    content += Self.full(
      "iloc", [0x44, 0] + Self.big(items.count, idSize) + locations, version: UInt8(locationVersion))
    let linkCount = items.count { $0.sharedItem == nil }
    let links2 = Self.full("ipma", Self.big(linkCount, 4) + links)
    content += Self.box("iprp", Self.box("ipco", boxes.flatMap { $0 }) + links2)
    if !references.isEmpty {
      let all = references.flatMap { reference in
        Self.box(
          reference.type,
          Self.big(reference.from, 2) + Self.big(reference.to.count, 2)
            + reference.to.flatMap { Self.big($0, 2) })
      }
      content += Self.full("iref", all)
    }
    if !kept.isEmpty { content += Self.box("idat", kept) }
    return [0, 0, 0, 0] + content
  }

  // MARK: - Boxes

  static func big(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + Array(type.utf8) + content
  }

  static func full(_ type: String, _ content: [UInt8], version: UInt8 = 0) -> [UInt8] {
    box(type, [version, 0, 0, 0] + content)
  }

  static func size(_ width: Int, _ height: Int) -> [UInt8] { full("ispe", big(width, 4) + big(height, 4)) }

  static func rotation(quarterTurnsLeft: UInt8) -> [UInt8] { box("irot", [quarterTurnsLeft]) }

  static func mirroring(swapsSides: Bool) -> [UInt8] { box("imir", [swapsSides ? 1 : 0]) }

  static func crop(width: Int, height: Int, fromMiddle x: Int, _ y: Int) -> [UInt8] {
    box("clap", [width, 1, height, 1, x, 1, y, 1].flatMap { big($0, 4) })
  }

  static func profile(_ icc: [UInt8]) -> [UInt8] { box("colr", Array("prof".utf8) + icc) }

  static func auxiliary(_ type: String) -> [UInt8] { full("auxC", Array(type.utf8) + [0]) }

  static func exif(_ tiff: [UInt8]) -> Item {
    Item(type: "Exif", data: big(6, 4) + Array("Exif\0\0".utf8) + tiff)
  }

  static func xmp(_ packet: String) -> Item {
    Item(type: "mime", data: Array(packet.utf8), contentType: "application/rdf+xml")
  }

  static func colors(primaries: Int, transfer: Int, matrix: Int, isFullRange: Bool = true) -> [UInt8] {
    let numbers = big(primaries, 2) + big(transfer, 2) + big(matrix, 2)
    return box("colr", Array("nclx".utf8) + numbers + [isFullRange ? 0x80 : 0])
  }
}
