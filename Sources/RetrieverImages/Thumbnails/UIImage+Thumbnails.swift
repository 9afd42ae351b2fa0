import Foundation

// Thumbnails. Apple's methods return exactly the requested size, change the aspect ratio, and return nil on failure. All
// thumbnails of damaged images show what could be decoded.
extension UIImage {
  /// Returns a thumbnail of exactly the given size in pixels, or nil if the image cannot be decoded or the size is
  /// invalid.
  ///
  /// This method decodes on the calling thread. In async code, use ``byPreparingThumbnail(ofSize:)``.
  public func preparingThumbnail(of size: CGSize) -> UIImage? {
    guard let target = ThumbnailTarget(exactly: size) else { return nil }
    return try? decoded(to: target, policy: .tolerate, flag: CancellationFlag())
  }

  /// Makes a thumbnail of exactly the given size in pixels, off the calling thread.
  ///
  /// - Parameters:
  ///   - size: The size of the thumbnail.
  ///   - completionHandler: Called once, on a thread of the library. Its argument is nil if the image cannot be decoded
  ///     or the size is invalid.
  public func prepareThumbnail(of size: CGSize, completionHandler: @escaping @Sendable (UIImage?) -> Void) {
    WorkPool.shared.perform { completionHandler(self.preparingThumbnail(of: size)) }
  }

  /// Returns a thumbnail of exactly the given size in pixels, or nil if the image cannot be decoded or the size is
  /// invalid.
  ///
  /// The library decodes on its own threads. If the task is cancelled, the work ends between two rows, and the result
  /// is nil.
  public func byPreparingThumbnail(ofSize size: CGSize) async -> UIImage? {
    guard let target = ThumbnailTarget(exactly: size) else { return nil }
    return try? await thumbnail(target)
  }

  /// Returns a thumbnail that keeps the aspect ratio or is cropped, as the target specifies. *Beyond Apple's API.*
  ///
  /// The thumbnail is scaled in linear light, upright and in sRGB. A JPEG is decoded at a lower resolution if that is
  /// sufficient, so that no bitmap of its full size exists. If the task is cancelled, the work ends between two rows.
  ///
  /// - Parameters:
  ///   - target: The size, and the way to fit the image into it.
  ///   - priority: The priority of the work.
  ///   - policy: Whether what could be decoded of a damaged image is returned, with ``damage`` as the list of what was
  ///     wrong, or is an error (default: it is returned).
  /// - Throws: ``ImageError``. If the image is damaged, ``ImageError/partialImages`` contains the part that could be
  ///   decoded, and ``ImageError/damage`` lists what was wrong.
  public func thumbnail(
    _ target: ThumbnailTarget, priority: WorkPriority = .normal, damage policy: DamagePolicy = .tolerate
  ) async throws -> UIImage {
    try await WorkPool.shared.run(priority: priority) { (flag) throws(ImageError) in
      try self.decoded(to: target, policy: policy, flag: flag)
    }
  }

  /// Returns the same image, decoded, or nil if it cannot be decoded completely.
  ///
  /// This method decodes on the calling thread.
  public func preparingForDisplay() -> UIImage? { try? decoded(to: nil, flag: CancellationFlag()) }

  /// Decodes the image off the calling thread.
  ///
  /// - Parameter completionHandler: Called once, on a thread of the library. Its argument is nil if the image cannot
  ///   be decoded.
  public func prepareForDisplay(completionHandler: @escaping @Sendable (UIImage?) -> Void) {
    WorkPool.shared.perform { completionHandler(self.preparingForDisplay()) }
  }

  /// Returns the same image, decoded, or nil if it cannot be decoded.
  ///
  /// The library decodes on its own threads. If the task is cancelled, the work ends between two rows, and the result
  /// is nil.
  public func byPreparingForDisplay() async -> UIImage? {
    try? await WorkPool.shared.run { (flag) throws(ImageError) in try self.decoded(to: nil, flag: flag) }
  }

  /// Decodes and scales on the calling thread; a nil target is the image at its own size.
  func decoded(
    to target: ThumbnailTarget?, policy: DamagePolicy = .strict, flag: CancellationFlag
  ) throws(ImageError) -> UIImage {
    let images: [UIImage]
    switch source {
    case .decoded(let bitmap):
      if target == nil { return self }
      images = [UIImage(bitmap: try bitmap.scaled(to: target, flag: flag), damage: damage)]
    case .encoded(let data, let header):
      let decoder = ThumbnailDecoder(
        targets: [target], limits: limits, orientation: header.orientation, policy: policy, flag: flag)
      try data.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
      images = try decoder.finish()
    }
    guard let image = images.first else { throw ImageError(.corrupt, "The image has no pixels.") }
    guard target == nil else { return image }
    return UIImage(
      source: image.source, limits: limits, scale: scale, damage: image.damage, animation: animation)
  }

  /// Makes a smaller thumbnail of the image that this thumbnail shows. Its size is that of a thumbnail which is made from
  /// that image: the rounded sides of this one would not always give the same.
  func smallerThumbnail(_ target: ThumbnailTarget?, flag: CancellationFlag) throws(ImageError) -> UIImage {
    let original = originalSize ?? pixelSize
    var exact = target
    if let target {
      let size = try ThumbnailGeometry(target, size: original, orientation: .up).storedSize
      exact?.width = size.width
      exact?.height = size.height
      if case .fit = target.mode { exact?.mode = .stretch }
    }
    let image = try decoded(to: exact, flag: flag)
    return UIImage(
      source: image.source, limits: image.limits, scale: image.scale, damage: image.damage,
      originalSize: original)
  }

  /// Returns the pixels at full size, decoded on the calling thread.
  func bitmap(
    policy: DamagePolicy = .strict, flag: CancellationFlag = CancellationFlag()
  ) throws(ImageError) -> Bitmap {
    let image = try decoded(to: nil, policy: policy, flag: flag)
    guard case .decoded(let bitmap) = image.source else {
      throw ImageError(.corrupt, "The image has no pixels.")
    }
    return bitmap
  }
}

extension ThumbnailTarget {
  /// Creates a target of exactly this size, as Apple's methods need it.
  fileprivate init?(exactly size: CGSize) {
    let width = size.width.rounded()
    let height = size.height.rounded()
    guard width >= 1, height >= 1, width <= Double(ThumbnailGeometry.maximumSide),
      height <= Double(ThumbnailGeometry.maximumSide)
    else { return nil }
    self.init(width: Int(width), height: Int(height), mode: .stretch, enlarges: true)
  }
}

extension Bitmap {
  /// Scales pixels that are already decoded.
  func scaled(to target: ThumbnailTarget?, flag: CancellationFlag) throws(ImageError) -> Bitmap {
    let rows = RowDistributor(targets: [target], flag: flag)
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
