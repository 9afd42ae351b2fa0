import Foundation

// For whoever has files, and asks whether they are here already.
extension PhotoDirectory {
  /// The hash that the bytes of a file have as a photo.
  ///
  /// - Throws: `photoTooLarge`, or what the disk says.
  package func hash(ofFileAt path: String) async throws(KennelError) -> PhotoHash {
    try await lane.run { [self] () throws(KennelError) in
      guard let hash = try Self.hash(of: OpenFile(reading: path), limit: sizeLimit) else {
        throw KennelError(.failed, "The photo at \(path) has no hash. Try again.")
      }
      return hash
    }
  }

  /// Takes in what a file has.
  ///
  /// - Throws: `photoTooLarge`, or what the disk says.
  package func stage(fileAt path: String) async throws(KennelError) -> StagedPhoto {
    let bytes = try await lane.run { [sizeLimit] () throws(KennelError) in
      try OpenFile(reading: path).contents(limit: sizeLimit)
    }
    return try await stage(bytes)
  }
}
