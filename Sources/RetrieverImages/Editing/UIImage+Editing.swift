import Foundation

// Cropping, rotating and mirroring. The library works on its own threads. If the task is cancelled, the work ends early.
extension UIImage {
  /// Returns a part of the image. *Beyond Apple's API.*
  ///
  /// - Parameter rect: The part in pixels of the upright image, from its top left corner. The edges are rounded to the
  ///   nearest pixels, and parts outside the image are left out.
  /// - Throws: ``ImageError``, with the code ``ImageError/Code-swift.struct/invalidRequest`` if the part contains no pixel.
  public func cropped(to rect: CGRect) async throws -> UIImage {
    try await edited { (bitmap, _) throws(ImageError) in
      let bounds = CGRect(x: 0, y: 0, width: bitmap.size.width, height: bitmap.size.height)
      let part = rect.standardized
      let left = (max(part.minX, 0)).rounded()
      let top = (max(part.minY, 0)).rounded()
      let right = min(part.maxX, bounds.maxX).rounded()
      let bottom = min(part.maxY, bounds.maxY).rounded()
      // A comparison with a value that is not a number is false.
      guard left < right, top < bottom else {
        throw ImageError(
          .invalidRequest,
          "The part \(rect) has no pixel of the image, which has \(bitmap.size.width) × \(bitmap.size.height)."
        )
      }
      return bitmap.part(
        FrameRectangle(
          left: Int(left), top: Int(top), size: PixelSize(width: Int(right - left), height: Int(bottom - top))
        ))
    }
  }

  /// Returns the image rotated clockwise. *Beyond Apple's API.*
  ///
  /// Multiples of 90 degrees only move pixels. For other angles, the image becomes large enough for the complete rotated
  /// picture, with transparent corners; the pixels are interpolated in linear light.
  ///
  /// - Parameter degrees: The angle. Negative angles rotate counterclockwise.
  /// - Throws: ``ImageError``, with the code ``ImageError/Code-swift.struct/invalidRequest`` if the angle is not finite or
  ///   the result would have more than 50 million pixels.
  public func rotated(byDegrees degrees: Double) async throws -> UIImage {
    guard degrees.isFinite else {
      throw ImageError(.invalidRequest, "The image cannot be rotated by \(degrees) degrees.")
    }
    let turn = degrees.truncatingRemainder(dividingBy: 360)
    let angle = turn < 0 ? turn + 360 : turn
    return try await edited { (bitmap, flag) throws(ImageError) in
      switch angle {
      case 0, 360: bitmap
      case 90: bitmap.upright(from: .right)
      case 180: bitmap.upright(from: .down)
      case 270: bitmap.upright(from: .left)
      default: try bitmap.rotated(byDegrees: angle, flag: flag)
      }
    }
  }

  /// The directions in which an image can be mirrored.
  public enum MirrorDirection: Sendable, Hashable, CaseIterable {
    /// Left and right are exchanged.
    case horizontal
    /// Top and bottom are exchanged.
    case vertical
  }

  /// Returns the image mirrored. *Beyond Apple's API.*
  ///
  /// - Throws: ``ImageError``
  public func flipped(_ direction: MirrorDirection = .horizontal) async throws -> UIImage {
    try await edited { (bitmap, _) throws(ImageError) in
      bitmap.upright(from: direction == .horizontal ? .upMirrored : .downMirrored)
    }
  }

  private func edited(
    _ edit: @escaping @Sendable (Bitmap, CancellationFlag) throws(ImageError) -> Bitmap
  ) async throws -> UIImage {
    try await WorkPool.shared.run { (flag) throws(ImageError) in
      let bitmap = try self.bitmap(flag: flag)
      try flag.check()
      return UIImage(bitmap: try edit(bitmap, flag), scale: self.scale, damage: self.damage)
    }
  }
}
