/// The items of a HEIF file in memory or on a disk.
struct HEIFFile {
  let source: any ByteSource
  /// The `meta` box.
  let box: FileBox
  let content: [UInt8]
  let meta: HEIFMeta
  /// The number of the main image.
  let primary: UInt32

  /// Reads the `meta` box. The boxes after it are not read.
  init(_ source: any ByteSource) throws(ImageError) {
    var boxes = FileBoxes(source, of: .heif)
    var hasMovie = false
    while let box = try boxes.next() {
      if box.type == "moov" { hasMovie = true }
      if box.type == "meta" {
        try self.init(source, box)
        return
      }
    }
    throw hasMovie ? HEIFMeta.onlySequence : TiledPicture.damaged("it has no main image")
  }

  /// - Parameter box: The `meta` box.
  init(_ source: any ByteSource, _ box: FileBox) throws(ImageError) {
    let maximum = HEIFDecoder.maximumMetaSize
    guard box.content.count <= maximum else {
      throw ImageError(
        .tooLarge,
        "The description of the image has \(box.content.count) bytes; the maximum is \(maximum) bytes.")
    }
    self.source = source
    self.box = box
    content = try source.bytes(box.content)
    meta = try HEIFMeta(content)
    guard let primary = meta.primary else { throw TiledPicture.damaged("it has no main image") }
    self.primary = primary
  }

  /// Returns the data of an item; nil if it is larger than the maximum, or not in the file.
  func data(of item: UInt32, maximum: Int) throws(ImageError) -> [UInt8]? {
    guard let location = meta.locations[item], location.problem == nil else { return nil }
    let limit = location.isInMeta ? meta.data.count : source.count
    var ranges: [Range<Int>] = []
    var left = maximum
    for extent in location.extents {
      guard let range = extent.range(within: limit), range.count <= left else { return nil }
      left -= range.count
      ranges.append(range)
    }
    var data: [UInt8] = []
    data.reserveCapacity(maximum - left)
    for range in ranges {
      if location.isInMeta {
        data += meta.data.dropFirst(range.lowerBound).prefix(range.count)
      } else {
        data += try source.bytes(range)
      }
    }
    return data
  }

  /// Returns the data of an item with metadata; nil if it is too large, over the budget, or not in the file.
  ///
  /// Any number of items can share the same bytes of the file.
  func record(_ item: UInt32, within budget: inout RecordBudget) throws(ImageError) -> [UInt8]? {
    let maximum = min(MetadataRecords.maximumBytes, budget.left)
    guard let data = try data(of: item, maximum: maximum), budget.take(data.count) else { return nil }
    return data
  }

  /// An item with metadata.
  enum Description { case exif, xmp }

  func description(_ item: UInt32) -> Description? {
    switch meta.types[item] {
    case "Exif": .exif
    case "mime" where meta.contentTypes[item] == "application/rdf+xml": .xmp
    default: nil
    }
  }

  /// Returns the items with metadata of an image. Items that do not say what they describe belong to the main image.
  func descriptions(of image: UInt32) -> [UInt32] {
    meta.types.keys.filter { item in
      guard description(item) != nil else { return false }
      let targets = meta.targets(of: "cdsc", from: item)
      return targets.contains(image) || targets.isEmpty && image == primary
    }.sorted()
  }

  /// Returns the TIFF data in an `Exif` item, which begins with the number of bytes before it.
  static func tiff(_ data: [UInt8]) -> [UInt8] {
    let offset = data.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    return Array(data.dropFirst(4).dropFirst(offset))
  }

  /// Returns an item and the items that it consists of, such as the tiles of a grid.
  func parts(of item: UInt32) -> Set<UInt32> {
    var found: Set<UInt32> = [item]
    var rest = [item]
    while let next = rest.popLast() {
      for part in meta.targets(of: "dimg", from: next) where found.insert(part).inserted { rest.append(part) }
    }
    return found
  }
}
