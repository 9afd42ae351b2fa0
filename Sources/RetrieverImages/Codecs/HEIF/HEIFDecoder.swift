import CImageCodecs
import Foundation

/// Reads a HEIC or AVIF image: a HEIF file whose pixels are coded with HEVC or AV1.
///
/// Images of phones are grids of tiles. A tile is decoded when its data is complete, and a row of tiles is delivered when
/// all of its tiles are decoded; only one row of tiles is in memory at a time.
final class HEIFDecoder: ImageDecoder {
  private(set) var header: ImageHeader?
  private(set) var isComplete = false

  private let consumer: any RowConsumer
  private let limits: ImageLimits
  private var parser: BoxParser
  private var store = ItemStore()
  private var byteCount = 0
  private var failure: ImageError?
  private var meta: HEIFMeta?
  private var pixels: Pixels?

  /// The state of an image whose rows are delivered.
  private struct Pixels {
    let area: FrameRectangle
    let colors: TileRows
    let alpha: TileRows?
    let isPremultiplied: Bool
    let format: RowFormat
    let row: RowBuffer
    var delivered = 0
  }

  init(consumer: any RowConsumer, limits: ImageLimits) {
    self.consumer = consumer
    self.limits = limits
    parser = BoxParser(maximumMetaSize: min(limits.bytes, Self.maximumMetaSize))
  }

  /// The maximum size of the description of the images, whose tables take up to ten times as much memory. That of a
  /// phone has a few kilobytes.
  static let maximumMetaSize = 4 << 20

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    if let failure { throw failure }
    do throws(ImageError) {
      try limits.count(bytes, into: &byteCount)
      guard !isComplete else { return }
      store.add(bytes)
      if let content = try parser.take(bytes) { meta = try HEIFMeta(content) }
      try proceed()
    } catch {
      try fail(error)
    }
  }

  func finish() throws(ImageError) {
    if let failure { throw failure }
    do throws(ImageError) {
      if let content = parser.finish() {
        meta = try HEIFMeta(content)
        try proceed()
      }
      if header == nil, meta == nil, parser.hasMovie { throw HEIFMeta.onlySequence }
      guard isComplete else { throw .truncated(header?.format == .avif ? "AVIF" : "HEIC") }
    } catch {
      try fail(error)
    }
  }

  func snapshot(into consumer: any RowConsumer) throws(ImageError) -> Bool { false }

  private func fail(_ error: ImageError) throws(ImageError) {
    failure = error
    pixels = nil
    store = ItemStore()
    throw error
  }

  private func proceed() throws(ImageError) {
    if let meta, UInt64(store.position) >= meta.endOfGrids,
      let image = try HEIFImage(meta, store: store, limits: limits)
    {
      self.meta = nil
      pixels = try begin(image, meta: meta)
    }
    try deliver()
  }

  private func begin(_ image: HEIFImage, meta: HEIFMeta) throws(ImageError) -> Pixels {
    let header = image.header
    let size = header.size
    self.header = header
    let wanted = try consumer.begin(header)
    for coding in image.picture.codings + (image.alpha?.codings ?? []) {
      try CodedTile.checkLibrary(for: coding)
    }
    let format = image.rowFormat
    try consumer.prepare(
      for: RowLayout(size: size, format: format, isGrey: image.isMonochrome && format.channels > 1))
    var needed = consumer.neededArea(of: size)
    needed.left += image.area.left
    needed.top += image.area.top
    // Chroma need not be smooth if the rows are scaled down.
    let smoothsChroma = wanted.width > size.width / 2 || wanted.height > size.height / 2
    let colors = TileRows(
      image.picture, isAlpha: false, area: needed, format: format, colors: image.colors,
      smoothsChroma: smoothsChroma)
    let alpha = image.alpha.map {
      TileRows($0, isAlpha: true, area: needed, format: format, colors: nil, smoothsChroma: false)
    }
    var items: [UInt32: (location: HEIFMeta.Location, users: Int)] = [:]
    let colorItems = colors.neededTiles.map { image.picture.tiles[$0] }
    let alphaItems = alpha?.neededTiles.compactMap { image.alpha?.tiles[$0] } ?? []
    for item in colorItems + alphaItems {
      guard let location = meta.locations[item] else { throw TiledPicture.damaged("an item has no data") }
      if let problem = location.problem { throw problem }
      items[item, default: (location, 0)].users += 1
    }
    try store.select(items, data: meta.data, limits: limits)
    let row = try RowBuffer(rows: 1, bytesPerRow: size.width * format.bytesPerPixel)
    return Pixels(
      area: image.area, colors: colors, alpha: alpha, isPremultiplied: image.isPremultiplied, format: format,
      row: row)
  }

  /// Delivers all rows whose tiles are there.
  private func deliver() throws(ImageError) {
    guard var pixels else { return }
    let area = pixels.area
    let columns = area.left..<(area.left + area.size.width)
    let memory = UnsafeMutableRawBufferPointer(start: pixels.row.base, count: pixels.row.bytesPerRow)
    while pixels.delivered < area.size.height {
      let y = area.top + pixels.delivered
      // Both are asked, so that tiles of alpha are decoded while those of colors are missing.
      let hasColors = pixels.colors.prepare(row: y, from: &store)
      let hasAlpha = pixels.alpha?.prepare(row: y, from: &store) ?? true
      guard hasColors, hasAlpha else { break }
      try pixels.colors.check()
      try pixels.alpha?.check()
      pixels.colors.read(row: y, columns: columns, into: memory)
      pixels.alpha?.read(row: y, columns: columns, into: memory)
      if pixels.isPremultiplied {
        codec_tile_unpremultiply(
          pixels.row.base.assumingMemoryBound(to: UInt8.self), columns.count,
          Int32(pixels.format.bytesPerSample))
      }
      pixels.delivered += 1
      self.pixels = pixels
      try consumer.take(pixels.row[0])
    }
    guard pixels.delivered == area.size.height else { return }
    isComplete = true
    self.pixels = nil
    store = ItemStore()
  }
}
