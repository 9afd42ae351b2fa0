/// The maximum size of a photo.
enum PhotoLimits {
  static let maximumByteCount = 25 << 20
  static let maximumPixelCount = 50_000_000
}

extension KennelError {
  static let photoTooLarge = KennelError(
    .photoTooLarge,
    "The photo is too large. The maximum is \(PhotoLimits.maximumByteCount.inBinaryUnits) and \(PhotoLimits.maximumPixelCount / 1_000_000) megapixels. Make it smaller."
  )
}
