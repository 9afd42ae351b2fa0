/// Photos in a directory. A photo that was uploaded is moved to its place in the transaction of its row.
extension PhotoDirectory: Blobs {
  package var sweeper: (any BlobSweeper)? { nil }

  package func put(_ photo: StagedPhoto) async throws(KennelError) -> FileLock? { nil }

  /// Returns whether a photo's file exists with all of its bytes.
  package func has(_ hash: PhotoHash, byteCount: Int) -> Bool {
    FileCalls.size(of: location(hash)) == byteCount
  }

  package func place(
    _ photo: StagedPhoto, in transaction: WriteTransaction, ifUndone recover: @escaping () -> Void
  ) throws(KennelError) {
    let marker = marker(of: photo.hash)
    try FileCalls.makeFile(marker)
    transaction.atEnd { isCommitted in
      // A marker that stays is processed and removed at the next start.
      if isCommitted { try? FileCalls.remove(marker) } else { recover() }
    }
    do throws(KennelError) {
      try FileCalls.rename(photo.path, to: location(photo.hash))
    } catch {
      // The job runs for the second time, and the first run has already put the photo in place.
      guard has(photo.hash, byteCount: photo.byteCount) else { throw error }
    }
    syncBeforeCommit(transaction)
  }

  package func remove(_ hash: PhotoHash, in transaction: WriteTransaction) throws(KennelError) {
    try FileCalls.remove(location(hash))
    syncBeforeCommit(transaction)
  }

  private func syncBeforeCommit(_ transaction: WriteTransaction) {
    transaction.beforeCommit(.syncPhotos) { [path] () throws(KennelError) in
      try FileCalls.syncDirectory(path)
    }
  }

  package func body(of hash: PhotoHash, byteCount: Int) async throws(KennelError) -> BlobBody {
    .file(BlobFile(path: location(hash)))
  }

  package func file(_ hash: PhotoHash, byteCount: Int?) async throws(KennelError) -> BlobFile {
    BlobFile(path: location(hash))
  }

  package func waitForFile(_ hash: PhotoHash, byteCount: Int) throws(KennelError) -> BlobFile {
    BlobFile(path: location(hash))
  }

  package func isReadable(_ hash: PhotoHash, byteCount: Int) -> Bool {
    guard let file = try? OpenFile(reading: location(hash)), let size = try? file.size() else { return false }
    return size == byteCount
  }

  package func missing(among photos: [StoredPhoto]) async throws(KennelError) -> [StoredPhoto] {
    try await workQueue.run { [self] in photos.filter { !has($0.hash, byteCount: $0.byteCount) } }
  }

  package func isStillMissing(_ photo: StoredPhoto) -> Bool { !has(photo.hash, byteCount: photo.byteCount) }

  package func isIntact(_ photo: StoredPhoto) async throws(KennelError) -> Bool {
    try await workQueue.run { [self] in
      if (try? computeHash(of: photo.hash)) == photo.hash { return true }
      // A photo that was deleted in the meantime does not count as altered.
      return !has(photo.hash, byteCount: photo.byteCount)
    }
  }

  package func forEachStored(
    photo: (PhotoHash) throws(KennelError) -> Void, unknownFile: (String) -> Void
  ) throws(KennelError) {
    try FileCalls.forEachName(in: path) { name throws(KennelError) in
      if let hash = PhotoHash(name) {
        try photo(hash)
      } else if name != "incoming" {
        unknownFile(name)
      }
    }
  }

  package func isStillUnused(_ hash: PhotoHash) -> Bool {
    // In this order: a file is removed before its marker.
    !isBeingPlaced(hash) && FileCalls.size(of: location(hash)) != nil
  }

  package func receive(_ photo: StagedPhoto) async throws(KennelError) {
    try await workQueue.run { [self] () throws(KennelError) in
      try FileCalls.rename(photo.path, to: location(photo.hash))
    }
  }

  package func isReceived(_ photo: StoredPhoto) async throws(KennelError) -> Bool {
    try await workQueue.run { [self] in (try? computeHash(of: photo.hash)) == photo.hash }
  }
}
