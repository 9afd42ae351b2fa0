import KennelStorage

// The parts of a check that read the directory of the photos.
extension StoreCheck {
  struct PhotoPage: Sendable {
    var photoCount = 0
    var last: [UInt8]?
    var doubtful: [StoredPhoto] = []
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
    let stored = rows.compactMap { row in
      PhotoHash(bytes: row.hash).map { StoredPhoto($0, byteCount: row.byteCount) }
    }
    var page = PhotoPage(photoCount: rows.count { $0.isPhoto }, last: rows.last?.hash)
    page.doubtful = try await blobs.missing(among: stored)
    guard readsPhotos else { return page }
    let doubtful = Set(page.doubtful)
    for photo in stored where !doubtful.contains(photo) {
      if try await !blobs.isIntact(photo) { page.altered.append(photo.hash) }
    }
    return page
  }

  /// Returns the posts, also those in the bin, whose photos cannot be put together as they were uploaded, although both files exist.
  func checkUploads() async throws(KennelError) -> [Post.ID] {
    var incomplete: [Post.ID] = []
    var last: Post.ID = 0
    while true {
      let (posts, end) = try await database.read { [last] connection throws(KennelError) in
        let ids = try connection.rows(
          "SELECT id FROM posts WHERE part IS NOT NULL AND id > ? ORDER BY id LIMIT 100", .integer(last)
        ) { $0.integer(0) }
        return (try Posts.posts(ids, for: nil, inBin: true, from: connection), ids.last)
      }
      guard let end else { return incomplete }
      last = end
      for post in posts where incomplete.count < StoreReport.maximumProblemCount {
        if try await isIncomplete(post) { incomplete.append(post.id) }
      }
    }
  }

  private func isIncomplete(_ post: Post) async throws(KennelError) -> Bool {
    guard let upload = post.upload, let files = try? await Posts.files(of: post, upload, in: blobs) else {
      return false
    }
    return try await photos.workQueue.run { [photos] in
      let (photo, part) = (files.photo.path, files.part.path)
      guard FileCalls.size(of: photo) != nil, FileCalls.size(of: part) != nil else { return false }
      return (try? photos.hashOfUpload(photo: photo, part: part)) != upload.hash
    }
  }

  func checkFiles() async throws(KennelError) -> (orphans: [PhotoHash], unknownFiles: [String]) {
    try await database.read { [blobs] connection throws(KennelError) in
      var orphans: [PhotoHash] = []
      var unknownFiles: [String] = []
      try blobs.forEachStored { hash throws(KennelError) in
        guard orphans.count < StoreReport.maximumProblemCount else { return }
        if try !ChangeRecorder.isNeeded(hash, connection) { orphans.append(hash) }
      } unknownFile: { name in
        if unknownFiles.count < StoreReport.maximumProblemCount { unknownFiles.append(name) }
      }
      return (orphans, unknownFiles)
    }
  }
}
