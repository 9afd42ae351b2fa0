import Foundation
import KennelStorage
import RetrieverImages

/// Determines the properties of a photo. It decodes the complete photo to verify it.
package enum PhotoInspector {
  /// The maximum size of a photo, in bytes and in pixels.
  package static let maximumByteCount = PhotoLimits.maximumByteCount
  package static let maximumPixelCount = PhotoLimits.maximumPixelCount

  package static let limits = ImageLimits(
    bytes: maximumByteCount, pixels: maximumPixelCount, frames: 1000, duration: .seconds(30))

  /// A photo is in memory while it is inspected, so the number of concurrent inspections is limited.
  private static let semaphore = AsyncSemaphore(
    "photo inspections", permits: max(ProcessInfo.processInfo.activeProcessorCount, 2),
    maximumWaitingCount: 256)
  private static let workQueue = BlockingWorkQueue<Void>(
    "photo inspections", slots: 2, maximumWaitingCount: 256)

  /// Returns the properties of the photo or the video in a file.
  ///
  /// It does not block a thread of Swift's concurrency pool. Cancelling the task ends the work early.
  ///
  /// - Parameter path: a file that is no longer being written.
  /// - Throws: `unknownFormat` if the format is not supported, `photoTooLarge`, or `badPhoto` if the photo is damaged,
  ///   each with a message for the sender; `cancelled`, or an error of the file system.
  package static func facts(ofFileAt path: String) async throws(KennelError) -> PhotoFacts {
    if try await isVideo(fileAt: path) { return try await VideoInspector.facts(ofFileAt: path) }
    return try await semaphore.withPermit { () async throws(KennelError) in
      let data = try await bytes(ofFileAt: path, limit: maximumByteCount)
      return try await facts(of: data)
    }
  }

  /// Returns whether a file is a video, judged by its first bytes.
  package static func isVideo(fileAt path: String) async throws(KennelError) -> Bool {
    let prefix = try await workQueue.run { () throws(KennelError) in
      try PhotoDirectory.prefix(ofFileAt: path)
    }
    return MovieMetadata.isMovie(Data(prefix))
  }

  /// Returns a thumbnail of a complete photo.
  private static func thumbnail(of data: Data, _ target: ThumbnailTarget) async throws -> SandboxedThumbnail {
    // A thumbnail is made from all rows, so missing rows are found.
    let result = try await PhotoDecoder.sandbox.thumbnail(
      of: data, target, limits: limits, damage: .tolerate, priority: .low)
    // Other damage is common in photos of cameras, and every program shows them.
    guard result.thumbnail.damage.contains(where: { $0.kind == .incomplete }) else { return result }
    // Throws the error in the image.
    return try await PhotoDecoder.sandbox.thumbnail(
      of: data, target, limits: limits, damage: .strict, priority: .low)
  }

  private static func facts(of data: Data) async throws(KennelError) -> PhotoFacts {
    do {
      let result = try await thumbnail(of: data, ThumbnailTarget(width: 100, height: 100))
      guard let format = PhotoFacts.Format(rawValue: result.format.rawValue) else {
        throw KennelError.notAPhoto
      }
      return PhotoFacts(
        width: result.width, height: result.height, format: format,
        thumbHash: ThumbHash(result.thumbnail).map { Array($0.data) } ?? [])
    } catch let error as KennelError {
      throw error
    } catch {
      throw KennelError(decoding: error)
    }
  }

  /// The maximum length of the longer side of a converted photo.
  private static let maximumConvertedSide = 4096

  /// Converts the photo in a file, whose metadata cannot be taken out, to a JPEG without any.
  ///
  /// - Parameter size: the size of the photo.
  /// - Throws: the same errors as ``facts(ofFileAt:)``.
  static func converted(
    fileAt path: String, size: (width: Int, height: Int)
  ) async throws(KennelError) -> (data: Data, facts: PhotoFacts) {
    try await semaphore.withPermit { () async throws(KennelError) in
      let data = try await bytes(ofFileAt: path, limit: maximumByteCount)
      let jpeg: Data
      do {
        let side = min(max(size.width, size.height, 1), maximumConvertedSide)
        let result = try await PhotoDecoder.sandbox.thumbnail(
          of: data, ThumbnailTarget(width: side, height: side), limits: limits, damage: .tolerate,
          priority: .low)
        jpeg = try await result.thumbnail.data(as: .jpeg(quality: 0.92))
      } catch {
        throw KennelError(decoding: error)
      }
      return (jpeg, try await facts(of: jpeg))
    }
  }

  /// Makes the picture of a user from the photo in a file: the middle of it as a small JPEG without metadata.
  ///
  /// - Throws: the same errors as ``facts(ofFileAt:)``; a video is an `unknownFormat`.
  package static func portrait(fileAt path: String) async throws(KennelError) -> Data {
    if try await isVideo(fileAt: path) { throw .notAPortrait }
    return try await semaphore.withPermit { () async throws(KennelError) in
      let data = try await bytes(ofFileAt: path, limit: UserPicture.maximumUploadSize)
      do {
        let side = UserPicture.side
        let result = try await thumbnail(of: data, ThumbnailTarget(width: side, height: side, mode: .fill))
        return try await result.thumbnail.data(as: .jpeg(quality: 0.88))
      } catch {
        if (error as? ImageError)?.code == .unknownFormat { throw .notAPortrait }
        throw KennelError(decoding: error)
      }
    }
  }

  /// Reads the bytes of a photo on another thread.
  package static func bytes(ofFileAt path: String, limit: Int) async throws(KennelError) -> Data {
    try await workQueue.run { () throws(KennelError) in
      try OpenFile(reading: path).contents(limit: limit)
    }
  }
}

extension KennelError {
  static let notAPhoto = KennelError(
    .unknownFormat,
    "The file type is not supported. Use a JPEG, PNG, WebP, GIF, HEIC or AVIF image, or an MP4 or MOV video.")

  fileprivate static let notAPortrait = KennelError(
    .unknownFormat,
    "The picture must be a photo. Use a JPEG, PNG, WebP, GIF, HEIC or AVIF image.")

  fileprivate static func damagedPhoto(cause: String?) -> KennelError {
    KennelError(
      .badPhoto, "The photo is damaged. Save it again in an image editor and upload the new file.",
      cause: cause)
  }

  /// Creates an error for the sender from an error that occurred while decoding a photo.
  package init(decoding error: any Error) {
    guard let error = error as? ImageError else {
      self = .damagedPhoto(cause: nil)
      return
    }
    switch error.code {
    case .unknownFormat:
      self.init(.unknownFormat, KennelError.notAPhoto.description, cause: error.description)
    case .unsupported:
      self.init(
        .unknownFormat,
        "This server cannot read photos of this kind. Save the photo as a JPEG and upload that file.",
        cause: error.description)
    case .cancelled: self = .cancelled
    case .tooLarge: self = .photoTooLarge
    case .outOfMemory:
      self.init(.busy, "There is not enough memory to decode the photo. Try again in a moment.")
    case .truncated:
      self.init(.badPhoto, "The photo is incomplete. Upload the complete file.", cause: error.description)
    default:
      self = .damagedPhoto(cause: error.description)
    }
  }
}
