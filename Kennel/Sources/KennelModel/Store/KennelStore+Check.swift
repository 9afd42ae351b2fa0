import KennelStorage

/// The result of a check of a store.
package struct StoreReport: Sendable, Hashable {
  /// A problem in the store.
  package enum Problem: Sendable, Hashable, CustomStringConvertible {
    /// A problem that SQLite reports for the database file.
    case database(String)
    /// A row refers to another row that does not exist.
    case reference(table: String)
    /// The photo of a post has no file.
    case missing(PhotoHash)
    /// The contents of a photo's file have changed.
    case altered(PhotoHash)
    /// A photo file that is not used by a post.
    case orphan(PhotoHash)
    /// A photo row that is not used by a post.
    case unused(PhotoHash)
    /// The file that was uploaded cannot be put together from the photo of a post and what was taken out of it.
    case incompleteUpload(post: Int64)
    /// The cover of an album is not one of its photos.
    case foreignCover(album: Int64)
    /// The search index does not have the words of the posts.
    case search
    /// A file that is not a photo.
    case unknownFile(String)

    package var description: String {
      switch self {
      case .database(let message): "The database is damaged: \(message)."
      case .reference(let table): "A row of \(table) refers to a row that does not exist."
      case .missing(let hash): "The photo \(hash) is missing. Post it again, or copy it from a backup."
      case .altered(let hash): "The photo \(hash) was altered. Copy it from a backup."
      case .orphan(let hash): "The photo \(hash) is not used by any post. It can be removed."
      case .unused(let hash): "The database row of the photo \(hash) is not used by any post."
      case .incompleteUpload(let post):
        "The photo of post \(post) cannot be put together as it was uploaded. Copy the photos from a backup."
      case .foreignCover(let album):
        "The cover of album \(album) is not one of its photos. Choose another cover."
      case .search:
        "The search index does not match the posts. Run kennel check --repair."
      case .unknownFile(let name):
        "The file \(name) in the photo directory is not a photo. Move it elsewhere."
      }
    }
  }

  /// The problems, at most ``KennelStore/maximumProblemCount`` of each kind.
  package var problems: [Problem] = []
  package var photoCount = 0
  /// The number of photos of earlier versions whose metadata was not taken out yet. The server does that.
  package var notExaminedCount = 0
  /// The number of uploads that were begun and can be resumed.
  package var unfinishedUploadCount = 0
  /// The number of orphans that were removed on request.
  package var removedCount = 0
  /// Whether the search index was wrong and was rebuilt on request.
  package var isSearchRebuilt = false

  package var isClean: Bool { problems.isEmpty }
}

extension KennelStore {
  static let maximumProblemCount = 1000

  /// Checks the consistency of the store. Other readers and writers can continue meanwhile.
  ///
  /// - Parameters:
  ///   - readsPhotos: whether to read all photos and verify their hashes, instead of comparing their sizes only.
  ///   - repairs: whether to remove photos without a post, and to rebuild a wrong search index.
  package func check(
    readsPhotos: Bool = false, repairs: Bool = false
  ) async throws(KennelError) -> StoreReport {
    var report = StoreReport()
    report.problems = try await checkDatabase()
    var doubtful: [(PhotoHash, Int)] = []
    var last: [UInt8] = []
    while true {
      let page = try await checkPhotos(after: last, readsPhotos: readsPhotos)
      guard let end = page.last else { break }
      last = end
      report.photoCount += page.photoCount
      report.problems += page.altered.map { .altered($0) }
      doubtful += page.doubtful.prefix(max(0, Self.maximumProblemCount - doubtful.count))
    }
    if readsPhotos { report.problems += try await checkUploads().map { .incompleteUpload(post: $0) } }
    report.notExaminedCount = try await database.read { connection throws(KennelError) in
      try connection.first("SELECT count(*) FROM posts WHERE metadata IS NULL") { Int($0.integer(0)) } ?? 0
    }
    report.unfinishedUploadCount = try await uploads.unfinishedCount()
    let files = try await checkFiles()
    report.problems += files.unknownFiles.map { .unknownFile($0) }
    // Posts may have been added or deleted during the check. The write transaction prevents further changes.
    let (missing, orphans) = try await database.write { [photos, doubtful] transaction throws(KennelError) in
      let connection = transaction.connection
      var missing: [PhotoHash] = []
      for (hash, count) in doubtful where !photos.has(hash, byteCount: count) {
        if try ChangeRecorder.isNeeded(hash, connection) { missing.append(hash) }
      }
      var orphans: [PhotoHash] = []
      for hash in files.orphans where FileCalls.size(of: photos.location(hash)) != nil {
        let isNeeded = try ChangeRecorder.isNeeded(hash, connection)
        let isPendingRemoval = try connection.first(
          "SELECT 1 FROM removals WHERE hash = ?", .blob(hash.bytes)
        ) {
          _ in
          true
        }
        guard !isNeeded, isPendingRemoval == nil else { continue }
        orphans.append(hash)
        if repairs { try photos.remove(hash, in: transaction) }
      }
      return (missing, orphans)
    }
    report.problems += missing.map { .missing($0) }
    if repairs {
      report.removedCount = orphans.count
    } else {
      report.problems += orphans.map { .orphan($0) }
    }
    if try await !isSearchCurrent() {
      if repairs {
        try await database.write { transaction throws(KennelError) in
          try SearchIndex.rebuild(transaction.connection)
        }
        report.isSearchRebuilt = true
      } else {
        report.problems.append(.search)
      }
    }
    return report
  }

