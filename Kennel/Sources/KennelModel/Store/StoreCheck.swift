import KennelStorage

/// A check of the consistency of a kennel. It only reads: it creates, changes and removes nothing in the directory. Other
/// processes can use the kennel meanwhile.
struct StoreCheck {
  let database: any InspectedRecords
  /// The local directory.
  let photos: PhotoDirectory
  let blobs: any Blobs

  static func run(
    _ directory: String, readsPhotos: Bool, _ configuration: KennelStore.Configuration
  ) async throws(KennelError) -> StoreReport {
    try await with(directory, configuration) {
      check async throws(KennelError) in
      try await check.report(readsPhotos: readsPhotos)
    }
  }

  /// Runs a closure with a check of a directory.
  static func with<Value: Sendable>(
    _ directory: String, _ configuration: KennelStore.Configuration,
    _ body: (StoreCheck) async throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    guard !FileSwitch.isPending(in: directory) else {
      throw KennelError(
        .unfinished,
        "A move of the kennel in \(directory) was interrupted in its last moment. Start the server, or run kennel check --repair, to complete it."
      )
    }
    let place = try RecordPlace(of: directory, address: configuration.databaseAddress)
    let photos = try PhotoDirectory(
      inspecting: directory + "/photos", limits: FileLimits(photo: configuration.maximumPhotoSize))
    let check = StoreCheck(
      database: try place.inspect(in: directory), photos: photos, blobs: try configuration.blobs(photos))
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

  /// Returns whether the search index has exactly the words of the posts.
  func isSearchCurrent() async throws(KennelError) -> Bool {
    do throws(KennelError) {
      return try await database.readDiscardingChanges(SearchIndex.isCurrent)
    } catch  where error.code == .damaged {
      return false
    }
  }

  private func checkDatabase() async throws(KennelError) -> [StoreReport.Problem] {
    let limit = StoreReport.maximumProblemCount
    let problems: [StoreReport.Problem] = try await database.problems(limit: limit).map { problem in
      switch problem {
      case .message(let message): .database(message)
      case .reference(let table): .reference(table: table)
      case .number(let table): .number(table: table)
      }
    }
    return try await database.read { connection throws(KennelError) in
      let isLate = try connection.first(
        """
        SELECT 1 WHERE coalesce((SELECT value FROM counters WHERE name = 'events'), -1)
          < (SELECT coalesce(max(id), 0) FROM events)
        """, row: { _ in true })
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
      return problems + (isLate == nil ? [] : [.number(table: "events")])
        + unused.compactMap { PhotoHash(bytes: $0).map { .unused($0) } }
        + foreignCovers.map { .foreignCover(album: $0) }
    }
  }
}
