import Foundation

extension UIImage {
  /// What the file says about the image, such as when, where and how a photo was taken. *Beyond Apple's API.*
  ///
  /// The metadata is read on the calling thread, each time; no pixel is decoded. It is nil for an image that was drawn or
  /// scaled.
  public var metadata: ImageMetadata? {
    switch source {
    case .decoded: nil
    case .encoded(let data, _): try? ImageMetadata(data: data)
    }
  }

  /// Returns the same image with a file that has no metadata, except the orientation and the color profile. *Beyond
  /// Apple's API.*
  ///
  /// The pixels are not encoded again. ``StrippedImage`` describes what is left out, and copies files on a disk. An image
  /// that was drawn or scaled has no metadata, and is returned unchanged. The ``images`` of an animated image are treated in
  /// the same way.
  ///
  /// - Throws: ``ImageError`` if the file is too damaged to find its parts.
  public func strippingMetadata() throws(ImageError) -> UIImage {
    var frames: [UIImage] = []
    for image in animation?.images ?? [] { frames.append(try image.strippingMetadata()) }
    let stripped: Source
    switch source {
    case .decoded:
      guard zip(frames, animation?.images ?? []).contains(where: { $0 !== $1 }) else { return self }
      stripped = source
    case .encoded(let data, let header):
      stripped = .encoded(try StrippedImage(data: data).data(), header)
    }
    return UIImage(
      source: stripped, limits: limits, scale: scale, damage: damage,
      animation: animation.map { Animation(images: frames, duration: $0.duration) })
  }
}

extension ImageMetadata {
  /// The way the stored image is meant to be displayed.
  public var orientation: UIImage.Orientation { UIImage.Orientation(storedOrientation) }
}
