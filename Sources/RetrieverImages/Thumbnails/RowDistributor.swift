/// Passes the rows of one image to every thumbnail that is made from it, with converted colors.
final class RowDistributor: RowConsumer {
  let builders: [ThumbnailBuilder]
  private let orientation: ImageOrientation?
  private let flag: CancellationFlag
  private let budget: TimeBudget?
  private(set) var header: ImageHeader?
  private var converter: RowConverter?
  private var rowsSinceCheck = 0

  /// - Parameter orientation: The orientation, if it is known already. It replaces the decoder's.
  init(
    targets: [ThumbnailTarget?], orientation: ImageOrientation? = nil, flag: CancellationFlag,
    budget: TimeBudget? = nil
  ) {
    builders = targets.map(ThumbnailBuilder.init)
    self.orientation = orientation
    self.flag = flag
    self.budget = budget
  }

  func begin(_ found: ImageHeader) throws(ImageError) -> PixelSize {
    var header = found
    if let orientation { header.orientation = orientation }
    self.header = header
    var minimum = PixelSize(width: 1, height: 1)
    for builder in builders {
      guard let size = builder.begin(header) else { continue }
      minimum.width = max(minimum.width, size.width)
      minimum.height = max(minimum.height, size.height)
    }
    // Without any thumbnail, there is no reason to decode the image.
    if let failure = builders.first?.failure, builders.allSatisfy({ $0.failure != nil }) { throw failure }
    return minimum
  }

  /// Applies the orientation that the decoder found at the end of the file. Returns false if the thumbnails must be made
  /// again with it.
  func turn(to found: ImageOrientation) -> Bool {
    guard orientation == nil else { return true }
    let turned = builders.map { $0.turn(to: found) }
    return turned.allSatisfy { $0 }
  }

  func neededArea(of size: PixelSize) -> FrameRectangle {
    var (left, top, right, bottom) = (size.width, size.height, 0, 0)
    for builder in builders where builder.failure == nil {
      let area = builder.neededArea(of: size)
      (left, top) = (min(left, area.x), min(top, area.y))
      right = max(right, area.x + area.size.width)
      bottom = max(bottom, area.y + area.size.height)
    }
    guard left < right, top < bottom else { return FrameRectangle(left: 0, top: 0, size: size) }
    return FrameRectangle(left: left, top: top, size: PixelSize(width: right - left, height: bottom - top))
  }

  func prepare(for rows: RowLayout) throws(ImageError) {
    let converter = RowConverter(rows, profile: header?.profile)
    for builder in builders {
      try builder.prepare(for: converter.converted, linearization: converter.linearization)
    }
    self.converter = converter
  }

  func take(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    try flag.check()
    // Reading the clock takes as long as scaling part of a row.
    rowsSinceCheck += 1
    if rowsSinceCheck == 16 {
      rowsSinceCheck = 0
      try budget?.check()
    }
    guard let converter, builders.contains(where: \.needsRows) else { return }
    try converter.convert(row) { (row) throws(ImageError) in
      for builder in builders where builder.needsRows { try builder.take(row) }
    }
  }
}
