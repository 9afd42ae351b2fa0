/// Writes the `meta` box of a HEIF file again, with the items that stay and in the same size.
struct HEIFMetaCopy {
  /// What the box had and the copy does not, besides the items.
  private(set) var removed: Set<StrippedImage.Record> = []

  private let file: HEIFFile
  private let parts: HEIFParts
  /// The meaning of each property; nil for those that no copy keeps.
  private let kept: [Int: [UInt8]?]
  /// The indices of the properties that an item has, and of those that stay.
  private var associated: Set<Int> = []
  private var properties: Set<Int> = []
  /// The number of properties so far. Several lists continue each other.
  private var propertyCount = 0

  init(_ file: HEIFFile, _ parts: HEIFParts) {
    self.file = file
    self.parts = parts
    kept = Dictionary(
      uniqueKeysWithValues: file.meta.properties.enumerated().map { ($0, HEIFWriting.meaning(of: $1)) })
  }

  /// Returns the content of the box.
  mutating func content() throws(ImageError) -> [UInt8] {
    try selectProperties()
    var reader = BoxReader(file.content[...])
    var content = Array(try reader.take(4))
    // The handler is the first box. Its name can take any number of bytes.
    var handler: [UInt8]?
    var handlerPosition = content.count
    while let box = try reader.box() {
      switch box.type {
      case "hdlr" where handler == nil:
        handler = Array(box.content.rest.prefix(24))
        handlerPosition = content.count
        // The rest is a name, such as that of the program.
        if box.content.rest.dropFirst(24).contains(where: { $0 != 0 }) { removed.insert(.text) }
      case "pitm":
        let size = box.content.rest.first == 0 ? 6 : 8
        content += HEIFWriting.box(box.type, box.content.rest.prefix(size))
        leaveOut(box.content.rest.dropFirst(size))
      case "iinf": content += try items(box.content)
      case "iloc": content += try locations(box.content)
      case "iref": content += try references(box.content)
      case "iprp": content += try itemProperties(box.content)
      // If there are several, the last one counts.
      case "idat" where box.content.rest.startIndex == file.meta.data.startIndex:
        content += HEIFWriting.box("idat", data())
      case "grpl": content += try groups(box.content)
      // Which file contains the data: always this one.
      case "dinf": if !box.content.rest.elementsEqual(Self.thisFile) { leaveOut(box.content.rest) }
      case "free", "skip": leaveOut(box.content.rest)
      default: removed.insert(.otherData)
      }
    }
    let space = file.content.count - content.count - (handler.map { $0.count + 8 } ?? 0)
    // A box needs at least 8 bytes; the name of the handler takes fewer.
    guard space >= 0, handler != nil || space == 0 || space >= 8 else {
      throw TiledPicture.damaged("its description is too short")
    }
    let name = handler == nil ? 0 : space < 9 ? space : 1
    if let handler {
      let box = HEIFWriting.box("hdlr", handler + [UInt8](repeating: 0, count: name))
      content.insert(contentsOf: box, at: handlerPosition)
    }
    let left = file.content.count - content.count
    if left > 0 { content += HEIFWriting.box("free", [UInt8](repeating: 0, count: left - 8)) }
    return content
  }

  /// The content of a `dinf` box that says that the data is in this file.
  private static let thisFile = HEIFWriting.fullBox(
    "dref", [0, 0, 0, 1] + HEIFWriting.fullBox("url ", flags: 1, []))

  /// Reports bytes that the copy does not have.
  private mutating func leaveOut(_ bytes: ArraySlice<UInt8>) {
    if bytes.contains(where: { $0 != 0 }) { removed.insert(.otherData) }
  }

  private mutating func items(_ content: BoxReader) throws(ImageError) -> [UInt8] {
    var reader = content
    let (version, _) = try reader.version()
    _ = try reader.number(bytes: version == 0 ? 2 : 4)
    var entries: [UInt8] = []
    var count = 0
    while let box = try reader.box() {
      guard box.type == "infe" else {
        removed.insert(.otherData)
        continue
      }
      var entry = box.content
      let (entryVersion, _) = try entry.version()
      guard entryVersion >= 2 else {
        removed.insert(.otherData)
        continue
      }
      let item = try HEIFMeta.itemID(&entry, isLong: entryVersion > 2)
      guard parts.items.contains(item) else { continue }
      _ = try entry.short()
      let type = try entry.code()
      let head = box.content.rest.dropLast(entry.rest.count)
      if !entry.text().isEmpty { removed.insert(.text) }
      var tail: [UInt8] = [0]
      if type == "mime" { tail += Array(entry.text().utf8) + [0] }
      leaveOut(entry.rest)
      entries += HEIFWriting.box("infe", head + tail.prefix(box.content.rest.count - head.count))
      count += 1
    }
    let number = BigEndian.bytes(count, version == 0 ? 2 : 4)
    return HEIFWriting.box("iinf", content.rest.prefix(4) + number + entries)
  }

  private mutating func locations(_ content: BoxReader) throws(ImageError) -> [UInt8] {
    var reader = try HEIFLocationReader(content)
    var entries: [UInt8] = []
    var found: Set<UInt32> = []
    while let entry = try reader.next() {
      guard parts.items.contains(entry.item), found.insert(entry.item).inserted else { continue }
      entries += entry.bytes
    }
    leaveOut(reader.rest)
    return HEIFWriting.box("iloc", reader.head + BigEndian.bytes(found.count, reader.countSize) + entries)
  }

