import Foundation

// For callers that have files and need to know whether the photos are already in the store.
extension PhotoDirectory {
  /// Returns the photo hash of a file.
  ///
  /// - Throws: `photoTooLarge`, or an error of the file system.
  package func hash(ofFileAt path: String) async throws(KennelError) -> PhotoHash {
    try await workQueue.run { [self] () throws(KennelError) in
      guard let hash = try Self.hash(of: OpenFile(reading: path), limit: maximumPhotoSize) else {
        throw KennelError(.failed, "The photo at \(path) could not be hashed. Try again.")
      }
      return hash
    }
  }

  /// Copies a photo from a file into the store.
  ///
  /// - Throws: `photoTooLarge`, or an error of the file system.
  package func stage(fileAt path: String) async throws(KennelError) -> StagedPhoto {
    let bytes = try await workQueue.run { [maximumPhotoSize] () throws(KennelError) in
      try OpenFile(reading: path).contents(limit: maximumPhotoSize)
    }
    return try await stage(bytes)
  }
}
