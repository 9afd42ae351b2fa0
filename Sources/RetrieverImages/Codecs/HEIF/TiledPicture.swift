/// A picture in a HEIF file: one coded item, or a grid of them.
struct TiledPicture {
  /// The size of the complete picture.
  var size: PixelSize
  var tileSize: PixelSize
  var columns: Int
  var rows: Int
  /// The items of the tiles, row by row.
  var tiles: [UInt32]
  /// The codings of the tiles. All tiles of a grid have the same depth and format, but not always the same parameters.
  var codings: [TileCoding]

  /// The description of a grid, which is the data of its item.
  struct Grid {
    let rows, columns: Int
    let size: PixelSize

    init(_ description: [UInt8]) throws(ImageError) {
      var reader = BoxReader(description[...])
      _ = try reader.byte()
      let isLong = try reader.byte() & 1 == 1
      rows = Int(try reader.byte()) + 1
      columns = Int(try reader.byte()) + 1
      let length = isLong ? 4 : 2
      size = PixelSize(
        width: Int(try reader.number(bytes: length)), height: Int(try reader.number(bytes: length)))
    }
  }

  /// The maximum size of the description of a grid.
  static let maximumDescription = 64

  /// Returns a picture; nil if the description of its grid has not arrived.
  init?(
    _ item: UInt32, in meta: HEIFMeta, store: ItemStore, limits: ImageLimits
  ) throws(ImageError) {
    switch meta.types[item] {
    case "hvc1", "av01": try self.init(single: item, in: meta, limits: limits)
    case "grid":
      guard let location = meta.locations[item] else { throw Self.damaged("an item has no data") }
      if let problem = location.problem { throw problem }
      guard let description = store.bytes(of: location, in: meta.data, maximum: Self.maximumDescription)
      else {
        if location.isInMeta { throw Self.damaged("its grid is invalid") }
        return nil
      }
      try self.init(grid: item, description: description, in: meta, limits: limits)
    case let type?:
      throw ImageError(
        .unsupported, "The image is a HEIF image of the type \(type), which is not supported.")
    case nil: throw Self.damaged("it has no main image")
    }
  }

  private init(single item: UInt32, in meta: HEIFMeta, limits: ImageLimits) throws(ImageError) {
    let properties = try HEIFProperties(of: item, in: meta)
    guard let size = properties.size else { throw Self.damaged("its size is missing") }
    guard let coding = properties.coding else {
      throw Self.damaged("the configuration of its decoder is missing")
    }
    try limits.check(size)
    self.size = size
    tileSize = size
    (columns, rows) = (1, 1)
    tiles = [item]
    codings = [coding]
  }

  private init(
    grid item: UInt32, description: [UInt8], in meta: HEIFMeta, limits: ImageLimits
  ) throws(ImageError) {
    let grid = try Grid(description)
    (rows, columns, size) = (grid.rows, grid.columns, grid.size)
    try limits.check(size)
    tiles = meta.targets(of: "dimg", from: item)
    guard tiles.count == rows * columns else { throw Self.damaged("its grid has the wrong number of tiles") }
    codings = []
    tileSize = PixelSize(width: 0, height: 0)
    var known: [UInt32: TileCoding] = [:]
    for tile in tiles {
      if let coding = known[tile] {
        codings.append(coding)
        continue
      }
      guard meta.types[tile] == "hvc1" || meta.types[tile] == "av01" else {
        throw ImageError(.unsupported, "The image is a grid of images that are not HEVC or AV1.")
      }
      let part = try TiledPicture(single: tile, in: meta, limits: limits)
      guard known.isEmpty || part.size == tileSize else {
        throw Self.damaged("its tiles have different sizes")
      }
      tileSize = part.size
      known[tile] = part.codings[0]
      codings.append(part.codings[0])
    }
    // Every tile is needed, so that the work is proportional to the size of the image.
    guard tileSize.width * columns >= size.width, tileSize.height * rows >= size.height,
      tileSize.width * (columns - 1) < size.width, tileSize.height * (rows - 1) < size.height
    else { throw Self.damaged("its tiles do not match its size") }
  }

  /// The memory for one row of tiles.
  var memory: UInt64 {
    let perPixel = codings.map(\.maximumBytesPerPixel).max() ?? 1
    // libde265 needs two bytes for a pixel in addition to the planes, and each tile has a decoder.
    let pixels = UInt64(tileSize.width) * UInt64(columns) * UInt64(tileSize.height)
    return pixels * UInt64(perPixel + 2) + UInt64(columns) << 17
  }

  static func damaged(_ reason: String) -> ImageError {
    ImageError(.corrupt, "The HEIF image is damaged: \(reason).")
  }
}
