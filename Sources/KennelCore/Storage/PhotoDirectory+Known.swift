import Foundation

// For whoever has files, and asks whether they are here already.
extension PhotoDirectory {
  /// The hash that the bytes of a file have as a photo.
  ///
  /// - Throws: `photoTooLarge`, or what the disk says.
  package func hash(ofFileAt path: String) async throws(KennelError) -> PhotoHash {
    try await lane.run { [self] () throws(KennelError) in
      let file = try OpenFile(reading: path)
      var state = Sodium.SHA256()
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
      defer { buffer.deallocate() }
      var total = 0
      while true {
        let count = try file.read(into: buffer)
        if count == 0 { break }
        total += count
        guard total <= sizeLimit else { throw .photoTooLarge }
        state.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      guard let hash = PhotoHash(bytes: state.finish()) else {
        throw KennelError(.failed, "The photo at \(path) has no hash. Try again.")
      }
      return hash
    }
  }

  /// Whether a photo has its place here, with all of its bytes.
  package func holds(_ hash: PhotoHash, byteCount: Int) async throws(KennelError) -> Bool {
    try await lane.run { [self] in has(hash, byteCount: byteCount) }
  }

  /// Takes in what a file has.
  ///
  /// - Throws: `photoTooLarge`, or what the disk says.
  package func stage(fileAt path: String) async throws(KennelError) -> StagedPhoto {
    let bytes = try await lane.run { [sizeLimit] () throws(KennelError) in
      guard FileCalls.size(of: path) ?? 0 <= sizeLimit else { throw .photoTooLarge }
      let file = try OpenFile(reading: path)
      var data = Data(count: min((FileCalls.size(of: path) ?? 0), sizeLimit))
      var count = 0
      while count < data.count {
        let read = try file.read(into: &data, at: count)
        if read == 0 { break }
        count += read
      }
      return data.prefix(count)
    }
    return try await stage(bytes)
  }
}
