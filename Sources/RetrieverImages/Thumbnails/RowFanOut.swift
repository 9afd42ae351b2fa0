/// Hands the rows of one picture to every thumbnail that is made of it, in the colours they need.
final class RowFanOut: RowConsumer {
  let builders: [ThumbnailBuilder]
  private let mark: CancellationMark
  private let budget: TimeBudget?
  private(set) var header: ImageHeader?
  private var converter: RowConverter?
  private var rowsSinceCheck = 0

  init(targets: [ThumbnailTarget?], mark: CancellationMark, budget: TimeBudget? = nil) {
    builders = targets.map(ThumbnailBuilder.init)
    self.mark = mark
    self.budget = budget
  }

  func begin(_ header: ImageHeader) throws(ImageError) -> PixelSize {
    self.header = header
    var least = PixelSize(width: 1, height: 1)
    for builder in builders {
      let size = try builder.begin(header)
      least.width = max(least.width, size.width)
      least.height = max(least.height, size.height)
    }
    return least
  }

  func prepare(for rows: RowLayout) throws(ImageError) {
    let converter = RowConverter(rows, profile: header?.profile)
    for builder in builders {
      try builder.prepare(for: converter.converted, linearization: converter.linearization)
    }
    self.converter = converter
  }

  func take(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    try mark.check()
    // Reading the clock takes as long as scaling some of a row.
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
