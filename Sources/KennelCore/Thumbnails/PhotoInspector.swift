import Foundation
import RetrieverImages

/// Finds out what a photo is, and proves that it is one: all of it is decoded.
package enum PhotoInspector {
  /// What a photo may ask for, in bytes and in pixels.
  package static let byteLimit = 25 << 20
  package static let pixelLimit = 50_000_000

  static let limits = ImageLimits(bytes: byteLimit, pixels: pixelLimit, frames: 1000, duration: .seconds(30))

  /// A photo's bytes are in memory while it is looked at: only so many at once.
  private static let turnstile = Turnstile(
    "photos to be looked at", passes: max(ProcessInfo.processInfo.activeProcessorCount, 2), waitingLimit: 256)
  private static let lane = Lane<Void>("photos to be looked at", slots: 2, waitingLimit: 256)

  /// What the photo in a file is.
  ///
  /// No thread of Swift's tasks is held; cancelling the task ends the work early.
  ///
  /// - Parameter path: a file that nobody writes to any more.
  /// - Throws: `unknownFormat` when it is no photo of a known kind, `photoTooLarge`, or `badPhoto` when it is damaged,
  ///   each with a sentence for who sent it; `cancelled`, or what the disk says.
  package static func facts(ofFileAt path: String) async throws(KennelError) -> PhotoFacts {
    try await turnstile.pass { () async throws(KennelError) in
      let data = try await bytes(ofFileAt: path, limit: byteLimit)
      return try await facts(of: data)
    }
  }

  private static func facts(of data: Data) async throws(KennelError) -> PhotoFacts {
    do {
      let image = try UIImage(validating: data, limits: limits)
      guard let format = image.format.flatMap({ PhotoFacts.Format(rawValue: $0.rawValue) }) else {
        throw KennelError.notAPhoto
      }
      // Thumbnails are made of all rows: so this fails if any of them is missing.
      let small = try await image.thumbnail(ThumbnailTarget(width: 100, height: 100), priority: .low)
      return PhotoFacts(
        width: Int(image.size.width), height: Int(image.size.height), format: format,
        thumbHash: ThumbHash(small).map { Array($0.data) } ?? [])
    } catch let error as KennelError {
      throw error
    } catch {
      throw KennelError(decoding: error)
    }
  }

  /// The bytes of a photo, read on another thread.
  static func bytes(ofFileAt path: String, limit: Int) async throws(KennelError) -> Data {
    try await lane.run { () throws(KennelError) in
      try OpenFile(reading: path).contents(limit: limit)
    }
  }
}

extension KennelError {
  static let notAPhoto = KennelError(
    .unknownFormat, "That is no photo of a known kind. Send a JPEG, PNG, WebP or GIF.")
  static let photoTooLarge = KennelError(
    .photoTooLarge,
    "The photo is too large: it may have \(PhotoInspector.byteLimit.inBinaryUnits) and \(PhotoInspector.pixelLimit / 1_000_000) megapixels. Make it smaller."
  )

  /// What went wrong when a photo was decoded, for who sent it.
  init(decoding error: any Error) {
    guard let error = error as? ImageError else {
      self.init(.badPhoto, "The photo is damaged. Save it anew, then send that.")
      return
    }
    switch error.code {
    case .unknownFormat: self = .notAPhoto
    case .cancelled: self = .cancelled
    case .tooLarge: self = .photoTooLarge
    case .outOfMemory:
      self.init(.busy, "There is not enough memory to decode the photo. Try again in a moment.")
    case .truncated:
      self.init(.badPhoto, "The photo is cut short. Send the whole file.", cause: error.message)
    default:
      self.init(.badPhoto, "The photo is damaged. Save it anew, then send that.", cause: error.message)
    }
  }
}
