/// Where the images of a collage stand, and what is between them.
public struct CollageLayout: Sendable, Hashable {
  /// What happens to an image whose proportions are not those of its cell.
  public enum ContentMode: Sendable, Hashable {
    /// The cell is covered; what stands over is cut off.
    case fill
    /// The whole image, in the middle of the cell.
    case fit
  }

  /// How many images stand in a row.
  public let columns: Int
  /// The most rows there may be; nil is as many as it takes.
  public let rows: Int?
  /// The width of each cell in pixels.
  public let cellWidth: Int
  /// The height of each cell in pixels.
  public let cellHeight: Int
  /// The pixels between two cells and around them.
  public let spacing: Int
  /// The colour around the images, and behind transparent ones.
  public let background: ImagePixels.Pixel
  /// What happens to an image whose proportions are not those of its cell.
  public let contentMode: ContentMode

  /// A layout. Numbers that make no sense are brought to the nearest that do: at least one column and row, cells of 1 to
  /// 4,096 pixels, and no more rows than make ``mostPixels`` in all.
  public init(
    columns: Int, rows: Int? = nil, cellWidth: Int, cellHeight: Int, spacing: Int = 8,
    background: ImagePixels.Pixel = ImagePixels.Pixel(red: 255, green: 255, blue: 255),
    contentMode: ContentMode = .fill
  ) {
    self.cellWidth = min(max(cellWidth, 1), 4_096)
    self.cellHeight = min(max(cellHeight, 1), 4_096)
    self.spacing = min(max(spacing, 0), 1_024)
    self.background = background
    self.contentMode = contentMode
    let mostColumns = (Self.mostPixels / (self.cellHeight + 2 * self.spacing) - self.spacing)
    self.columns = min(max(columns, 1), max(mostColumns / (self.cellWidth + self.spacing), 1))
    self.rows = rows.map { max($0, 1) }
  }

  /// The pixels that the whole of a collage may have.
  public static let mostPixels = 50_000_000

  /// How many images there is room for.
  public var capacity: Int {
    let width = columns * (cellWidth + spacing) + spacing
    let most = max((Self.mostPixels / width - spacing) / (cellHeight + spacing), 1)
    return min(rows ?? most, most) * columns
  }

  var target: ThumbnailTarget {
    ThumbnailTarget(
      width: cellWidth, height: cellHeight, mode: contentMode == .fill ? .fill : .fit, enlarges: true)
  }

  /// The size of a collage of so many images.
  func size(count: Int) -> PixelSize {
    let shown = min(max(count, 0), capacity)
    let columns = rows == nil ? min(columns, max(shown, 1)) : columns
    let rows = rows ?? max((shown + columns - 1) / columns, 1)
    return PixelSize(
      width: columns * (cellWidth + spacing) + spacing,
      height: min(rows, capacity / self.columns) * (cellHeight + spacing) + spacing)
  }

  /// The cell of an image, counted row by row.
  func cell(at index: Int) -> PixelRect {
    PixelRect(
      x: spacing + index % columns * (cellWidth + spacing),
      y: spacing + index / columns * (cellHeight + spacing),
      size: PixelSize(width: cellWidth, height: cellHeight))
  }
}
