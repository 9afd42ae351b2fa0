/// What a check of a store found.
package struct StoreReport: Sendable, Hashable {
  /// Something that is not as it ought to be.
  package enum Problem: Sendable, Hashable, CustomStringConvertible {
    /// What SQLite says of the database's file.
    case database(String)
    /// A row names another one that is not there.
    case reference(table: String)
    /// A photo of some post has no file.
    case missing(PhotoHash)
    /// A photo's file has other bytes than it had.
    case altered(PhotoHash)
    /// A photo's file that no post has.
    case orphan(PhotoHash)
    /// A photo's row that no post has.
    case unused(PhotoHash)
    /// A file that is no photo.
    case stranger(String)

    package var description: String {
      switch self {
      case .database(let message): "The database is damaged: \(message)."
      case .reference(let table): "A row of \(table) names something that is not there."
      case .missing(let hash): "The photo \(hash) is missing: post it again, or copy it from a backup."
      case .altered(let hash): "The photo \(hash) was altered: copy it from a backup."
      case .orphan(let hash): "No post has the photo \(hash): it may be removed."
      case .unused(let hash): "No post has the row of the photo \(hash)."
      case .stranger(let name): "The file \(name) among the photos is none: move it elsewhere."
      }
    }
  }

  /// No more than ``KennelStore/problemLimit`` of each kind.
  package var problems: [Problem] = []
  package var photoCount = 0
  /// Orphans that were removed because that was asked for.
  package var removedCount = 0

  package var isClean: Bool { problems.isEmpty }
}

extension KennelStore {
  static let problemLimit = 1000

  /// Looks whether all is as it ought to be, while others go on reading and writing.
  ///
  /// - Parameters:
  ///   - readsPhotos: whether all photos are read and their hashes computed, rather than looking at their lengths.
  ///   - removesOrphans: whether photos without a post are removed.
  package func check(
    readsPhotos: Bool = false, removesOrphans: Bool = false
  ) async throws(KennelError) -> StoreReport {
    var report = StoreReport()
    report.problems = try await checkDatabase()
    var doubtful: [(PhotoHash, Int)] = []
    var last: [UInt8] = []
    while true {
      let page = try await checkPhotos(after: last, readsPhotos: readsPhotos)
      guard let end = page.last else { break }
      last = end
      report.photoCount += page.count
      report.problems += page.altered.map { .altered($0) }
      doubtful += page.doubtful.prefix(max(0, Self.problemLimit - doubtful.count))
    }
    let files = try await checkFiles()
    report.problems += files.strangers.map { .stranger($0) }
    // While it was looked at, a post may have come or gone: now nothing moves.
    let (missing, orphans) = try await database.write { [photos, doubtful] transaction throws(KennelError) in
      let connection = transaction.connection
      var missing: [PhotoHash] = []
      for (hash, count) in doubtful where !photos.has(hash, byteCount: count) {
        if try ChangeRecorder.isNeeded(hash, connection) { missing.append(hash) }
      }
      var orphans: [PhotoHash] = []
      for hash in files.orphans where FileCalls.size(of: photos.location(hash)) != nil {
        let isNeeded = try ChangeRecorder.isNeeded(hash, connection)
        let isLeaving = try connection.first("SELECT 1 FROM removals WHERE hash = ?", .blob(hash.bytes)) {
          _ in
          true
        }
        guard !isNeeded, isLeaving == nil else { continue }
        orphans.append(hash)
        if removesOrphans { try photos.remove(hash, in: transaction) }
      }
      return (missing, orphans)
    }
    report.problems += missing.map { .missing($0) }
    if removesOrphans {
      report.removedCount = orphans.count
    } else {
      report.problems += orphans.map { .orphan($0) }
    }
    return report
  }

  private func checkDatabase() async throws(KennelError) -> [StoreReport.Problem] {
    try await database.read { connection throws(KennelError) in
      var problems: [StoreReport.Problem] = []
      for message in try connection.rows("PRAGMA integrity_check", row: { $0.text(0) }) where message != "ok"
      {
        problems.append(.database(message))
      }
      for table in try connection.rows("PRAGMA foreign_key_check", row: { $0.text(0) }).prefix(
        Self.problemLimit)
      {
        problems.append(.reference(table: table))
      }
      let unused = try connection.rows(
        "SELECT hash FROM photos WHERE NOT EXISTS (SELECT 1 FROM posts WHERE photo = hash) LIMIT ?",
        .integer(Int64(Self.problemLimit))
      ) { $0.blob(0) }
      return problems + unused.compactMap { PhotoHash(bytes: $0).map { .unused($0) } }
    }
  }

  private struct PhotoPage: Sendable {
    var count = 0
    var last: [UInt8]?
    var doubtful: [(PhotoHash, Int)] = []
    var altered: [PhotoHash] = []
  }

  private func checkPhotos(after last: [UInt8], readsPhotos: Bool) async throws(KennelError) -> PhotoPage {
    let rows = try await database.read { connection throws(KennelError) in
      try connection.rows(
        "SELECT hash, bytes FROM photos WHERE hash > ? ORDER BY hash LIMIT 500", .blob(last)
      ) {
        (hash: $0.blob(0), byteCount: Int($0.integer(1)))
      }
    }
    return try await photos.lane.run { [photos] in
      var page = PhotoPage(count: rows.count, last: rows.last?.hash)
      for row in rows {
        guard let hash = PhotoHash(bytes: row.hash) else { continue }
        if !photos.has(hash, byteCount: row.byteCount) {
          page.doubtful.append((hash, row.byteCount))
        } else if readsPhotos, (try? photos.computeHash(of: hash)) != hash {
          // Deleted meanwhile, it is not altered.
          if photos.has(hash, byteCount: row.byteCount) { page.altered.append(hash) }
        }
      }
      return page
    }
  }

  private func checkFiles() async throws(KennelError) -> (orphans: [PhotoHash], strangers: [String]) {
    try await database.read { [photos] connection throws(KennelError) in
      var orphans: [PhotoHash] = []
      var strangers: [String] = []
      try photos.forEachFile { hash throws(KennelError) in
        guard orphans.count < Self.problemLimit else { return }
        if try !ChangeRecorder.isNeeded(hash, connection) { orphans.append(hash) }
      } stranger: { name in
        if strangers.count < Self.problemLimit { strangers.append(name) }
      }
      return (orphans, strangers)
    }
  }
}
