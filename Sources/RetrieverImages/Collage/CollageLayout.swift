/// The positions of the images of a collage, and the space between them.
public struct CollageLayout: Sendable, Hashable {
  /// The ways to fit an image into a cell with another aspect ratio.
  public enum ContentMode: Sendable, Hashable {
    /// The image covers the cell; the parts outside the cell are cut off.
    case fill
    /// The complete image, in the middle of the cell.
    case fit
  }

  /// The number of images in a row.
  public let columns: Int
  /// The maximum number of rows; nil for as many as needed.
  public let rows: Int?
  /// The width of each cell in pixels.
  public let cellWidth: Int
  /// The height of each cell in pixels.
  public let cellHeight: Int
  /// The number of pixels between two cells and around them.
  public let spacing: Int
  /// The color around the images and below transparent ones.
  public let background: ImagePixels.Pixel
  /// The way to fit an image into a cell with another aspect ratio.
  public let contentMode: ContentMode

  /// Creates a layout.
  ///
  /// Invalid numbers are replaced with the nearest valid ones: at least one column and row, cells of 1 to 4,096
  /// pixels, and at most as many rows as fit into ``maximumPixels``.
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
    let maximumWidth = (Self.maximumPixels / (self.cellHeight + 2 * self.spacing) - self.spacing)
    self.columns = min(max(columns, 1), max(maximumWidth / (self.cellWidth + self.spacing), 1))
    self.rows = rows.map { max($0, 1) }
  }

  /// The maximum number of pixels of a complete collage.
  public static let maximumPixels = 50_000_000

  /// The maximum number of images.
  public var capacity: Int {
    let width = columns * (cellWidth + spacing) + spacing
    let maximumRows = max((Self.maximumPixels / width - spacing) / (cellHeight + spacing), 1)
    return min(rows ?? maximumRows, maximumRows) * columns
  }

  var target: ThumbnailTarget {
    ThumbnailTarget(
      width: cellWidth, height: cellHeight, mode: contentMode == .fill ? .fill : .fit, enlarges: true)
  }

  /// Returns the size of a collage with a number of images.
  func size(count: Int) -> PixelSize {
    let shown = min(max(count, 0), capacity)
    let columns = rows == nil ? min(columns, max(shown, 1)) : columns
    let rows = rows ?? max((shown + columns - 1) / columns, 1)
    return PixelSize(
      width: columns * (cellWidth + spacing) + spacing,
      height: min(rows, capacity / self.columns) * (cellHeight + spacing) + spacing)
  }

  /// Returns the cell of an image, counted row by row.
  func cell(at index: Int) -> PixelRect {
    PixelRect(
      x: spacing + index % columns * (cellWidth + spacing),
      y: spacing + index / columns * (cellHeight + spacing),
      size: PixelSize(width: cellWidth, height: cellHeight))
  }
}
