import KennelStorage

// The parts of a check that read the directory of the photos.
extension StoreCheck {
  struct PhotoPage: Sendable {
    var photoCount = 0
    var last: [UInt8]?
    var doubtful: [(PhotoHash, Int)] = []
    var altered: [PhotoHash] = []
  }

  func checkPhotos(after last: [UInt8], readsPhotos: Bool) async throws(KennelError) -> PhotoPage {
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
  func checkUploads() async throws(KennelError) -> [Post.ID] {
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
      }.prefix(max(0, StoreReport.maximumProblemCount - incomplete.count))
    }
  }

  func checkFiles() async throws(KennelError) -> (orphans: [PhotoHash], unknownFiles: [String]) {
    try await database.read { [photos] connection throws(KennelError) in
      var orphans: [PhotoHash] = []
      var unknownFiles: [String] = []
      try photos.forEachFile { hash throws(KennelError) in
        guard orphans.count < StoreReport.maximumProblemCount else { return }
        if try !ChangeRecorder.isNeeded(hash, connection) { orphans.append(hash) }
      } unknownFile: { name in
        if unknownFiles.count < StoreReport.maximumProblemCount { unknownFiles.append(name) }
      }
      return (orphans, unknownFiles)
    }
  }
}
