import Foundation

/// The image that a closure of ``UIImage/drawing(_:)`` draws to. *Beyond Apple's API.*
///
/// Coordinates are in pixels from the top left corner. What is drawn later covers what is there (“over”). Colors are mixed
/// in linear light, as in thumbnails and collages, and edges are smooth. Parts outside the image are not drawn, and shapes
/// with coordinates that are not finite have no effect.
public struct DrawingContext: Sendable {
  private(set) var bitmap: Bitmap
  private let flag: CancellationFlag

  init(_ bitmap: Bitmap, flag: CancellationFlag) {
    self.bitmap = bitmap
    self.flag = flag
  }

  /// The width of the image in pixels.
  public var width: Int { bitmap.size.width }
  /// The height of the image in pixels.
  public var height: Int { bitmap.size.height }

  /// Whether the task that waits for the image was cancelled. A closure that draws for a long time can check it.
  public var isCancelled: Bool { flag.isSet }

  /// Fills a shape.
  public mutating func fill(_ shape: DrawingShape, with color: ImagePixels.Pixel) {
    guard let area = shape.area else { return }
    draw(area, without: nil, with: color)
  }

  /// Draws the outline of a shape. Half of the line is inside the shape, and half outside.
  public mutating func stroke(_ shape: DrawingShape, with color: ImagePixels.Pixel, lineWidth: Double = 1) {
    guard lineWidth > 0, lineWidth.isFinite, let outer = shape.grown(by: lineWidth / 2) else { return }
    draw(outer, without: shape.grown(by: -lineWidth / 2), with: color)
  }

  /// Draws a straight line with flat ends.
  public mutating func strokeLine(
    from start: CGPoint, to end: CGPoint, with color: ImagePixels.Pixel, lineWidth: Double = 1
  ) {
    guard let area = ConvexArea.line(from: start, to: end, width: lineWidth) else { return }
    draw(area, without: nil, with: color)
  }

  /// Draws an image at its own size.
  ///
  /// - Parameters:
  ///   - image: The image, which is decoded if necessary.
  ///   - x: The column of its left edge, which may be negative.
  ///   - y: The row of its top edge, which may be negative.
  ///   - opacity: The opacity of the image, from 0 to 1.
  /// - Throws: ``ImageError``
  public mutating func draw(_ image: UIImage, x: Int, y: Int, opacity: Double = 1) throws(ImageError) {
    // Farther away, nothing would be visible, and sums could overflow.
    let limit = 1 << 30
    guard abs(max(x, -limit)) < limit, abs(max(y, -limit)) < limit else { return }
    try bitmap.draw(
      try image.bitmap(flag: flag), left: x, top: y, within: PixelRect(bitmap.size),
      opacity: Self.clamped(opacity), flag: flag)
  }

  /// Draws an image into a rectangle. The image is scaled as a thumbnail is, and enlarged if necessary.
  ///
  /// - Parameters:
  ///   - image: The image, which is decoded if necessary.
  ///   - rect: The rectangle; its edges are rounded to the nearest pixels.
  ///   - mode: The way to fit an image with another aspect ratio. An image that does not fill the rectangle is in its middle.
  ///   - opacity: The opacity of the image, from 0 to 1.
  /// - Throws: ``ImageError``, with the code ``ImageError/Code-swift.struct/invalidRequest`` if the rectangle is empty or
  ///   too large.
  public mutating func draw(
    _ image: UIImage, in rect: CGRect, mode: ThumbnailTarget.Mode = .fit, opacity: Double = 1
  ) throws(ImageError) {
    let part = rect.standardized
    let edges = [part.minX, part.minY, part.maxX, part.maxY].map { $0.rounded() }
    let (left, top, width, height) = (edges[0], edges[1], edges[2] - edges[0], edges[3] - edges[1])
    let limit = Double(ThumbnailGeometry.maximumSide)
    guard abs(left) <= 1e6, abs(top) <= 1e6, width >= 1, height >= 1, width <= limit, height <= limit else {
      throw ImageError(.invalidRequest, "An image cannot be drawn into the rectangle \(rect).")
    }
    let size = PixelSize(width: Int(width), height: Int(height))
    let target = ThumbnailTarget(width: size.width, height: size.height, mode: mode, enlarges: true)
    let scaled = try image.decoded(to: target, flag: flag).bitmap(flag: flag)
    let area = PixelRect(x: Int(left), y: Int(top), size: size)
    try bitmap.draw(
      scaled, left: area.x + (size.width - scaled.size.width) / 2,
      top: area.y + (size.height - scaled.size.height) / 2, within: area, opacity: Self.clamped(opacity),
      flag: flag)
  }

