import Foundation

// Encoding images. Camera metadata of the original, such as its location and date, is never written. A damaged image is
// not converted unless the caller asks for it.
extension UIImage {
  /// Returns the image as a JPEG, or nil if it cannot be decoded. Transparent pixels become white.
  ///
  /// This method encodes on the calling thread.
  ///
  /// - Parameter compressionQuality: The quality, from 0 (smallest file) to 1 (best quality).
  public func jpegData(compressionQuality: Double) -> Data? {
    try? JPEGEncoder.encode(bitmap(), quality: compressionQuality, isProgressive: false)
  }

  /// Returns the image as a PNG, or nil if it cannot be decoded.
  ///
  /// This method encodes on the calling thread.
  public func pngData() -> Data? { try? PNGEncoder.encode(bitmap()) }

  /// Returns the image as a file of the given format. *Beyond Apple's API.*
  ///
  /// The library encodes on its own threads. If the task is cancelled, the work ends before the file is encoded. An
  /// animated image becomes an animated WebP that never ends; other formats have its first image.
  ///
  /// - Parameters:
  ///   - encoding: The format.
  ///   - policy: Whether damage is an error, or the missing pixels are transparent (default: an error). It does not apply
  ///     to an image that is already decoded, such as a thumbnail.
  /// - Throws: ``ImageError``
  public func data(as encoding: ImageEncoding, damage policy: DamagePolicy = .strict) async throws -> Data {
    try await WorkPool.shared.run { (flag) throws(ImageError) in
      switch encoding {
      case .webp(let quality):
        if let data = try self.animatedWebP(quality, false, policy, flag) { return data }
      case .losslessWebP: if let data = try self.animatedWebP(1, true, policy, flag) { return data }
      case .jpeg, .png: break
      }
      let bitmap = try self.bitmap(policy: policy, flag: flag)
      try flag.check()
      return switch encoding {
      case .jpeg(let quality, let isProgressive):
        try JPEGEncoder.encode(bitmap, quality: quality, isProgressive: isProgressive)
      case .png: try PNGEncoder.encode(bitmap)
      case .webp(let quality): try WebPEncoder.encode(bitmap, quality: quality, isLossless: false)
      case .losslessWebP: try WebPEncoder.encode(bitmap, quality: 1, isLossless: true)
      }
    }
  }
}

extension UIImage {
  /// Returns an animated image as an animated WebP; nil for other images.
  private func animatedWebP(
    _ quality: Double, _ isLossless: Bool, _ policy: DamagePolicy, _ flag: CancellationFlag
  ) throws(ImageError) -> Data? {
    guard let animation else { return nil }
    var writer = AnimatedWebPWriter(loopCount: 0, quality: quality, isLossless: isLossless)
    var written = 0
    for (index, image) in animation.images.enumerated() {
      try flag.check()
      // The ends of the frames are rounded, so that the duration of the animation is exact.
      let end = animation.duration * 1_000 * Double(index + 1) / Double(animation.images.count)
      let milliseconds = Int(end.rounded()) - written
      try writer.add(image.bitmap(policy: policy, flag: flag), milliseconds: milliseconds)
      written += milliseconds
    }
    return try writer.finish()
  }
}

/// The format of an encoded image.
public enum ImageEncoding: Sendable, Hashable {
  /// JPEG with a quality from 0 to 1. A progressive JPEG shows a complete preview early, but takes longer to encode.
  case jpeg(quality: Double = 0.8, isProgressive: Bool = false)
  /// PNG.
  case png
  /// WebP with a quality from 0 to 1.
  case webp(quality: Double = 0.8)
  /// WebP without loss: every pixel keeps its value.
  case losslessWebP
}
