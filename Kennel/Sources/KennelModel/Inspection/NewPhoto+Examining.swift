import Foundation
import KennelStorage
import RetrieverImages

extension NewPhoto {
  /// Prepares a file that was uploaded, imported or fetched for a post: inspects it and takes the metadata out of it.
  ///
  /// - Parameters:
  ///   - file: a photo or a video. Whether it is accepted is decided here, for all ways in which files arrive.
  ///   - sharesMetadata: whether others get the metadata too, because the author wants that.
  /// - Throws: the errors of ``PhotoInspector/facts(ofFileAt:)``.
  package static func examining(
    _ file: StagedPhoto, in photos: PhotoDirectory, sharesMetadata: Bool = false
  ) async throws(KennelError) -> NewPhoto {
    let facts = try await PhotoInspector.facts(ofFileAt: file.path)
    let examination = PhotoExamination(
      file: BlobFile(path: file.path), hash: file.hash, facts: facts, photos: photos)
    guard try await examination.hasMetadata() else { return NewPhoto(unchanged: file, facts: facts) }
    if sharesMetadata { return NewPhoto(unchanged: file, facts: facts, sharesMetadata: true) }
    return try await examination.withoutMetadata()
  }
}

/// Takes the metadata out of one file. The file stays as it is.
struct PhotoExamination: Sendable {
  let file: BlobFile
  let hash: PhotoHash
  let facts: PhotoFacts
  let photos: PhotoDirectory
  private var path: String { file.path }

  /// Returns whether there is metadata to take out, as far as that is known.
  func hasMetadata() async throws(KennelError) -> Bool {
    guard let stripped = try await stripped() else { return true }
    return !stripped.removed.isEmpty
  }

  /// Returns the photo without its metadata, and what was taken out. It is verified that both together are the file.
  func withoutMetadata() async throws(KennelError) -> NewPhoto {
    guard let stripped = try await stripped() else { return try await converted() }
    return try await photos.workQueue.run { [self] () throws(KennelError) in
      // A copy may have a few bytes more than a file that has the maximum size.
      let file = try photos.stage(limit: photos.limits.maximum + 4096) { write throws(KennelError) in
        do {
          try stripped.forEachPiece { try write($0) }
        } catch let error as KennelError {
          throw error
        } catch {
          throw KennelError(decoding: error)
        }
      }
      var copies: [(range: Range<Int>, position: Int)] = []
      var position = 0
      for piece in stripped.pieces {
        switch piece {
        case .original(let range):
          copies.append((range, position))
          position += range.count
        case .new(let count): position += count
        }
      }
      let part = PrivatePart(copies: copies, byteCount: stripped.originalByteCount)
      return try result(file, facts: facts, part: part)
    }
  }

  /// Plans the removal. Returns nil for a file whose parts are not known.
  private func stripped() async throws(KennelError) -> StrippedImage? {
    do {
      return try await StrippedImage(contentsOf: URL(fileURLWithPath: path))
    } catch {
      if error.code == .cancelled { throw .cancelled }
      // A video is not converted.
      if facts.format.isVideo { throw KennelError(readingVideo: error) }
      // If the file cannot be read at all, the conversion reports it.
      return nil
    }
  }

  /// Returns another picture for others. The complete file is what was taken out.
  func converted() async throws(KennelError) -> NewPhoto {
    let jpeg = try await PhotoInspector.converted(fileAt: path, size: (facts.width, facts.height))
    let file = try await photos.stage(jpeg.data)
    return try await photos.workQueue.run { [self] () throws(KennelError) in
      let byteCount = try OpenFile(reading: path).size()
      return try result(file, facts: jpeg.facts, part: PrivatePart(copies: [], byteCount: byteCount))
    }
  }

  private func result(
    _ file: StagedPhoto, facts shown: PhotoFacts, part: PrivatePart
  ) throws(KennelError) -> NewPhoto {
    let rest = try photos.stage(part, ofFileAt: path)
    guard try photos.hashOfUpload(photo: file.path, part: rest.path) == hash else {
      throw KennelError(.failed, "The metadata of the photo could not be taken out safely. Try again.")
    }
    return NewPhoto(file, facts: shown, part: rest, original: hash, format: facts.format)
  }
}
