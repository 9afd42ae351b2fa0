import Synchronization

/// Set by whoever cancels, looked at between two rows.
final class CancellationMark: Sendable {
  private let mark = Atomic(false)

  var isSet: Bool { mark.load(ordering: .relaxed) }

  func set() { mark.store(true, ordering: .relaxed) }

  func check() throws(ImageError) {
    if isSet { throw .cancelled }
  }
}

extension ImageError {
  static let cancelled = ImageError(.cancelled, "The work on the image was cancelled.")
}
