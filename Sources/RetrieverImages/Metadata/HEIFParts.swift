/// What a copy of a HEIF file without metadata keeps: the main image with its parts, its opacity, and its gain map.
struct HEIFParts {
  /// The bytes of the file, or of the `idat` box.
  struct Places {
    /// A part that stays.
    struct Piece {
      var range: Range<Int>
      /// The bytes that take the place of those in the range; nil if they stay.
      var replacement: [UInt8]?
    }

    fileprivate(set) var kept = DisjointRanges()
    /// The data of items that are left out.
    fileprivate(set) var removed = DisjointRanges()
    fileprivate(set) var replaced: Piece?

    /// Returns the parts in a range that stay, in their order.
    func pieces(in range: Range<Int>) -> [Piece] {
      var pieces = kept.touching(range).map { Piece(range: $0) }
      if let replaced, range.overlaps(replaced.range) {
        let index = pieces.firstIndex { $0.range.lowerBound > replaced.range.lowerBound } ?? pieces.count
        pieces.insert(replaced, at: index)
      }
      return pieces
    }
  }

  /// The items that stay.
  private(set) var items: Set<UInt32>
  private(set) var file = Places()
  private(set) var meta = Places()
  private(set) var removed: Set<StrippedImage.Record> = []

  private let source: HEIFFile
  private var budget = RecordBudget()
  /// The content of the `mdat` boxes.
  private let data: DisjointRanges

  /// The types of items that contain coded pixels, or combine other images.
  private static let pictureTypes: Set<FourCharacterCode> = [
    "hvc1", "av01", "avc1", "vvc1", "lhv1", "jpeg", "j2k1", "unci", "grid", "iovl", "iden", "tmap",
  ]
  /// Those whose data contains no metadata of its own. A JPEG or JPEG 2000 can.
  private static let keptTypes = pictureTypes.subtracting(["jpeg", "j2k1"])

  /// - Parameter data: The content of the `mdat` boxes.
  init(_ source: HEIFFile, data: [Range<Int>]) throws(ImageError) {
    self.source = source
    self.data = DisjointRanges(data)
    items = source.parts(of: source.primary)
    // If our decoder can use none, others may.
    let alpha =
      source.meta.alpha(of: source.primary)
      ?? source.meta.sources(of: "auxl", to: source.primary).first { item in
        (try? HEIFProperties(of: item, in: source.meta, ignoresUnsupported: true))?.isAlpha == true
      }
    if let alpha { items.formUnion(source.parts(of: alpha)) }
    var map = try HEIFGainMap(source)
    if let item = map?.item, !canKeep(source.parts(of: item)) { map = nil }
    if let map {
      items.formUnion(source.parts(of: map.item))
      if let toneMap = map.toneMap { items.insert(toneMap) }
    }
    try keepItems()
    if let map { try replacePacket(of: map) }
    try leaveOutItems()
  }

  /// Returns the places of an item's data.
  private func ranges(of location: HEIFMeta.Location) -> [Range<Int>?] {
    let limit = location.isInMeta ? source.meta.data.count : source.source.count
    return location.extents.map { $0.range(within: limit) }
  }

  /// Returns whether items have no metadata of their own, and their data is in the file.
  private func canKeep(_ items: Set<UInt32>) -> Bool {
    items.allSatisfy { item in
      guard let type = source.meta.types[item] else { return true }
      guard Self.keptTypes.contains(type) else { return false }
      guard let location = source.meta.locations[item] else { return true }
      return ranges(of: location).allSatisfy { range in
        range.map { location.isInMeta || data.contains($0) } ?? false
      }
    }
  }