  /// Returns whether the search index has exactly the words of the posts. A copy is compared: SQLite takes the write lock to
  /// check an index, and nobody should wait for that.
  func isSearchCurrent() async throws(KennelError) -> Bool {
    try await photos.workQueue.run { [photos, directory] () throws(KennelError) in
      let file = try photos.makeTemporaryFile()
      defer { try? FileCalls.remove(file.path) }
      do throws(KennelError) {
        return try SearchIndex.isCurrent(Connection.copy(of: directory + "/kennel.sqlite", to: file.path))
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
        Self.maximumProblemCount)
      {
        problems.append(.reference(table: table))
      }
      let unused = try connection.rows(
        """
        SELECT hash FROM photos WHERE NOT EXISTS (SELECT 1 FROM posts WHERE photo = hash)
        UNION SELECT hash FROM parts WHERE NOT EXISTS (SELECT 1 FROM posts WHERE part = hash) LIMIT ?
        """, .integer(Int64(Self.maximumProblemCount))
      ) { $0.blob(0) }
      let foreignCovers = try connection.rows(
        """
        SELECT id FROM albums a WHERE cover IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM album_posts WHERE album = a.id AND post = a.cover) LIMIT ?
        """, .integer(Int64(Self.maximumProblemCount))
      ) { $0.integer(0) }
      return problems + unused.compactMap { PhotoHash(bytes: $0).map { .unused($0) } }
        + foreignCovers.map { .foreignCover(album: $0) }
    }
  }

  private struct PhotoPage: Sendable {
    var photoCount = 0
    var last: [UInt8]?
    var doubtful: [(PhotoHash, Int)] = []
    var altered: [PhotoHash] = []
  }

  private func checkPhotos(after last: [UInt8], readsPhotos: Bool) async throws(KennelError) -> PhotoPage {
    let rows = try await database.read { connection throws(KennelError) in
      try connection.rows(
        """
        SELECT hash, bytes, 1 FROM photos WHERE hash > ?1
        UNION SELECT hash, bytes, 0 FROM parts WHERE hash > ?1 ORDER BY 1 LIMIT 500
        """, .blob(last)
      ) {
        (hash: $0.blob(0), byteCount: Int($0.integer(1)), isPhoto: $0.integer(2) != 0)
      }
    }
    return try await photos.workQueue.run { [photos] in
      var page = PhotoPage(photoCount: rows.count { $0.isPhoto }, last: rows.last?.hash)
      for row in rows {
        guard let hash = PhotoHash(bytes: row.hash) else { continue }
        if !photos.has(hash, byteCount: row.byteCount) {
          page.doubtful.append((hash, row.byteCount))
        } else if readsPhotos, (try? photos.computeHash(of: hash)) != hash {
          // A photo that was deleted in the meantime does not count as altered.
          if photos.has(hash, byteCount: row.byteCount) { page.altered.append(hash) }
        }
      }
      return page
    }
  }

  /// Returns the posts whose photos cannot be put together as they were uploaded, although both files exist.
  private func checkUploads() async throws(KennelError) -> [Post.ID] {
    var incomplete: [Post.ID] = []
    var last: Post.ID = 0
    while true {
      let posts = try await database.read { [last] connection throws(KennelError) in
        let ids = try connection.rows(
          "SELECT id FROM posts WHERE part IS NOT NULL AND id > ? ORDER BY id LIMIT 100", .integer(last)
        ) { $0.integer(0) }
        return try Posts.posts(ids, for: nil, from: connection)
      }
      guard let end = posts.last else { return incomplete }
      last = end.id
      incomplete += try await photos.workQueue.run { [photos] in
        posts.filter { post in
          guard let upload = post.upload else { return false }
          let (photo, part) = (photos.location(post.photo), photos.location(upload.part))
          guard FileCalls.size(of: photo) != nil, FileCalls.size(of: part) != nil else { return false }
          return (try? photos.hashOfUpload(photo: photo, part: part)) != upload.hash
        }.map(\.id)
      }.prefix(max(0, Self.maximumProblemCount - incomplete.count))
    }
  }

  private func checkFiles() async throws(KennelError) -> (orphans: [PhotoHash], unknownFiles: [String]) {
    try await database.read { [photos] connection throws(KennelError) in
      var orphans: [PhotoHash] = []
      var unknownFiles: [String] = []
      try photos.forEachFile { hash throws(KennelError) in
        guard orphans.count < Self.maximumProblemCount else { return }
        if try !ChangeRecorder.isNeeded(hash, connection) { orphans.append(hash) }
      } unknownFile: { name in
        if unknownFiles.count < Self.maximumProblemCount { unknownFiles.append(name) }
      }
      return (orphans, unknownFiles)
    }
  }
}
