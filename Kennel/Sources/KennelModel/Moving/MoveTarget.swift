import KennelStorage

/// Where a kennel moves to. What is nil stays where it is.
package struct MoveTarget: Sendable {
  /// A place for photos.
  package struct Photos: Sendable {
    /// Opens the photos there.
    package var blobs: @Sendable (PhotoDirectory) throws(KennelError) -> any Blobs
    /// Returns the changes of names after which the kennel uses the photos there. Files that it does not use any more get the suffix.
    package var steps: @Sendable (_ suffix: String) -> [FileSwitch.Step]

    package init(
      blobs: @escaping @Sendable (PhotoDirectory) throws(KennelError) -> any Blobs,
      steps: @escaping @Sendable (_ suffix: String) -> [FileSwitch.Step]
    ) {
      (self.blobs, self.steps) = (blobs, steps)
    }
  }

  package var records: RecordPlace?
  package var photos: Photos?

  package init(records: RecordPlace? = nil, photos: Photos? = nil) {
    (self.records, self.photos) = (records, photos)
  }

  /// What the names of files begin with that a moved kennel does not use any more, after their earlier names.
  package static let leftMark = ".moved-"
}

/// The progress of a move.
package struct MoveProgress: Sendable, Hashable {
  /// The photos that are in the new place so far, with what was taken out of them.
  package var photos = 0
  package var photoCount = 0
  /// The rows of tables that were copied so far.
  package var rows = 0
}

/// The result of a move.
package struct MoveReport: Sendable, Hashable {
  /// The photos that this run has copied, with what was taken out of them.
  package var copiedPhotos = 0
  /// Those that an interrupted run had already copied.
  package var presentPhotos = 0
  package var rows = 0
  /// The photos that are missing or altered. At most one thousand are listed.
  package var missing: [PhotoHash] = []
  /// The number of uploads that were begun and stay behind.
  package var unfinishedUploads = 0
}
