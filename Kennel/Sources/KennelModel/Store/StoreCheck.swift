import KennelStorage

/// A check of the consistency of a kennel. It only reads: it creates, changes and removes nothing in the directory. Other
/// processes can use the kennel meanwhile.
struct StoreCheck {
  let database: ReadOnlyDatabase
  /// The local directory.
  let photos: PhotoDirectory
  let blobs: any Blobs

  /// - Parameter maximumPhotoSize: the maximum size of a photo in bytes.
  static func run(
    _ directory: String, readsPhotos: Bool, maximumPhotoSize: Int,
    blobs: (PhotoDirectory) throws(KennelError) -> any Blobs
  ) async throws(KennelError) -> StoreReport {
    try await with(directory, maximumPhotoSize: maximumPhotoSize, blobs: blobs) {
      check async throws(KennelError) in
      try await check.report(readsPhotos: readsPhotos)
    }
  }

  /// Runs a closure with a check of a directory.
  static func with<Value: Sendable>(
    _ directory: String, maximumPhotoSize: Int, blobs: (PhotoDirectory) throws(KennelError) -> any Blobs,
    _ body: (StoreCheck) async throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try KennelStore.requireFile(in: directory)
    let photos = try PhotoDirectory(
      inspecting: directory + "/photos", limits: FileLimits(photo: maximumPhotoSize))
    let check = StoreCheck(
      database: ReadOnlyDatabase(path: directory + "/kennel.sqlite"), photos: photos,
      blobs: try blobs(photos))
    let result: Result<Value, KennelError>
    do throws(KennelError) { result = .success(try await body(check)) } catch { result = .failure(error) }
    await check.database.close()
    await check.photos.workQueue.close()
    return try result.get()
  }

  private func report(readsPhotos: Bool) async throws(KennelError) -> StoreReport {
    var report = StoreReport()
    report.problems = try await checkDatabase()
    var doubtful: [StoredPhoto] = []
    var last: [UInt8] = []
    while true {
      let page = try await checkPhotos(after: last, readsPhotos: readsPhotos)
      guard let end = page.last else { break }
      last = end
      report.photoCount += page.photoCount
      report.problems += page.altered.map { .altered($0) }
      doubtful += page.doubtful.prefix(max(0, StoreReport.maximumProblemCount - doubtful.count))
    }
    if readsPhotos { report.problems += try await checkUploads().map { .incompleteUpload(post: $0) } }
    report.notExaminedCount = try await database.read { connection throws(KennelError) in
      try connection.first("SELECT count(*) FROM posts WHERE metadata IS NULL") { Int($0.integer(0)) } ?? 0
    }
    report.unfinishedUploadCount = try await database.read(Uploads.unfinishedCount)
    let files = try await checkFiles()
    report.problems += files.unknownFiles.map { .unknownFile($0) }
    for photo in doubtful where try await isMissing(photo) { report.problems.append(.missing(photo.hash)) }
    for hash in files.orphans where try await isOrphan(hash) { report.problems.append(.orphan(hash)) }
    if try await !isSearchCurrent() { report.problems.append(.search) }
    return report
  }

  /// Returns whether a file is needed but does not exist. A file is put in place before the commit of its post, and removed
  /// after the commit of the deletion.
  private func isMissing(_ photo: StoredPhoto) async throws(KennelError) -> Bool {
    try await database.readBetweenCommits { [blobs] connection throws(KennelError) in
      try ChangeRecorder.isNeeded(photo.hash, connection) && blobs.isStillMissing(photo)
    } ?? true
  }

  /// Returns whether a file exists that is not needed, although no process is about to use or remove it, or was killed while it
  /// did. The next start cleans up after a killed process.
  private func isOrphan(_ hash: PhotoHash) async throws(KennelError) -> Bool {
    try await database.readBetweenCommits { [blobs] connection throws(KennelError) in
      let isPendingRemoval = try connection.first(
        "SELECT 1 FROM removals WHERE hash = ?", .blob(hash.bytes), row: { _ in true })
      guard isPendingRemoval == nil else { return false }
      if try ChangeRecorder.isNeeded(hash, connection) { return false }
      return blobs.isStillUnused(hash)
    } ?? true
  }

  /// Returns whether the search index has exactly the words of the posts. A copy is compared: SQLite takes the write lock to
  /// check an index, and nobody should wait for that.
  func isSearchCurrent() async throws(KennelError) -> Bool {
    try await database.read { connection throws(KennelError) in
      do throws(KennelError) {
        return try SearchIndex.isCurrent(connection.temporaryCopy())
      } catch  where error.code == .damaged {
        return false
      }
    }
  }

  private func checkDatabase() async throws(KennelError) -> [StoreReport.Problem] {
    try await database.read { connection throws(KennelError) in
      var problems: [StoreReport.Problem] = []
      for message in try connection.rows("PRAGMA integrity_check", row: { $0.text(0) }) where message != "ok"
      {
        problems.append(.database(message))
      }
      for table in try connection.rows("PRAGMA foreign_key_check", row: { $0.text(0) }).prefix(
        StoreReport.maximumProblemCount)
      {
        problems.append(.reference(table: table))
      }
      let unused = try connection.rows(
        """
        SELECT hash FROM photos WHERE NOT EXISTS (SELECT 1 FROM posts WHERE photo = hash)
        UNION SELECT hash FROM parts WHERE NOT EXISTS (SELECT 1 FROM posts WHERE part = hash) LIMIT ?
        """, .integer(Int64(StoreReport.maximumProblemCount))
      ) { $0.blob(0) }
      let foreignCovers = try connection.rows(
        """
        SELECT id FROM albums a WHERE cover IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM album_posts WHERE album = a.id AND post = a.cover) LIMIT ?
        """, .integer(Int64(StoreReport.maximumProblemCount))
      ) { $0.integer(0) }
      return problems + unused.compactMap { PhotoHash(bytes: $0).map { .unused($0) } }
        + foreignCovers.map { .foreignCover(album: $0) }
    }
  }
}