  private static func clamped(_ opacity: Double) -> Float { opacity > 0 ? Float(min(opacity, 1)) : 0 }

  private mutating func draw(_ area: ConvexArea, without hole: ConvexArea?, with color: ImagePixels.Pixel) {
    guard let rows = area.rows else { return }
    let holeRows = hole?.rows
    // Coordinates may be far outside the range of an integer.
    let first = Int(min(max(rows.lowerBound, 0), Double(height)).rounded(.down))
    let end = Int(min(max(rows.upperBound, 0), Double(height)).rounded(.up))
    guard first < end else { return }
    let (bytes, hasAlpha, width) = (bitmap.format.bytesPerPixel, bitmap.format.hasAlpha, width)
    let opacity = Float(color.alpha) / 255
    var coverage = CoverageRow(width: width)
    for row in first..<end {
      // The closure's caller reports that the task was cancelled.
      if flag.isSet { return }
      coverage.add(area, rows: rows, row: row)
      if let hole, let holeRows { coverage.add(hole, rows: holeRows, row: row, factor: -1) }
      bitmap.pixels.withUnsafeMutableBufferPointer { pixels in
        guard let base = pixels.baseAddress else { return }
        coverage.drain { column, share in
          PixelBlending.draw(
            (color.red, color.green, color.blue), share: share * opacity,
            over: base + (row * width + column) * bytes, hasAlpha: hasAlpha)
        }
      }
    }
  }
}

extension UIImage {
  /// Returns the image with something drawn over it. *Beyond Apple's API.*
  ///
  /// The closure runs on one of the library's threads. If the task is cancelled, the work ends between two rows.
  ///
  /// - Throws: ``ImageError``, and the error that the closure throws.
  public func drawing(
    _ draw: @escaping @Sendable (inout DrawingContext) throws -> Void
  ) async throws -> UIImage {
    try await WorkPool.shared.run { (flag) throws(ImageError) in
      try Self.drawn(on: self.bitmap(flag: flag), scale: self.scale, damage: self.damage, flag, draw)
    }.get()
  }

  /// Returns a new image with something drawn on it. *Beyond Apple's API.*
  ///
  /// - Parameters:
  ///   - width: The width in pixels.
  ///   - height: The height in pixels.
  ///   - background: The color of the image before anything is drawn. An opaque color makes an image without alpha.
  ///   - draw: Draws the image, on one of the library's threads.
  /// - Throws: ``ImageError``, with the code ``ImageError/Code-swift.struct/invalidRequest`` if the size is empty or has more
  ///   than 50 million pixels, and the error that the closure throws.
  public static func drawing(
    width: Int, height: Int, background: ImagePixels.Pixel = .clear,
    _ draw: @escaping @Sendable (inout DrawingContext) throws -> Void
  ) async throws -> UIImage {
    let size = PixelSize(width: width, height: height)
    guard width > 0, height > 0, width <= ThumbnailGeometry.maximumSide,
      height <= ThumbnailGeometry.maximumSide,
      size.pixelCount <= ThumbnailGeometry.maximumEnlargedPixels
    else {
      throw ImageError(.invalidRequest, "An image of \(width) × \(height) pixels cannot be drawn.")
    }
    return try await WorkPool.shared.run { (flag) throws(ImageError) in
      try drawn(on: Bitmap(size: size, filledWith: background), scale: 1, damage: [], flag, draw)
    }.get()
  }

  private static func drawn(
    on bitmap: Bitmap, scale: Double, damage: [ImageDamage], _ flag: CancellationFlag,
    _ draw: (inout DrawingContext) throws -> Void
  ) throws(ImageError) -> Result<UIImage, any Error> {
    var context = DrawingContext(bitmap, flag: flag)
    let result = Result { try draw(&context) }
    try flag.check()
    return result.map { UIImage(bitmap: context.bitmap, scale: scale, damage: damage) }
  }
}

extension Bitmap {
  /// Creates pixels of one color, with alpha unless the color is opaque.
  init(size: PixelSize, filledWith color: ImagePixels.Pixel) {
    let isOpaque = color.alpha == 255
    let pixel = [color.red, color.green, color.blue] + (isOpaque ? [] : [color.alpha])
    let row = Array(repeatElement(pixel, count: size.width).joined())
    self.init(
      size: size, format: isOpaque ? .rgb8 : .rgba8,
      pixels: Array(repeatElement(row, count: size.height).joined()))
  }
}
