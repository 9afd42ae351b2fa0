import Foundation

/// A picture's looks in at most 25 bytes: what to show in its place until it is there.
///
/// Evan Wallace's public format. It holds the average colour, the proportions, the few lowest frequencies of a cosine
/// transform of brightness and two colour differences, and of transparency if there is any.
public struct ThumbHash: Sendable, Hashable {
  /// The bytes, as others read them too.
  public let data: Data
  let layout: ThumbHashLayout

  /// Reads bytes; nil when they are too few. All others give some picture or other.
  public init?(_ data: Data) {
    let bytes = [UInt8](data.prefix(ThumbHashLayout.mostBytes))
    guard let layout = ThumbHashLayout(bytes) else { return nil }
    self.data = Data(bytes.prefix(layout.byteCount))
    self.layout = layout
  }

  /// The hash of an image, which is decoded for it if need be, on this thread; nil when it cannot be.
  public init?(_ image: UIImage) {
    let target = ThumbnailTarget(width: 100, height: 100)
    guard case .decoded(let bitmap) = try? image.decoded(to: target, mark: CancellationMark()).source else {
      return nil
    }
    self.init(bitmap)
  }

  init?(_ bitmap: Bitmap) {
    guard let bytes = ThumbHashEncoder(bitmap)?.bytes else { return nil }
    self.init(Data(bytes))
  }

  /// Width divided by height, roughly.
  public var aspectRatio: Double { layout.aspectRatio }

  /// Whether any part is transparent.
  public var hasAlpha: Bool { layout.hasAlpha }

  /// The average colour.
  public var averageColor: ImagePixels.Pixel {
    ThumbHashLayout.pixel(
      luminance: layout.luminance, yellowBlue: layout.yellowBlue, redGreen: layout.redGreen,
      alpha: layout.alpha)
  }

  /// The picture, 32 pixels on its longer side, to be scaled up.
  public var image: UIImage { UIImage(bitmap: layout.bitmap) }
}
