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

  /// The image as a file of the given kind. Beyond Apple's interface.
  ///
  /// The work is done on threads of the library.
  ///
  /// - Throws: ``ImageError``
  public func data(as encoding: ImageEncoding) async throws -> Data {
    try await WorkPool.shared.run { (mark) throws(ImageError) in
      let bitmap = try self.bitmap()
      try mark.check()
      return switch encoding {
      case .jpeg(let quality, let isProgressive):
        try JPEGEncoder.encode(bitmap, quality: quality, isProgressive: isProgressive)
      }
    }
  }
}

/// The kind of file an image is written to.
public enum ImageEncoding: Sendable, Hashable {
  /// JPEG, with a quality from 0 to 1; a progressive one shows early as a whole, and takes more time.
  case jpeg(quality: Double = 0.8, isProgressive: Bool = false)
}