  private func references(_ content: BoxReader) throws(ImageError) -> [UInt8] {
    var reader = content
    let (version, _) = try reader.version()
    let size = version > 0 ? 4 : 2
    var boxes: [UInt8] = []
    while let box = try reader.box() {
      var reference = box.content
      let from = try HEIFMeta.itemID(&reference, isLong: version > 0)
      var targets: [UInt32] = []
      for _ in 0..<(try reference.short()) {
        let target = try HEIFMeta.itemID(&reference, isLong: version > 0)
        if parts.items.contains(target) { targets.append(target) }
      }
      guard parts.items.contains(from), !targets.isEmpty else { continue }
      let list = targets.flatMap { BigEndian.bytes(Int($0), size) }
      boxes += HEIFWriting.box(
        box.type, BigEndian.bytes(Int(from), size) + BigEndian.bytes(targets.count, 2) + list)
    }
    return HEIFWriting.box("iref", content.rest.prefix(4) + boxes)
  }

  /// Keeps the groups, such as alternatives, whose members all stay.
  private mutating func groups(_ content: BoxReader) throws(ImageError) -> [UInt8] {
    var reader = content
    var boxes: [UInt8] = []
    while let box = try reader.box() {
      var group = box.content
      _ = try group.version()
      _ = try group.long()
      var count = try group.long()
      var staysComplete = true
      while count > 0, staysComplete {
        count -= 1
        staysComplete = parts.items.contains(try group.long())
      }
      guard staysComplete else { continue }
      boxes += HEIFWriting.box(box.type, box.content.rest.dropLast(group.rest.count))
      leaveOut(group.rest)
    }
    return HEIFWriting.box("grpl", boxes)
  }

  /// Returns the content of the `idat` box with zeros in place of what is left out.
  private mutating func data() -> [UInt8] {
    let all = 0..<file.meta.data.count
    var data = [UInt8](repeating: 0, count: all.count)
    var position = 0
    for piece in parts.meta.pieces(in: all) {
      reportUnknown(in: position..<piece.range.lowerBound)
      data.replaceSubrange(piece.range, with: piece.replacement ?? Array(original(piece.range)))
      position = piece.range.upperBound
    }
    reportUnknown(in: position..<all.upperBound)
    return data
  }

  private mutating func reportUnknown(in range: Range<Int>) {
    for unknown in parts.meta.removed.gaps(in: range) where original(unknown).contains(where: { $0 != 0 }) {
      removed.insert(.otherData)
    }
  }

  private func original(_ range: Range<Int>) -> ArraySlice<UInt8> {
    file.meta.data.dropFirst(range.lowerBound).prefix(range.count)
  }
}

// MARK: - Properties

extension HEIFMetaCopy {
  /// Selects the properties of the items that stay. The other ones become free space, so that the numbers of all stay.
  private mutating func selectProperties() throws(ImageError) {
    for association in file.meta.associations.values.joined() { associated.insert(association.index) }
    for item in parts.items {
      for association in file.meta.associations[item] ?? [] {
        guard let kept = kept[association.index] else { continue }
        let type = file.meta.properties[association.index].type
        if HEIFWriting.keptProperties.contains(type) {
          if kept != nil { properties.insert(association.index) }
        } else if association.isEssential, !HEIFProperties.ignored.contains(type) {
          throw ImageError(.unsupported, "The image uses an unsupported feature: the property \(type).")
        }
      }
    }
  }

  private mutating func itemProperties(_ content: BoxReader) throws(ImageError) -> [UInt8] {
    var reader = content
    var boxes: [UInt8] = []
    while let box = try reader.box() {
      switch box.type {
      case "ipco": boxes += try HEIFWriting.box("ipco", list(box.content))
      case "ipma": boxes += try associations(box.content)
      default: removed.insert(.otherData)
      }
    }
    return HEIFWriting.box("iprp", boxes)
  }

  private mutating func list(_ content: BoxReader) throws(ImageError) -> [UInt8] {
    var reader = content
    var boxes: [UInt8] = []
    while let property = try reader.box() {
      propertyCount += 1
      let kept = kept[propertyCount - 1] ?? nil
      if properties.contains(propertyCount - 1), let kept {
        boxes += HEIFWriting.box(property.type, kept)
        leaveOut(property.content.rest.dropFirst(kept.count))
        continue
      }
      boxes += HEIFWriting.box("free", [UInt8](repeating: 0, count: property.content.rest.count))
      switch property.type {
      case "udes": removed.insert(.text)
      case "crtt", "mdft": removed.insert(.time)
      case "free", "skip": leaveOut(property.content.rest)
      default:
        // The properties of an image that is left out are left out with it.
        let isKnown = kept != nil && associated.contains(propertyCount - 1)
        if !isKnown { removed.insert(.otherData) }
      }
    }
    return boxes
  }

  private mutating func associations(_ content: BoxReader) throws(ImageError) -> [UInt8] {
    var reader = content
    let (version, flags) = try reader.version()
    let isLong = flags & 1 == 1
    let mark = isLong ? 0x7FFF : 0x7F
    var left = try reader.long()
    var entries: [UInt8] = []
    var count = 0
    while left > 0 {
      left -= 1
      let start = reader.rest
      let item = try HEIFMeta.itemID(&reader, isLong: version > 0)
      let head = start.dropLast(reader.rest.count)
      var kept: [UInt8] = []
      var number: UInt8 = 0
      for _ in 0..<(try reader.byte()) {
        let value = try reader.take(isLong ? 2 : 1)
        let index = value.reduce(0) { $0 << 8 | Int($1) } & mark
        guard properties.contains(index - 1) else { continue }
        kept += value
        number += 1
      }
      guard parts.items.contains(item) else { continue }
      entries += head + [number] + kept
      count += 1
    }
    leaveOut(reader.rest)
    return HEIFWriting.box("ipma", content.rest.prefix(4) + BigEndian.bytes(count, 4) + entries)
  }
}
