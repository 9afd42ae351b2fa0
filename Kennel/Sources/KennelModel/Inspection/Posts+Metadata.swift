import KennelStorage

/// What others get of the metadata of photos.
extension Posts {
  /// The file that the author of a post uploaded.
  package struct UploadedFile: Sendable {
    package var path: String
    package var hash: PhotoHash
    package var format: PhotoFacts.Format
    /// The file, if it was put together for this purpose. It exists as long as this value.
    private let assembled: StagedPhoto?
    private let file: BlobFile?

    fileprivate init(_ file: BlobFile, hash: PhotoHash, format: PhotoFacts.Format) {
      (path, self.hash, self.format, self.file, assembled) = (file.path, hash, format, file, nil)
    }

    fileprivate init(assembled: StagedPhoto, format: PhotoFacts.Format) {
      (path, hash, self.format) = (assembled.path, assembled.hash, format)
      (self.assembled, file) = (assembled, nil)
    }
  }

  /// The result of examining the photos of earlier versions.
  package struct ExaminationReport: Sendable {
    /// The number of photos whose metadata was taken out.
    package var changedCount = 0
    /// The number of photos that could not be examined. They are examined again at the next start.
    package var failureCount = 0
  }

  /// Files are read, written and compared, so few are examined at the same time.
  private static let semaphore = AsyncSemaphore(
    "photo examinations", permits: 2, maximumWaitingCount: 1024)

  /// Takes the metadata out of the photo of a post, unless that was done before. Every photo is examined before others get
  /// its file.
  ///
  /// - Returns: the post with the form of its photo that others get.
  /// - Throws: `noSuchPost`, `badPhoto`, or an error of the file system.
  package func examine(_ id: Post.ID) async throws(KennelError) -> Post {
    let post = try await post(id)
    guard post.metadata == .notExamined else { return post }
    return try await Self.semaphore.withPermit { () async throws(KennelError) in
      try await examineNow(id)
    }
  }

  private func examineNow(_ id: Post.ID) async throws(KennelError) -> Post {
    // Another caller may have done it meanwhile.
    let post = try await post(id)
    guard post.metadata == .notExamined else { return post }
    do throws(KennelError) {
      let examination = try await examination(of: post)
      if try await examination.hasMetadata() {
        let photo = try await examination.withoutMetadata()
        if let changed = try await replacePhoto(of: post, with: photo) { return changed }
      } else {
        try await noteNoMetadata(of: post)
      }
    } catch {
      // Another process may have done it, or deleted the post.
      let now = try await self.post(id)
      guard now.metadata != .notExamined else { throw error }
      return now
    }
    return try await self.post(id)
  }

  private func examination(of post: Post) async throws(KennelError) -> PhotoExamination {
    PhotoExamination(
      file: try await blobs.file(post.photo, byteCount: post.byteCount), hash: post.photo, facts: post.facts,
      photos: photos)
  }

  /// Examines all photos that were posted with earlier versions. It can be interrupted at any moment, and continues with the
  /// next call.
  package func examineAll() async throws(KennelError) -> ExaminationReport {
    var report = ExaminationReport()
    var last: Post.ID = 0
    while true {
      let ids = try await notExamined(after: last)
      guard let end = ids.last else { return report }
      last = end
      for id in ids {
        if Task.isCancelled { throw .cancelled }
        do throws(KennelError) {
          if try await examine(id).metadata == .removed { report.changedCount += 1 }
        } catch {
          switch error.code {
          case .noSuchPost: break
          case .cancelled, .closed, .diskFull: throw error
          default: report.failureCount += 1
          }
        }
      }
    }
  }

  private func notExamined(after last: Post.ID) async throws(KennelError) -> [Post.ID] {
    try await database.read { connection throws(KennelError) in
      try connection.rows(
        "SELECT id FROM posts WHERE metadata IS NULL AND id > ? ORDER BY id LIMIT 100", .integer(last)
      ) { $0.integer(0) }
    }
  }

  /// Decides whether others get the metadata of a photo, such as the place.
  ///
  /// - Returns: the post. Nothing changes if the photo has no metadata.
  /// - Throws: `noSuchPost`, or `notAllowed` if the user is not the author.
  @discardableResult
  package func setSharesMetadata(
    _ shares: Bool, of id: Post.ID, by user: User.ID
  ) async throws(KennelError) -> Post {
    let post = try await examine(id)
    try Self.requireAuthor(user, of: post)
    guard post.metadata == (shares ? .removed : .shared) else { return post }
    let photo: NewPhoto
    if shares {
      let file = try await assembled(post)
      let facts = try await PhotoInspector.facts(ofFileAt: file.path)
      photo = NewPhoto(unchanged: file, facts: facts, sharesMetadata: true)
    } else {
      photo = try await examination(of: post).withoutMetadata()
    }
    guard let changed = try await replacePhoto(of: post, with: photo) else {
      throw KennelError(.busy, "The photo is being changed by another request. Try again in a moment.")
    }
    return changed
  }

  /// Returns the file that the author of a post uploaded.
  ///
  /// - Throws: `noSuchPost`, or `notAllowed` if the user is not the author, also for an owner.
  package func uploadedFile(of id: Post.ID, for user: User.ID) async throws(KennelError) -> UploadedFile {
    let post = try await post(id)
    try Self.requireAuthor(user, of: post)
    return try await uploadedFile(of: post)
  }

  /// Returns the file that the author of a post uploaded, also if the post is in the bin, for what the kennel itself reads
  /// from it.
  func uploadedFile(of id: Post.ID) async throws(KennelError) -> UploadedFile {
    let post = try await database.read { connection throws(KennelError) in
      try Self.post(id, for: nil, inBin: true, from: connection)
    }
    guard let post else { throw Self.noSuchPost }
    return try await uploadedFile(of: post)
  }

  private func uploadedFile(of post: Post) async throws(KennelError) -> UploadedFile {
    guard let upload = post.upload else {
      let file = try await blobs.file(post.photo, byteCount: post.byteCount)
      return UploadedFile(file, hash: post.photo, format: post.facts.format)
    }
    return UploadedFile(assembled: try await assembled(post), format: upload.format)
  }

  /// Puts the file together that was uploaded.
  private func assembled(_ post: Post) async throws(KennelError) -> StagedPhoto {
    guard let upload = post.upload else {
      throw KennelError(.failed, "Nothing was taken out of the photo.")
    }
    let files = try await Self.files(of: post, upload, in: blobs)
    let file = try await photos.workQueue.run { [photos] () throws(KennelError) in
      try photos.assemble(photo: files.photo.path, part: files.part.path)
    }
    guard file.hash == upload.hash else {
      throw KennelError(.damaged, "The photo \(upload.hash) was altered. Copy it from a backup.")
    }
    return file
  }

  /// Returns the two files of which the file that was uploaded is made.
  static func files(
    of post: Post, _ upload: Post.Upload, in blobs: any Blobs
  ) async throws(KennelError) -> (photo: BlobFile, part: BlobFile) {
    let photo = try await blobs.file(post.photo, byteCount: post.byteCount)
    return (photo, try await blobs.file(upload.part, byteCount: nil))
  }

  private static func requireAuthor(_ user: User.ID, of post: Post) throws(KennelError) {
    guard post.author == user else {
      throw KennelError(.notAllowed, "Only the author of the photo can do this.")
    }
  }
}
