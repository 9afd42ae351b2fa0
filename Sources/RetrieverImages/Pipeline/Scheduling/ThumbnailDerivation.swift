/// The form in which an image is requested.
enum ImageForm: Sendable, Hashable {
  /// The image at its own size.
  case fullSize
  case thumbnail(ThumbnailTarget)

  init(_ target: ThumbnailTarget?) { self = target.map { .thumbnail($0) } ?? .fullSize }

  var target: ThumbnailTarget? {
    switch self {
    case .fullSize: nil
    case .thumbnail(let target): target
    }
  }
}

/// Decides whether a thumbnail may be made from a larger thumbnail instead of the image itself.
///
/// The larger thumbnail must be at least twice as large in both directions, so that its own pixels do not show after
/// scaling. It must also show the same part of the image: if it is cropped to fill, its aspect ratio must be the same.
/// The complete image is always suitable.
enum ThumbnailDerivation {
  static func isPossible(from source: ImageForm, to form: ImageForm) -> Bool {
    guard case .thumbnail(let target) = form else { return false }
    guard case .thumbnail(let source) = source else { return true }
    guard source.mode == target.mode, !source.enlarges, !target.enlarges, target.width > 0, target.height > 0,
      source.width / 2 >= target.width, source.height / 2 >= target.height
    else { return false }
    guard case .fill = target.mode else { return true }
    return source.width.multipliedFullWidth(by: target.height)
      == source.height.multipliedFullWidth(by: target.width)
  }

  /// Returns the smallest suitable source, which takes the least time to scale.
  static func best(of sources: some Sequence<ImageForm>, for form: ImageForm) -> ImageForm? {
    sources.filter { isPossible(from: $0, to: form) }.min { extent(of: $0) < extent(of: $1) }
  }

  private static func extent(of form: ImageForm) -> (Int, Int) {
    guard let target = form.target else { return (.max, .max) }
    return (PixelSize(width: target.width, height: target.height).pixelCount, target.width)
  }
}
