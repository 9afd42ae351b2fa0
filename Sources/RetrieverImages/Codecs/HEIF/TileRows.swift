import CImageCodecs

/// Decodes the tiles of a picture as their data arrives, one row of tiles at a time, and reads the rows of pixels.
final class TileRows {
  private let picture: TiledPicture
  private let isAlpha: Bool
  private let format: RowFormat
  private let colors: CodedColors?
  private let smoothsChroma: Bool
  /// The tiles that are needed.
  private let neededColumns: Range<Int>
  private let neededRows: Range<Int>
  /// The current row of tiles, and its tiles as far as they are decoded.
  private var row = -1
  private var tiles: [Result<DecodedTile, ImageError>?] = []

  private typealias DecodedTile = (tile: CodedTile, conversion: codec_tile_conversion)

  /// - Parameter area: The part of the picture that is needed. Everywhere else, pixels are 0.
  init(
    _ picture: TiledPicture, isAlpha: Bool, area: FrameRectangle, format: RowFormat, colors: CodedColors?,
    smoothsChroma: Bool
  ) {
    self.picture = picture
    self.isAlpha = isAlpha
    self.format = format
    self.colors = colors
    self.smoothsChroma = smoothsChroma
    let size = picture.tileSize
    neededColumns = Self.tiles(
      from: area.left, count: area.size.width, length: size.width, limit: picture.columns)
    neededRows = Self.tiles(from: area.top, count: area.size.height, length: size.height, limit: picture.rows)
  }

  private static func tiles(from start: Int, count: Int, length: Int, limit: Int) -> Range<Int> {
    let first = min(max(start / length, 0), limit)
    return first..<max(first, min((start + count + length - 1) / length, limit))
  }

  /// The indices of the tiles that are needed.
  var neededTiles: [Int] {
    neededRows.flatMap { row in neededColumns.map { row * picture.columns + $0 } }
  }

  /// Decodes the tiles for a row of pixels whose data is there. Returns true if none is missing.
  ///
  /// Errors are kept for ``check()``, because the tiles of a damaged file arrive in any order, but its error must not depend
  /// on that.
  func prepare(row y: Int, from store: inout ItemStore) -> Bool {
    let wanted = y / picture.tileSize.height
    if wanted != row {
      row = wanted
      tiles = Array(repeating: nil, count: picture.columns)
    }
    guard neededRows.contains(row) else { return true }
    var isComplete = true
    for column in neededColumns where tiles[column] == nil {
      let index = row * picture.columns + column
      guard let data = store.take(picture.tiles[index]) else {
        isComplete = false
        continue
      }
      tiles[column] = Result { () throws(ImageError) in
        let tile = try CodedTile(data, coding: picture.codings[index], size: picture.tileSize)
        let conversion = try tile.conversion(
          to: format, colors: colors, isAlpha: isAlpha, smoothsChroma: smoothsChroma)
        return (tile, conversion)
      }
    }
    return isComplete
  }

  /// Throws the error of the first tile of the current row that could not be decoded.
  func check() throws(ImageError) {
    for tile in tiles { _ = try tile?.get() }
  }

  /// Writes columns of a row that was prepared to the start of a buffer.
  func read(row y: Int, columns: Range<Int>, into output: UnsafeMutableRawBufferPointer) {
    guard let base = output.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let width = picture.tileSize.width
    for column in neededColumns {
      guard case .success((let tile, let conversion))? = tiles[column] else { continue }
      let left = column * width
      let range = columns.clamped(to: left..<(left + width))
      guard !range.isEmpty else { continue }
      let offset = (range.lowerBound - columns.lowerBound) * format.bytesPerPixel
      guard offset + range.count * format.bytesPerPixel <= output.count else { continue }
      tile.read(
        row: y % picture.tileSize.height, columns: (range.lowerBound - left)..<(range.upperBound - left),
        with: conversion, isAlpha: isAlpha, into: base + offset)
    }
  }
}
