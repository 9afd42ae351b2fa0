import Foundation

// Files made of images. What a camera noted in the original, where and when, is never written.
extension UIImage {
  /// The image as a JPEG; nil when it cannot be decoded. What is transparent becomes white.
  ///
  /// The work is done on the calling thread.
  ///
  /// - Parameter compressionQuality: from 0, the smallest, to 1, the best.
  public func jpegData(compressionQuality: Double) -> Data? {
    try? JPEGEncoder.encode(bitmap(), quality: compressionQuality, isProgressive: false)
  }

  /// The image as a PNG; nil when it cannot be decoded.
  ///
  /// The work is done on the calling thread.
  public func pngData() -> Data? { try? PNGEncoder.encode(bitmap()) }

  /// The image as a file of the given kind. Beyond Apple's interface.
  ///
  /// The work is done on threads of the library. Cancelling the task ends it before the file is written.
  ///
  /// - Throws: ``ImageError``
  public func data(as encoding: ImageEncoding) async throws -> Data {
    try await WorkPool.shared.run { (mark) throws(ImageError) in
      let bitmap = try self.bitmap(mark: mark)
      try mark.check()
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

/// The kind of file an image is written to.
public enum ImageEncoding: Sendable, Hashable {
  /// JPEG, with a quality from 0 to 1; a progressive one shows early as a whole, and takes more time.
  case jpeg(quality: Double = 0.8, isProgressive: Bool = false)
  /// PNG.
  case png
  /// WebP, with a quality from 0 to 1.
  case webp(quality: Double = 0.8)
  /// WebP that keeps every pixel.
  case losslessWebP
}