  private mutating func keepItems() throws(ImageError) {
    var (inFile, inMeta): ([Range<Int>], [Range<Int>]) = ([], [])
    for item in items.sorted() {
      guard let type = source.meta.types[item] else { continue }
      guard Self.keptTypes.contains(type) else {
        throw ImageError(
          .unsupported, "The image contains a part of the type \(type), which is not supported.")
      }
      // Some combinations of images have no data of their own.
      guard let location = source.meta.locations[item], !location.extents.isEmpty else { continue }
      if let problem = location.problem { throw problem }
      for range in ranges(of: location) {
        guard let range, location.isInMeta || data.contains(range) else { throw HEIFMeta.invalidLocation }
        if location.isInMeta { inMeta.append(range) } else { inFile.append(range) }
      }
    }
    file.kept = DisjointRanges(inFile)
    meta.kept = DisjointRanges(inMeta)
  }

  /// Reports the items that do not stay.
  private mutating func leaveOutItems() throws(ImageError) {
    let types = source.meta.types
    let tiles = Set(
      source.meta.references.filter { $0.key.type == "dimg" && types[$0.key.from] != nil }.values.joined())
    var (inFile, inMeta): ([Range<Int>], [Range<Int>]) = ([], [])
    // The order determines which records are within the budget.
    for (item, type) in source.meta.types.sorted(by: { $0.key < $1.key }) where !items.contains(item) {
      let isPicture = Self.pictureTypes.contains(type)
      // The tiles of a grid are left out with the grid.
      if !isPicture || !tiles.contains(item) { try report(item) }
      guard let location = source.meta.locations[item] else { continue }
      // Data within another item may be within one that stays.
      if !isPicture, let problem = location.problem, problem.code == .unsupported { throw problem }
      for range in ranges(of: location) {
        guard let range, !range.isEmpty else { continue }
        guard isPicture || !(location.isInMeta ? meta : file).kept.overlaps(range) else {
          throw ImageError(
            .unsupported,
            "Metadata of the image cannot be removed: it shares bytes with the pixels. Convert the image.")
        }
        if location.isInMeta { inMeta.append(range) } else { inFile.append(range) }
      }
    }
    file.removed = DisjointRanges(inFile)
    meta.removed = DisjointRanges(inMeta)
  }

  private mutating func report(_ item: UInt32) throws(ImageError) {
    switch source.description(item) {
    case .exif:
      removed.insert(.exif)
      guard !removed.contains(.location), let tiff = try exif(item) else { return }
      if EXIFValues(tiff).hasLocation { removed.insert(.location) }
    case .xmp: removed.insert(.xmp)
    case nil:
      let isThumbnail = !source.meta.targets(of: "thmb", from: item).isEmpty
      removed.insert(isThumbnail ? .thumbnail : .otherData)
    }
  }

  private mutating func exif(_ item: UInt32) throws(ImageError) -> TIFFReader? {
    try source.record(item, within: &budget).flatMap {
      TIFFReader(HEIFFile.tiff($0))
    }
  }

  /// Replaces the packet of a gain map by one with nothing but the values that describe the map. If that is not possible,
  /// the packet is left out.
  private mutating func replacePacket(of map: HEIFGainMap) throws(ImageError) {
    guard let item = map.packetItem, let location = source.meta.locations[item],
      location.extents.count == 1, let range = ranges(of: location)[0],
      location.isInMeta || data.contains(range),
      !(location.isInMeta ? meta : file).kept.overlaps(range),
      let old = try source.data(of: item, maximum: MetadataRecords.maximumBytes)
    else { return }
    var tiff: TIFFReader?
    for item in source.descriptions(of: source.primary)
    where tiff == nil && source.description(item) == .exif {
      tiff = try exif(item)
    }
    let headroom = map.description.headroom(tiff)
    guard let packet = map.description.strippedPacket(headroom: headroom), packet.utf8.count <= old.count
    else { return }
    items.insert(item)
    let bytes = Array(packet.utf8) + [UInt8](repeating: 0x20, count: old.count - packet.utf8.count)
    if bytes != old { removed.insert(.xmp) }
    let piece = Places.Piece(range: range, replacement: bytes)
    if location.isInMeta { meta.replaced = piece } else { file.replaced = piece }
  }
}
