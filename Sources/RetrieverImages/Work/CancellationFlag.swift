import Synchronization

/// A flag that cancels work on an image. The work checks it between two rows.
final class CancellationFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }

  func check() throws(ImageError) {
    if isSet { throw .cancelled }
  }
}

extension ImageError {
  static let cancelled = ImageError(.cancelled, "The work on the image was cancelled.")
}
