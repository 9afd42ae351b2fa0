import Foundation

/// Makes thumbnails of an image whose bytes arrive in pieces: several sizes in one pass over its rows.
///
/// Only one job may use a decoder at a time. Releasing a decoder before the end frees everything it holds.
final class ThumbnailDecoder {
  private let targets: [ThumbnailTarget?]
  private let flag: CancellationFlag
  private let rows: RowDistributor
  private let decoder: any ImageDecoder
  private let budget: TimeBudget
  private let policy: DamagePolicy
  /// The tolerated damage that ended the decoding.
  private var end: ImageError?

  /// - Parameters:
  ///   - targets: The thumbnails' sizes; nil for the complete image at its own size.
  ///   - orientation: The orientation, if the complete file is known: that of a PNG may be stated after the pixels.
  ///   - policy: Whether ``finish()`` returns what could be decoded of a damaged image, or throws.
  ///   - flag: Ends the work between two rows when it is set.
  init(
    targets: [ThumbnailTarget?], limits: ImageLimits, orientation: ImageOrientation? = nil,
    policy: DamagePolicy = .strict,
    flag: CancellationFlag = CancellationFlag()
  ) {
    self.policy = policy
    self.targets = targets
    self.flag = flag
    budget = TimeBudget(limits.duration)
    rows = RowDistributor(targets: targets, orientation: orientation, flag: flag, budget: budget)
    decoder = makeImageDecoder(consumer: rows, limits: limits)
  }

  /// The orientation, if the file states it after the pixels and the size of a thumbnail, or the part that it shows,
  /// depends on it. The thumbnails must then be made again with it. Known after ``finish()``.
  private(set) var lateOrientation: ImageOrientation?

  /// The properties that the image declares, after enough of it was read.
  var header: ImageHeader? { decoder.header }

  /// Reads the next bytes, and decodes and scales as much as possible.
  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    guard end == nil else { return try flag.check() }
    try withPartialImages { () throws(ImageError) in
      try budget.spend { () throws(ImageError) in
        var rest = bytes[...]
        // A progressive image delivers no rows for a long time, so the flag is also checked between pieces.
        while !rest.isEmpty, end == nil {
          try flag.check()
          try budget.check()
          let size = isBaselineJPEG ? rest.count : Self.pieceSize
          try decode { () throws(ImageError) in
            try decoder.feed(UnsafeRawBufferPointer(rebasing: rest.prefix(size)))
          }
          rest = rest.dropFirst(size)
        }
      }
    }
  }

  /// True for a baseline JPEG, which needs no smaller pieces: the flag is checked in each row, and libjpeg is slower
  /// toward the end of a piece.
  private var isBaselineJPEG: Bool { header.map { $0.format == .jpeg && !$0.isProgressive } ?? false }

  /// The size of a piece, which takes about a millisecond to decode.
  private static let pieceSize = 64 << 10

  /// Ends the input and returns the thumbnails in the order of the targets.
  ///
  /// - Throws: The error in the image, whose ``ImageError/partialImages`` are the parts that could be decoded; or the reason why the
  ///   image cannot have one of the thumbnails.
  func finish() throws(ImageError) -> [UIImage] {
    var images: [UIImage] = []
    for result in try finishEach() { images.append(try result.get()) }
    return images
  }

  /// Ends the input and returns a thumbnail, or the reason why the image cannot have it, for each target.
  ///
  /// - Throws: The error in the image.
  func finishEach() throws(ImageError) -> [Result<UIImage, ImageError>] {
    try flag.check()
    return try withPartialImages { () throws(ImageError) in
      if end == nil {
        try budget.spend { () throws(ImageError) in
          try decode { () throws(ImageError) in try decoder.finish() }
        }
      }
      turn()
      var results: [Result<UIImage, ImageError>] = []
      for builder in rows.builders {
        if let failure = builder.failure {
          results.append(.failure(failure))
          continue
        }
        // If the decoder tolerated damage, rows may be missing.
        if let bitmap = builder.finishedBitmap() ?? (end == nil ? nil : builder.bitmap()) {
          results.append(
            .success(UIImage(bitmap: bitmap, damage: damage, originalSize: builder.originalSize)))
        } else if var end {
          // The part that this thumbnail shows is missing. Other sizes may show more.
          end.damage = damage
          results.append(.failure(end))
        } else {
          throw ImageError(.truncated, "The image is incomplete: its data ends before the last row.")
        }
      }
      return results
    }
  }

  private func turn() {
    guard let orientation = decoder.header?.orientation, !rows.turn(to: orientation) else { return }
    lateOrientation = orientation
  }

  /// What was wrong with the image so far.
  private var damage: [ImageDamage] {
    var damage = decoder.damage
    if let end { damage.add(ImageDamage(end, hasAllRows: decoder.isComplete)) }
    return damage
  }

  /// Returns the image as decoded so far, in the size of the first valid target; nil before the first row.
  ///
  /// For a progressive image, this is the complete image, blurred. For other images, it is the upper part.
  func preview() throws(ImageError) -> UIImage? {
    guard let index = rows.builders.firstIndex(where: { $0.failure == nil }) else { return nil }
    let snapshot = RowDistributor(targets: [targets[index]], flag: flag, budget: budget)
    let hasSnapshot = try budget.spend { () throws(ImageError) in try decoder.snapshot(into: snapshot) }
    let builder = hasSnapshot ? snapshot.builders[0] : rows.builders[index]
    return builder.bitmap().map { UIImage(bitmap: $0) }
  }

  /// Runs a step. An error contains what was wrong with the image, and the parts that were decoded.
  private func withPartialImages<Value>(_ work: () throws(ImageError) -> Value) throws(ImageError) -> Value {
    do {
      return try work()
    } catch {
      throw withPartialImages(error)
    }
  }

  private func withPartialImages(_ error: ImageError) -> ImageError {
    guard error.code != .cancelled, error.code != .outOfMemory else { return error }
    var error = error
    turn()
    error.partialBitmaps = rows.builders.compactMap { $0.bitmap() }
    error.damage = damage
    if error.isDamage { error.damage.add(ImageDamage(error, hasAllRows: decoder.isComplete)) }
    return error
  }

  /// Runs the decoder. If the policy tolerates the damage that ends the decoding, it is kept until the end.
  private func decode(_ work: () throws(ImageError) -> Void) throws(ImageError) {
    do {
      try work()
    } catch {
      // Without any row, there is no reason to read on.
      guard policy == .tolerate, error.isDamage, rows.builders.contains(where: { $0.hasPixels }) else {
        throw error
      }
      end = error
    }
  }
}

extension ImageError {
  /// The parts that could be decoded of an image that is incomplete or damaged: one image for each requested
  /// thumbnail. The missing parts are transparent.
  public var partialImages: [UIImage] { partialBitmaps.map { UIImage(bitmap: $0) } }
}
