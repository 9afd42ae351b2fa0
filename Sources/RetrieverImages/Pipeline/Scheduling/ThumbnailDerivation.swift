/// What is made of an image.
enum ImageForm: Sendable, Hashable {
  /// The picture at its own size.
  case whole
  case thumbnail(ThumbnailTarget)

  init(_ target: ThumbnailTarget?) { self = target.map { .thumbnail($0) } ?? .whole }

  var target: ThumbnailTarget? {
    switch self {
    case .whole: nil
    case .thumbnail(let target): target
    }
  }
}

/// When a thumbnail may be made from a larger one of the same image rather than from the image itself.
///
/// The larger one must be at least twice as large in both directions, so that scaling it down leaves no trace of its own
/// pixels, and show the same part of the image: cut to fill, its proportions must be the same. The whole picture will
/// always do.
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

  /// The smallest that will do: the least to scale.
  static func best(of sources: some Sequence<ImageForm>, for form: ImageForm) -> ImageForm? {
    sources.filter { isPossible(from: $0, to: form) }.min { extent(of: $0) < extent(of: $1) }
  }

  private static func extent(of form: ImageForm) -> (Int, Int) {
    guard let target = form.target else { return (.max, .max) }
    return (PixelSize(width: target.width, height: target.height).pixelCount, target.width)
  }
}
