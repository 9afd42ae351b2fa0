/// Makes boxes of a HEIF file.
enum HEIFWriting {
  /// Returns a box, whose content must have less than 4 GiB.
  static func box(_ type: FourCharacterCode, _ content: some Collection<UInt8>) -> [UInt8] {
    BigEndian.bytes(content.count + 8, 4) + BigEndian.bytes(Int(type.rawValue), 4) + content
  }

  static func fullBox(
    _ type: FourCharacterCode, version: UInt8 = 0, flags: Int = 0, _ content: [UInt8]
  ) -> [UInt8] {
    box(type, [version] + BigEndian.bytes(flags, 3) + content)
  }

  /// The properties that say how an image is decoded and shown.
  static let keptProperties: Set<FourCharacterCode> = [
    "ispe", "hvcC", "av1C", "avcC", "vvcC", "lhvC", "jpgC", "j2kH", "uncC", "cmpd", "colr", "pixi", "pasp",
    "irot", "imir", "clap", "auxC", "clli", "mdcv", "cclv", "amve", "rloc", "lsel", "a1op", "a1lx", "iscl",
    "oinf", "tols",
  ]

  /// The sizes of the properties that have always the same.
  private static let propertySizes: [FourCharacterCode: Int] = [
    "ispe": 12, "irot": 1, "imir": 1, "clap": 32, "pasp": 8, "clli": 4, "mdcv": 24,
  ]

  /// Returns what has a meaning in a property; nil if a copy without metadata does not keep it. What follows could be anything.
  static func meaning(of property: BoxReader.Box) -> [UInt8]? {
    guard keptProperties.contains(property.type) else { return nil }
    let content = property.content.rest
    switch property.type {
    case "colr":
      switch String(decoding: content.prefix(4), as: UTF8.self) {
      case "nclx": return Array(content.prefix(11))
      case "prof", "rICC":
        return ICCHeader.statedSize(of: content.dropFirst(4)).map { Array(content.prefix(4 + $0)) }
      default: return nil
      }
    case "auxC":
      // A version and the kind of the auxiliary image, as a text that ends with a zero byte.
      let end = content.dropFirst(4).firstIndex(of: 0)
      return Array(end.map { content[...$0] } ?? content)
    case let type: return Array(content.prefix(propertySizes[type] ?? content.count))
    }
  }

  /// Returns a file with one image of another file: a coded image, or a grid with its tiles.
  ///
  /// - Returns: nil if the image is of another kind, damaged, or larger than the maximum of a gain map.
  static func file(of item: UInt32, in file: HEIFFile) throws(ImageError) -> [UInt8]? {
    let isGrid = file.meta.types[item] == "grid"
    let parts = isGrid ? file.meta.targets(of: "dimg", from: item) : []
    let tiles = Set(parts).sorted()
    let items = tiles + [item]
    guard tiles.count < 65_535, !tiles.contains(item),
      (isGrid ? tiles : items).allSatisfy({ ["hvc1", "av01"].contains(file.meta.types[$0]) })
    else { return nil }
    var contents: [[UInt8]] = []
    var left = GainMap.maximumBytes
    for item in items {
      guard let data = try file.data(of: item, maximum: left) else { return nil }
      left -= data.count
      contents.append(data)
    }
    let brand: FourCharacterCode =
      file.meta.types[items[0]] == "av01" ? "avif" : "heic"
    let brands = [brand.rawValue, 0, ("mif1" as FourCharacterCode).rawValue, brand.rawValue]
    let start = box("ftyp", brands.flatMap { BigEndian.bytes(Int($0), 4) })
    // The offsets have 4 bytes, so the size of the box does not depend on them.
    let size = meta(items, parts, contents.map(\.count), file.meta, start: 0).count
    let head = meta(items, parts, contents.map(\.count), file.meta, start: start.count + size + 8)
    return start + head + box("mdat", contents.joined().map { $0 })
  }

  /// Returns the `meta` box of a file whose main image is the last item. The items are counted from 1.
  private static func meta(
    _ items: [UInt32], _ parts: [UInt32], _ sizes: [Int], _ original: HEIFMeta, start: Int
  ) -> [UInt8] {
    var infos = BigEndian.bytes(items.count, 2)
    var locations = [0x44, 0] + BigEndian.bytes(items.count, 2)
    var links = BigEndian.bytes(items.count, 4)
    var container: [UInt8] = []
    var newIndices: [Int: Int] = [:]
    var position = start
    for (index, item) in items.enumerated() {
      let number = BigEndian.bytes(index + 1, 2)
      let type = BigEndian.bytes(Int(original.types[item]?.rawValue ?? 0), 4)
      // Tiles are hidden.
      infos += fullBox(
        "infe", version: 2, flags: index + 1 < items.count ? 1 : 0, number + [0, 0] + type + [0])
      locations +=
        number + [0, 0, 0, 0, 0, 1] + BigEndian.bytes(position, 4) + BigEndian.bytes(sizes[index], 4)
      position += sizes[index]
      var entries: [UInt8] = []
      var count = 0
      for association in original.associations[item] ?? []
      where original.properties.indices.contains(association.index) && count < 255 {
        let property = original.properties[association.index]
        guard keptProperties.contains(property.type), property.type != "auxC" else { continue }
        if newIndices[association.index] == nil {
          newIndices[association.index] = newIndices.count + 1
          container += box(property.type, property.content.rest)
        }
        let mark = association.isEssential ? 0x8000 : 0
        entries += BigEndian.bytes((newIndices[association.index] ?? 0) | mark, 2)
        count += 1
      }
      links += number + [UInt8(count)] + entries
    }
    let handler = [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
    var content = fullBox("hdlr", handler)
    content += fullBox("pitm", BigEndian.bytes(items.count, 2))
    content += fullBox("iinf", infos)
    content += fullBox("iloc", version: 1, locations)
    content += box("iprp", box("ipco", container) + fullBox("ipma", flags: 1, links))
    if !parts.isEmpty {
      let numbers = Dictionary(uniqueKeysWithValues: items.enumerated().map { ($1, $0 + 1) })
      let targets = parts.flatMap { BigEndian.bytes(numbers[$0] ?? 0, 2) }
      let tiles = BigEndian.bytes(items.count, 2) + BigEndian.bytes(parts.count, 2) + targets
      content += fullBox("iref", box("dimg", tiles))
    }
    return fullBox("meta", content)
  }
}
