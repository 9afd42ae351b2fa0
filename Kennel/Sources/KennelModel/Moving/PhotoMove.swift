import Glibc
import KennelStorage

/// Copies photos from one place to another. Photos that are already there are not copied again.
struct PhotoMove: Sendable {
  /// The number of photos that are copied at the same time.
  private static let concurrency = 8

  /// Where files arrive.
  let directory: PhotoDirectory
  let source: any Blobs
  let target: any Blobs

  enum Outcome: Sendable {
    case copied, present
    /// The source has no such photo, or one with other bytes.
    case missing
  }

  /// Copies photos, which are in the order of their hashes.
  ///
  /// - Parameter done: called for each photo.
  func copy(
    _ photos: [StoredPhoto], _ done: @escaping @Sendable (StoredPhoto, Outcome) -> Void
  ) async throws(KennelError) {
    let missing = Set(try await target.missing(among: photos))
    let result: Result<Void, KennelError> = await withTaskGroup(of: Result<Void, KennelError>.self) { group in
      var failure: KennelError?
      for (index, photo) in photos.enumerated() {
        if index >= Self.concurrency, case .failure(let error)? = await group.next() {
          failure = error
          break
        }
        group.addTask {
          do throws(KennelError) {
            if Task.isCancelled { throw .cancelled }
            done(photo, try await copy(photo, isMissing: missing.contains(photo)))
            return .success(())
          } catch {
            return .failure(error)
          }
        }
      }
      if failure != nil { group.cancelAll() }
      for await result in group {
        if case .failure(let error) = result, failure == nil { failure = error }
      }
      return failure.map { .failure($0) } ?? .success(())
    }
    try result.get()
  }

  private func copy(_ photo: StoredPhoto, isMissing: Bool) async throws(KennelError) -> Outcome {
    if !isMissing, try await target.isReceived(photo) { return .present }
    let staged: StagedPhoto
    do throws(KennelError) {
      let file = try await source.file(photo.hash, byteCount: photo.byteCount)
      staged = try await directory.workQueue.run { [directory] () throws(KennelError) in
        try directory.stage(linking: file.path, as: photo)
      }
    } catch {
      guard error.isAboutPhoto else { throw error }
      return .missing
    }
    try await target.receive(staged)
    return .copied
  }
}

extension KennelError {
  /// Whether one photo is missing or altered. All other errors, such as those of a disk or too many open files, may concern every
  /// photo, and may be gone later.
  var isAboutPhoto: Bool {
    switch code {
    case .damaged: true
    // The error of an object that a store does not have contains no number.
    case .cannotOpen: errno == ENOENT || errno == 0
    default: false
    }
  }
}
