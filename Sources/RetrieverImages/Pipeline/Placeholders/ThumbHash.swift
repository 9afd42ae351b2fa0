import Foundation

/// A rough preview of an image in at most 25 bytes, to show until the image has loaded.
///
/// ThumbHash is a public format by Evan Wallace. It contains the average color and the aspect ratio. It also contains
/// the lowest frequencies of a cosine transform of the brightness, two color differences and any transparency.
public struct ThumbHash: Sendable, Hashable {
  /// The bytes in the public format.
  public let data: Data
  let layout: ThumbHashLayout

  /// Creates a hash from bytes. Returns nil if there are too few bytes; any others produce some image.
  public init?(_ data: Data) {
    let bytes = [UInt8](data.prefix(ThumbHashLayout.maximumBytes))
    guard let layout = ThumbHashLayout(bytes) else { return nil }
    self.data = Data(bytes.prefix(layout.byteCount))
    self.layout = layout
  }

  /// Creates the hash of an image. Decodes the image on the calling thread if necessary. Returns nil if that fails.
  public init?(_ image: UIImage) {
    let target = ThumbnailTarget(width: 100, height: 100)
    guard case .decoded(let bitmap) = try? image.decoded(to: target, flag: CancellationFlag()).source else {
      return nil
    }
    self.init(bitmap)
  }

  init?(_ bitmap: Bitmap) {
    guard let bytes = ThumbHashEncoder(bitmap)?.bytes else { return nil }
    self.init(Data(bytes))
  }

  /// The approximate width divided by the height.
  public var aspectRatio: Double { layout.aspectRatio }

  /// Whether any part of the image is transparent.
  public var hasAlpha: Bool { layout.hasAlpha }

  /// The average color.
  public var averageColor: ImagePixels.Pixel {
    ThumbHashLayout.pixel(
      luminance: layout.luminance, yellowBlue: layout.yellowBlue, redGreen: layout.redGreen,
      alpha: layout.alpha)
  }

  /// The preview, with 32 pixels on its longer side. Scale it up to show it.
  public var image: UIImage { UIImage(bitmap: layout.bitmap) }
}
