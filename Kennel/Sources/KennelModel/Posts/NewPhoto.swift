import KennelStorage

/// A photo that can be posted: what others get, and what only its author gets.
package struct NewPhoto: Sendable {
  /// The file that others get.
  package let file: StagedPhoto
  /// The properties of that file.
  package let facts: PhotoFacts
  let metadata: Post.Metadata
  /// What was taken out of the file that was uploaded (``PrivatePart``), if anything.
  let part: StagedPhoto?
  /// The hash and the format of the file that was uploaded, if others get another one.
  let original: PhotoHash?
  let originalFormat: PhotoFacts.Format?

  /// The hash of the file that was uploaded.
  package var uploadedHash: PhotoHash { original ?? file.hash }

  /// A file that others may get as it is: it has no metadata, or its author shares it.
  package init(unchanged file: StagedPhoto, facts: PhotoFacts, sharesMetadata: Bool = false) {
    self.file = file
    self.facts = facts
    metadata = sharesMetadata ? .shared : .absent
    (part, original, originalFormat) = (nil, nil, nil)
  }

  /// A file of which others get another form.
  ///
  /// - Parameters:
  ///   - file: the form that others get.
  ///   - part: what was taken out of the file that was uploaded.
  ///   - original: the hash of the file that was uploaded.
  init(
    _ file: StagedPhoto, facts: PhotoFacts, part: StagedPhoto, original: PhotoHash, format: PhotoFacts.Format
  ) {
    (self.file, self.facts, self.part) = (file, facts, part)
    (self.original, originalFormat, metadata) = (original, format, .removed)
  }
}

extension Post.Metadata {
  /// The value in the database.
  var value: SQLValue { self == .notExamined ? .null : .text(rawValue) }

  init(_ row: borrowing RecordRow, _ column: Int32) throws(KennelError) {
    guard !row.isNull(column) else {
      self = .notExamined
      return
    }
    guard let metadata = Self(rawValue: row.text(column)) else { throw KennelError.unknownForm }
    self = metadata
  }
}

extension Post.Upload {
  /// Creates a value from a column and the two after it. Returns nil if others get the file that was uploaded.
  init?(_ row: borrowing RecordRow, _ column: Int32) throws(KennelError) {
    if row.isNull(column) { return nil }
    guard let hash = PhotoHash(bytes: row.blob(column)),
      let format = PhotoFacts.Format(rawValue: row.text(column + 1)),
      let part = PhotoHash(bytes: row.blob(column + 2))
    else { throw KennelError.unknownForm }
    self.init(hash: hash, format: format, part: part)
  }
}

extension KennelError {
  fileprivate static let unknownForm = KennelError(
    .damaged, "A post has a photo in an unknown form. Restore a backup.")
}

// The values of a new photo in the database.

extension PhotoHash? {
  var value: SQLValue { map { .blob($0.bytes) } ?? .null }
}

extension PhotoFacts.Format? {
  var value: SQLValue { map { .text($0.rawValue) } ?? .null }
}

extension StagedPhoto? {
  var value: SQLValue { map { .blob($0.hash.bytes) } ?? .null }
}
