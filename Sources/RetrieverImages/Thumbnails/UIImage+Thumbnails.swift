import Foundation

// Thumbnails. In Apple's calls the size is exact, the proportions are given up, and what cannot be decoded is nil.
extension UIImage {
  /// A thumbnail of exactly the given size in pixels; nil when the image cannot be decoded or the size is none.
  ///
  /// The work is done on the calling thread: from async code use ``byPreparingThumbnail(ofSize:)``.
  public func preparingThumbnail(of size: CGSize) -> UIImage? {
    guard let target = ThumbnailTarget(exactly: size) else { return nil }
    return try? decoded(to: target, mark: CancellationMark())
  }

  /// Makes a thumbnail of exactly the given size in pixels, off the calling thread.
  ///
  /// - Parameter completionHandler: called once, on a thread of the library, with nil when the image cannot be
  ///   decoded or the size is none.
  public func prepareThumbnail(of size: CGSize, completionHandler: @escaping @Sendable (UIImage?) -> Void) {
    WorkPool.shared.perform { completionHandler(self.preparingThumbnail(of: size)) }
  }

  /// A thumbnail of exactly the given size in pixels; nil when the image cannot be decoded or the size is none.
  ///
  /// The work is done on threads of the library. Cancelling the task ends it between two rows, with nil.
  public func byPreparingThumbnail(ofSize size: CGSize) async -> UIImage? {
    guard let target = ThumbnailTarget(exactly: size) else { return nil }
    return try? await thumbnail(target)
  }

  /// A thumbnail that keeps the proportions, or cuts, as the target says. Beyond Apple's interface.
  ///
  /// The image is scaled in linear light, upright and in sRGB. A JPEG is decoded at a lower resolution where that
  /// suffices, so that no bitmap of its full size ever exists. Cancelling the task ends the work between two rows.
  ///
  /// - Throws: ``ImageError``; of an image that is cut short, ``ImageError/partialImages`` holds what there is.
  public func thumbnail(_ target: ThumbnailTarget, priority: WorkPriority = .normal) async throws -> UIImage {
    try await WorkPool.shared.run(priority: priority) { (mark) throws(ImageError) in
      try self.decoded(to: target, mark: mark)
    }
  }

  /// The same image, decoded; nil when that cannot be done.
  ///
  /// The work is done on the calling thread.
  public func preparingForDisplay() -> UIImage? { try? decoded(to: nil, mark: CancellationMark()) }

  /// Decodes the image off the calling thread.
  ///
  /// - Parameter completionHandler: called once, on a thread of the library, with nil when the image cannot be decoded.
  public func prepareForDisplay(completionHandler: @escaping @Sendable (UIImage?) -> Void) {
    WorkPool.shared.perform { completionHandler(self.preparingForDisplay()) }
  }

  /// The same image, decoded; nil when that cannot be done.
  ///
  /// The work is done on threads of the library. Cancelling the task ends it between two rows, with nil.
  public func byPreparingForDisplay() async -> UIImage? {
    try? await WorkPool.shared.run { (mark) throws(ImageError) in try self.decoded(to: nil, mark: mark) }
  }

  /// Decodes and scales on this thread; a nil target is the image at its own size.
  func decoded(to target: ThumbnailTarget?, mark: CancellationMark) throws(ImageError) -> UIImage {
    let images: [UIImage]
    switch source {
    case .decoded(let bitmap):
      if target == nil { return self }
      images = [UIImage(bitmap: try bitmap.scaled(to: target, mark: mark))]
    case .encoded(let data, _):
      let decoder = ThumbnailDecoder(targets: [target], limits: limits, byteCount: data.count, mark: mark)
      try data.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
      images = try decoder.finish()
    }
    guard let image = images.first else { throw ImageError(.corrupt, "The image has no pixels.") }
    return target == nil ? UIImage(source: image.source, limits: limits, scale: scale) : image
  }

  /// The pixels at full size, decoded on this thread.
  func bitmap(mark: CancellationMark = CancellationMark()) throws(ImageError) -> Bitmap {
    let image = try decoded(to: nil, mark: mark)
    guard case .decoded(let bitmap) = image.source else {
      throw ImageError(.corrupt, "The image has no pixels.")
    }
    return bitmap
  }
}

extension ThumbnailTarget {
  /// Exactly this size, as Apple's calls have it.
  fileprivate init?(exactly size: CGSize) {
    let width = size.width.rounded()
    let height = size.height.rounded()
    guard width >= 1, height >= 1, width <= Double(ThumbnailGeometry.mostPixels),
      height <= Double(ThumbnailGeometry.mostPixels)
    else { return nil }
    self.init(width: Int(width), height: Int(height), mode: .stretch, enlarges: true)
  }
}

extension Bitmap {
  /// Another size of pixels that are there already.
  func scaled(to target: ThumbnailTarget?, mark: CancellationMark) throws(ImageError) -> Bitmap {
    let rows = RowFanOut(targets: [target], mark: mark)
    _ = try rows.begin(ImageHeader(format: .png, size: size, hasAlpha: format.hasAlpha))
    try rows.prepare(for: RowLayout(size: size, format: format))
    let result: Result<Void, ImageError> = pixels.withUnsafeBytes { bytes in
      Result { () throws(ImageError) in
        for start in stride(from: 0, to: size.height * bytesPerRow, by: bytesPerRow) {
          try rows.take(UnsafeRawBufferPointer(rebasing: bytes[start..<start + bytesPerRow]))
        }
      }
    }
    try result.get()
    guard let bitmap = rows.builders.first?.finishedBitmap() else {
      throw ImageError(.corrupt, "The image has no pixels.")
    }
    return bitmap
  }
}
