/// Makes one thumbnail from the rows of an image.
final class ThumbnailBuilder {
  private let target: ThumbnailTarget?
  private var geometry: ThumbnailGeometry?
  private var orientation = ImageOrientation.up
  /// The size of the image as stored.
  private var size: PixelSize?
  private var resampler: Resampler?
  private var pixels: [UInt8] = []
  private var format = RowFormat.rgb8
  /// Set if the image cannot have this thumbnail. The other thumbnails of the same image do not fail.
  private(set) var failure: ImageError?

  /// - Parameter target: The thumbnail's size; nil for the complete image at its own size.
  init(_ target: ThumbnailTarget?) { self.target = target }

  /// Returns the smallest acceptable size of the rows; nil if the image cannot have this thumbnail.
  func begin(_ header: ImageHeader) -> PixelSize? {
    orientation = header.orientation
    size = header.size
    do {
      let geometry = try ThumbnailGeometry(target, size: header.size, orientation: orientation)
      self.geometry = geometry
      return target == nil ? header.size : geometry.minimumDecodedSize
    } catch {
      failure = error
      return nil
    }
  }

  /// The size of the image as displayed.
  var originalSize: PixelSize? { orientation.isTransposed ? size?.transposed : size }

  /// Applies another orientation than that of the header. Returns false if the thumbnail must be made again with it, because
  /// its size or the part that it shows depends on it.
  func turn(to found: ImageOrientation) -> Bool {
    guard let size, found != orientation else { return true }
    guard (try? ThumbnailGeometry(target, size: size, orientation: found)) == geometry else { return false }
    orientation = found
    return true
  }

  /// Returns the part of an image that is not scaled that the thumbnail shows.
  func neededArea(of size: PixelSize) -> PixelRect {
    geometry?.crop(in: size) ?? PixelRect(x: 0, y: 0, size: size)
  }

  func prepare(for rows: RowLayout, linearization: Linearization) throws(ImageError) {
    guard let geometry else { return }
    resampler = try Resampler(
      source: rows, area: geometry.area(in: rows), target: geometry.storedSize,
      linearization: linearization)
    format = rows.format.hasAlpha ? .rgba8 : .rgb8
    pixels.reserveCapacity(geometry.storedSize.pixelCount * format.bytesPerPixel)
  }

  /// False if this row and all following ones are not part of the thumbnail.
  var needsRows: Bool { resampler.map { !$0.isComplete } ?? false }

  func take(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    try resampler?.push(row) { (made) throws(ImageError) in pixels.append(contentsOf: made) }
  }

  /// True after the first row of the thumbnail was made.
  var hasPixels: Bool { !pixels.isEmpty }

  /// Returns the thumbnail, upright. Missing rows are transparent. Returns nil before the first row.
  func bitmap() -> Bitmap? {
    guard let geometry, !pixels.isEmpty else { return nil }
    let missing = geometry.storedSize.pixelCount * format.bytesPerPixel - pixels.count
    if missing == 0 {
      return Bitmap(size: geometry.storedSize, format: format, pixels: pixels).upright(from: orientation)
    }
    var partial = format == .rgba8 ? pixels : pixels.withAlpha()
    partial.append(
      contentsOf: repeatElement(0, count: max(geometry.storedSize.pixelCount * 4 - partial.count, 0)))
    return Bitmap(size: geometry.storedSize, format: .rgba8, pixels: partial).upright(from: orientation)
  }

  /// Returns the thumbnail if all rows are there, and releases the memory of its pixels.
  func finishedBitmap() -> Bitmap? {
    guard resampler?.isComplete == true else { return nil }
    defer { pixels = [] }
    return bitmap()
  }
}

extension [UInt8] {
  /// Converts opaque pixels with three samples to pixels with four.
  fileprivate func withAlpha() -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count / 3 * 4)
    for start in stride(from: 0, to: count - 2, by: 3) {
      result.append(contentsOf: self[start..<start + 3])
      result.append(255)
    }
    return result
  }
}
