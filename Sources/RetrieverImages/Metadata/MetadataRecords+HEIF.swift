import Foundation

extension MetadataRecords {
  /// Reads the items of a HEIC or AVIF that describe the main image. The pixels are not read.
  ///
  /// The orientation is the one that the container states. That of EXIF data has no meaning in these formats.
  mutating func readHEIF(_ source: any ByteSource) throws(ImageError) {
    let file = try HEIFFile(source)
    let (meta, primary) = (file.meta, file.primary)
    // The properties of the first tile apply if a grid has none of its own.
    let tiles = meta.types[primary] == "grid" ? meta.targets(of: "dimg", from: primary) : []
    let tile = tiles.first ?? primary
    let properties = try HEIFProperties(of: primary, in: meta, ignoresUnsupported: true)
    let first = try HEIFProperties(of: tile, in: meta, ignoresUnsupported: true)
    var size = properties.crop?.size ?? properties.size
    if size == nil, !tiles.isEmpty {
      let description = try file.data(of: primary, maximum: TiledPicture.maximumDescription)
      size = try description.map { (bytes) throws(ImageError) in try TiledPicture.Grid(bytes).size }
    }
    guard let size else {
      throw TiledPicture.damaged("its size is missing")
    }
    self.size = size
    switch meta.types[tile] {
    case "hvc1": format = .heic
    case "av01": format = .avif
    default: break
    }
    orientation = properties.orientation
    profile = (properties.profile ?? first.profile).map { Data($0) }
    for item in file.descriptions(of: primary) {
      guard let data = try file.record(item, within: &budget) else { continue }
      switch file.description(item) {
      case .exif: takeEXIF(HEIFFile.tiff(data))
      case .xmp: takeXMP(data)
      case nil: break
      }
    }
    gainMap = try HEIFGainMap(file)?.gainMap(file, exif: exif)
  }
}
