import KennelStorage

/// The files of posts: the photo that others get, and what was taken out of it. A file stays as long as a post needs it.
extension Posts {
  /// Stores the files of a photo, and makes a change that keeps them.
  func storing<Value: Sendable>(
    _ photo: NewPhoto, _ work: @escaping @Sendable (WriteTransaction) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    // Only photos in a store are removed outside of transactions.
    guard blobs.sweeper != nil else { return try await database.write(work) }
    let hashes = [photo.file.hash] + (photo.part.map { [$0.hash] } ?? [])
    for _ in 0..<Self.maximumStoringCount {
      let round = try await database.read { connection throws(KennelError) in
        try RemovalRound.latest(connection)
      }
      let heldPhoto = try await blobs.put(photo.file)
      let heldPart: FileLock? = if let part = photo.part { try await blobs.put(part) } else { nil }
      defer { withExtendedLifetime((heldPhoto, heldPart)) {} }
      let value = try await database.write { transaction throws(KennelError) -> Value? in
        let connection = transaction.connection
        guard try RemovalRound.latest(connection) == round,
          try !RemovalRound.isRemoving(hashes, connection)
        else { return nil }
        return try work(transaction)
      }
      if let value { return value }
      do { try await Task.sleep(for: .milliseconds(50)) } catch { throw .cancelled }
    }
    throw KennelError(.busy, "Photos are being removed from the store. Try again in a moment.")
  }

  /// How often a photo is stored because another machine may have removed it before its row was committed.
  private static let maximumStoringCount = 100

  /// Inserts the rows of a new photo and puts its files in place.
  func keep(_ photo: NewPhoto, in transaction: WriteTransaction) throws(KennelError) {
    let connection = transaction.connection
    let (file, facts) = (photo.file, photo.facts)
    let isNew = try connection.run(
      """
      INSERT INTO photos (hash, bytes, width, height, format, thumbhash, duration) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """, .blob(file.hash.bytes), .integer(Int64(file.byteCount)), .integer(Int64(facts.width)),
      .integer(Int64(facts.height)), .text(facts.format.rawValue), .blob(facts.thumbHash),
      facts.duration.map { .integer(Int64($0)) } ?? .null)
    try place(file, isNew: isNew > 0, in: transaction)
    guard let part = photo.part else { return }
    let isNewPart = try connection.run(
      "INSERT INTO parts (hash, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING", .blob(part.hash.bytes),
      .integer(Int64(part.byteCount)))
    try place(part, isNew: isNewPart > 0, in: transaction)
  }

  private func place(
    _ file: StagedPhoto, isNew: Bool, in transaction: WriteTransaction
  ) throws(KennelError) {
    try transaction.connection.run("DELETE FROM removals WHERE hash = ?", .blob(file.hash.bytes))
    // The file may be missing although there is a row, for example because it was deleted by hand. This restores it.
    guard isNew || !blobs.has(file.hash, byteCount: file.byteCount) else { return }
    try blobs.place(file, in: transaction) { [changes] in changes.clearIncoming() }
  }

  /// Removes the rows of a photo, and of what was taken out of it, if no post uses them. Their files are removed after the
  /// commit.
  ///
  /// - Parameter part: the hash of what was taken out, or an empty array if there is nothing.
  func release(photo: [UInt8], part: [UInt8], in transaction: WriteTransaction) throws(KennelError) {
    let connection = transaction.connection
    let unused = [
      (
        photo,
        try connection.run(
          "DELETE FROM photos WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM posts WHERE photo = ?1)",
          .blob(photo))
      ),
      (
        part,
        try connection.run(
          "DELETE FROM parts WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM posts WHERE part = ?1)",
          .blob(part))
      ),
    ]
    for (bytes, count) in unused where count > 0 {
      try connection.run(
        "INSERT INTO removals (hash, since) VALUES (?, ?) ON CONFLICT DO NOTHING", .blob(bytes),
        .integer(clock.now().milliseconds))
      if let hash = PhotoHash(bytes: bytes) { transaction.photosPendingRemoval.insert(hash) }
      transaction.afterCommit(.tidyPhotos) { [changes] in changes.removePhotos() }
    }
  }

  /// Gives a post another form of its photo, with or without metadata.
  ///
  /// - Parameter known: the post as it was when the new form was made.
  /// - Returns: the post, or nil if it has had another form of its photo by then.
  func replacePhoto(of known: Post, with photo: NewPhoto) async throws(KennelError) -> Post? {
    let now = clock.now()
    return try await storing(photo) { [self] transaction throws(KennelError) in
      let connection = transaction.connection
      guard let post = try Self.post(known.id, for: nil, from: connection) else { throw Self.noSuchPost }
      guard post.photo == known.photo, post.metadata == known.metadata else { return nil }
      try keep(photo, in: transaction)
      try connection.run(
        "UPDATE posts SET photo = ?, metadata = ?, original = ?, original_format = ?, part = ? WHERE id = ?",
        .blob(photo.file.hash.bytes), photo.metadata.value, photo.original.value, photo.originalFormat.value,
        photo.part.value, .integer(post.id))
      try release(photo: post.photo.bytes, part: post.upload?.part.bytes ?? [], in: transaction)
      try changes.record(.photoChanged, post: post.id, photo: post.photo, at: now, in: transaction)
      return try Self.post(post.id, for: nil, from: connection)
    }
  }

  /// Notes that the photo of a post of an earlier version has no metadata.
  func noteNoMetadata(of known: Post) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) -> Void in
      try transaction.connection.run(
        "UPDATE posts SET metadata = ? WHERE id = ? AND photo = ? AND metadata IS NULL",
        Post.Metadata.absent.value, .integer(known.id), .blob(known.photo.bytes))
    }
  }

  /// Returns those of some photos that no post has, or only posts in the bin.
  package func photosWithoutPosts(among hashes: [PhotoHash]) async throws(KennelError) -> [PhotoHash] {
    try await database.read { connection throws(KennelError) in
      var unused: [PhotoHash] = []
      for hash in hashes {
        let isUsed = try connection.first(
          "SELECT 1 FROM posts WHERE photo = ? AND +binned IS NULL LIMIT 1", .blob(hash.bytes),
          row: { _ in true })
        if isUsed == nil { unused.append(hash) }
      }
      return unused
    }
  }

  /// Returns whether a post that is not in the bin has a photo, and its file exists.
  ///
  /// A file alone is not enough: the file of a deleted post stays for as long as a backup needs it. Posting a photo
  /// again restores its missing file.
  ///
  /// - Parameter hash: the hash of the photo, or of the file that was uploaded.
  package func hasPhoto(_ hash: PhotoHash) async throws(KennelError) -> Bool {
    try await database.read { [blobs] connection throws(KennelError) in
      let files = try connection.rows(
        """
        SELECT hash, bytes FROM photos
        WHERE hash = ?1 AND EXISTS (SELECT 1 FROM posts WHERE photo = ?1 AND binned IS NULL)
        UNION SELECT hash, bytes FROM photos
        WHERE hash IN (SELECT photo FROM posts WHERE original = ?1 AND binned IS NULL)
        """, .blob(hash.bytes)
      ) { (PhotoHash(bytes: $0.blob(0)), Int($0.integer(1))) }
      return files.contains { file in file.0.map { blobs.has($0, byteCount: file.1) } ?? false }
    }
  }
}
