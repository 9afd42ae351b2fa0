/// The maximum size of a photo.
package enum PhotoLimits {
  package static let maximumByteCount = 25 << 20
  package static let maximumPixelCount = 50_000_000
  /// The maximum size of a video, unless the owner sets another one.
  package static let defaultMaximumVideoSize = 500 << 20
}

/// The limits of files that are stored. They depend on what a file is, which its first bytes say.
package struct FileLimits: Sendable {
  package var photo: Int
  /// The maximum size of a video, or 0 if videos are not accepted.
  package var video: Int
  /// Returns whether a file that begins with these bytes is a video. It needs ``UploadLimit/prefixSize`` bytes.
  package var isVideo: @Sendable ([UInt8]) -> Bool

  package init(photo: Int, video: Int = 0, isVideo: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }) {
    (self.photo, self.video, self.isVideo) = (photo, video, isVideo)
  }

  /// The maximum size of any file.
  package var maximum: Int { max(photo, video) }
}

/// The limit of a file that arrives in pieces.
struct UploadLimit {
  /// The number of bytes that say what a file is.
  static let prefixSize = 12

  private enum Rule {
    case fixed(Int)
    case undecided(FileLimits, prefix: [UInt8])
  }

  private var rule: Rule

  /// A limit that does not depend on the file.
  init(_ limit: Int) { rule = .fixed(limit) }

  init(_ limits: FileLimits) { rule = .undecided(limits, prefix: []) }

  /// Checks the next bytes of the file.
  ///
  /// - Parameter count: the number of bytes before them.
  /// - Throws: `photoTooLarge`, or `unknownFormat` for a video where videos are not accepted.
  mutating func check(_ bytes: UnsafeRawBufferPointer, after count: Int) throws(KennelError) {
    switch rule {
    case .fixed(let limit):
      guard bytes.count <= limit - count else { throw .photoTooLarge(limit: limit) }
    case .undecided(let limits, var prefix):
      prefix += bytes.prefix(Self.prefixSize - prefix.count)
      let isVideo = prefix.count == Self.prefixSize && limits.isVideo(prefix)
      if prefix.count < Self.prefixSize { rule = .undecided(limits, prefix: prefix) }
      guard isVideo else {
        if prefix.count == Self.prefixSize { rule = .fixed(limits.photo) }
        guard bytes.count <= limits.photo - count else { throw .photoTooLarge(limit: limits.photo) }
        return
      }
      guard limits.video > 0 else { throw .noVideos }
      guard bytes.count <= limits.video - count else { throw .videoTooLarge(limit: limits.video) }
      // The prefix stays, so that a later error is that of a video.
      rule = .undecided(limits, prefix: prefix)
    }
  }
}

extension KennelError {
  package static let photoTooLarge = KennelError(
    .photoTooLarge,
    "The photo is too large. The maximum is \(PhotoLimits.maximumByteCount.inBinaryUnits) and \(PhotoLimits.maximumPixelCount / 1_000_000) megapixels. Make it smaller."
  )

  static func photoTooLarge(limit: Int) -> KennelError {
    KennelError(.photoTooLarge, "The photo has more than \(limit.inBinaryUnits). Make it smaller.")
  }

  package static func videoTooLarge(limit: Int) -> KennelError {
    KennelError(
      .photoTooLarge,
      "The video has more than \(limit.inBinaryUnits). Make it shorter, or save it with a lower resolution.")
  }

  package static let noVideos = KennelError(
    .unknownFormat,
    "This kennel accepts no videos. Upload a photo, or ask the owner to change the setting max-video.")
}
