import Foundation
import KennelStorage
import RetrieverImages

/// Determines the properties of a video from the description in its file. Its pictures are decoded only for the poster.
enum VideoInspector {
  /// The maximum width and height. Larger pictures cannot be coded with H.264 and HEVC.
  private static let maximumDimension = 16_384

  /// Returns the properties of the video in a file.
  ///
  /// - Throws: `unknownFormat` if its codings are not supported, `photoTooLarge`, or `badPhoto` if it is damaged, each with a
  ///   message for the sender.
  static func facts(ofFileAt path: String) async throws(KennelError) -> PhotoFacts {
    let metadata: MovieMetadata
    do {
      metadata = try await MovieMetadata(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw KennelError(readingVideo: error)
    }
    guard metadata.pixelWidth <= maximumDimension, metadata.pixelHeight <= maximumDimension else {
      throw KennelError(
        .photoTooLarge,
        "The video has \(metadata.pixelWidth) × \(metadata.pixelHeight) pixels. Save it with a lower resolution."
      )
    }
    return PhotoFacts(
      width: metadata.pixelWidth, height: metadata.pixelHeight,
      format: metadata.format == .mp4 ? .mp4 : .mov,
      thumbHash: await VideoPoster.thumbHash(ofFileAt: path),
      duration: Int(min(max(metadata.seconds, 0), 1_000_000) * 1000))
  }
}

extension KennelError {
  /// Creates an error for the sender from an error that occurred while reading a video.
  init(readingVideo error: ImageError) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .unsupported, .unknownFormat: self.init(.unknownFormat, error.description)
    case .tooLarge: self.init(.photoTooLarge, error.description)
    case .truncated: self.init(.badPhoto, "\(error.description) Upload the complete file.")
    case .unreadable: self.init(.inputOutput, error.description)
    default:
      self.init(.badPhoto, "\(error.description) Save it again in a video editor and upload the new file.")
    }
  }
}
