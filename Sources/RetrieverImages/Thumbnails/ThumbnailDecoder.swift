import Foundation

/// Makes thumbnails of a picture whose bytes come piece by piece: several sizes of one pass over its rows.
///
/// It belongs to one job at a time. Dropping it in the middle frees everything.
final class ThumbnailDecoder {
  private let targets: [ThumbnailTarget?]
  private let mark: CancellationMark
  private let rows: RowFanOut
  private let decoder: any ImageDecoder
  private let budget: TimeBudget

  /// - Parameters:
  ///   - targets: nil is the whole picture at its own size.
  ///   - byteCount: the length of the whole file, where it is known.
  ///   - mark: ends the work between two rows.
  init(
    targets: [ThumbnailTarget?], limits: ImageLimits, byteCount: Int? = nil,
    mark: CancellationMark = CancellationMark()
  ) {
    self.targets = targets
    self.mark = mark
    budget = TimeBudget(limits.duration)
    rows = RowFanOut(targets: targets, mark: mark, budget: budget)
    decoder = makeImageDecoder(consumer: rows, limits: limits, byteCount: byteCount)
  }

  /// What the picture says of itself, once enough of it was seen.
  var header: ImageHeader? { decoder.header }

  /// Takes the next bytes, and does what can be done with them.
  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    try withPartialImages { () throws(ImageError) in
      try budget.spend { () throws(ImageError) in
        var rest = bytes[...]
        // A progressive picture has no rows for long: the mark is looked at between pieces as well.
        while !rest.isEmpty {
          try mark.check()
          try budget.check()
          let size = isBaselineJPEG ? rest.count : Self.pieceSize
          try decoder.feed(UnsafeRawBufferPointer(rebasing: rest.prefix(size)))
          rest = rest.dropFirst(size)
        }
      }
    }
  }

  /// It looks at the mark in each of its rows, and towards the end of a piece libjpeg is slower.
  private var isBaselineJPEG: Bool { header.map { $0.format == .jpeg && !$0.isProgressive } ?? false }

  /// Decoded in a millisecond or so.
  private static let pieceSize = 64 << 10

  /// There are no more bytes. The thumbnails come in the order of the targets.
  ///
  /// - Throws: what was wrong with the picture; ``ImageError/partialImages`` then holds what there is of it.
  func finish() throws(ImageError) -> [UIImage] {
    try mark.check()
    return try withPartialImages { () throws(ImageError) in
      try budget.spend { () throws(ImageError) in try decoder.finish() }
      var images: [UIImage] = []
      for builder in rows.builders {
        guard let bitmap = builder.finishedBitmap() else {
          throw ImageError(.truncated, "The image ended before its last row.")
        }
        images.append(UIImage(bitmap: bitmap))
      }
      return images
    }
  }

  /// The picture as far as it is there, in the size of the first target; nil while nothing is.
  ///
  /// Of a progressive picture that is all of it, blurred; of another one its upper part.
  func preview() throws(ImageError) -> UIImage? {
    let whole = RowFanOut(targets: Array(targets.prefix(1)), mark: mark, budget: budget)
    let isWhole = try budget.spend { () throws(ImageError) in try decoder.snapshot(into: whole) }
    return (isWhole ? whole : rows).builders.first?.bitmap().map { UIImage(bitmap: $0) }
  }

  private func withPartialImages<Value>(_ work: () throws(ImageError) -> Value) throws(ImageError) -> Value {
    do {
      return try work()
    } catch {
      var error = error
      if error.code != .cancelled, error.code != .outOfMemory {
        error.partialImages = rows.builders.compactMap { $0.bitmap().map { UIImage(bitmap: $0) } }
      }
      throw error
    }
  }
}
