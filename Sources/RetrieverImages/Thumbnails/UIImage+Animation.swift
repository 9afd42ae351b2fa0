import Foundation

// Animated images, as Apple has them: a list of images that are shown for equal times.
extension UIImage {
  /// Creates an animated image. Returns nil if there are no images.
  ///
  /// The image itself is the first one: thumbnails and encoded files show it, except for `data(as: .webp())`, which
  /// writes the animation.
  ///
  /// - Parameters:
  ///   - images: The frames. An animated image among them is replaced with its own frames.
  ///   - duration: The time for all frames, in seconds. Zero stands for a thirtieth of a second for each frame.
  public class func animatedImage(with images: [UIImage], duration: Double) -> UIImage? {
    let frames = images.flatMap { $0.images ?? [$0] }
    guard let first = frames.first else { return nil }
    let isValid = duration.isFinite && duration > 0 && duration <= maximumAnimationDuration
    return UIImage(
      source: first.source, limits: first.limits, scale: first.scale,
      animation: Animation(images: frames, duration: isValid ? duration : Double(frames.count) / 30))
  }

  /// The longest duration of an animated image, in seconds.
  private static let maximumAnimationDuration = 86_400.0

  /// The frames of an animated image that ``animatedImage(with:duration:)`` made; nil for other images.
  ///
  /// As on Apple's platforms, the image of an animated GIF is its first frame. ``frames`` has all of them.
  public var images: [UIImage]? { animation?.images }

  /// The time in seconds that all ``images`` together are shown; 0 for other images.
  public var duration: Double { animation?.duration ?? 0 }
}
