import Foundation
import KennelStorage

/// The properties of a photo, as determined by decoding it, or of a video, as its file describes it.
package struct PhotoFacts: Sendable, Hashable {
  /// A supported format.
  package enum Format: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, gif, heic, avif
    /// Formats of videos.
    case mp4, mov

    package var isVideo: Bool { self == .mp4 || self == .mov }

    package var contentType: String {
      switch self {
      case .mp4: "video/mp4"
      case .mov: "video/quicktime"
      default: "image/\(rawValue)"
      }
    }

    /// The name of a file that someone downloads.
    ///
    /// - Parameter post: the id of its post.
    package func fileName(of post: Int64) -> String { "\(isVideo ? "video" : "photo")-\(post).\(suffix)" }

    /// The default ending of file names.
    package var suffix: String { self == .jpeg ? "jpg" : rawValue }
  }

  /// The size in pixels after the photo was rotated upright.
  package var width: Int
  package var height: Int
  package var format: Format
  /// A few bytes that encode a blurred placeholder, or an empty array if there are none.
  package var thumbHash: [UInt8]
  /// The duration of a video in milliseconds; nil for a photo.
  package var duration: Int?

  package init(width: Int, height: Int, format: Format, thumbHash: [UInt8], duration: Int? = nil) {
    self.duration = duration
    self.width = width
    self.height = height
    self.format = format
    self.thumbHash = thumbHash
  }
}

/// A photo with a caption, its favourites and its comments.
package struct Post: Sendable, Hashable, Identifiable {
  /// The origin of a post that was fetched from another kennel.
  package struct Origin: Sendable, Hashable {
    /// The other kennel's host, with its port if that is not the default port.
    package var kennel: String
    /// The author's name in the other kennel.
    package var author: String
    /// The post's id in the other kennel.
    package var id: Int64

    package init(kennel: String, author: String, id: Int64) {
      self.kennel = kennel
      self.author = author
      self.id = id
    }
  }

  /// What others get of the data that a camera wrote into the photo: the place, the time, serial numbers and names.
  package enum Metadata: String, Sendable, Hashable {
    /// The photo has none.
    case absent
    /// It was taken out. Only the author gets it.
    case removed
    /// All of it, because the author wants that.
    case shared
    /// The photo was posted with an earlier version and was not examined yet.
    case notExamined
  }

  /// The file that was uploaded, if others get another one.
  package struct Upload: Sendable, Hashable {
    package var hash: PhotoHash
    package var format: PhotoFacts.Format
    /// What was taken out of it.
    package var part: PhotoHash
  }

  package var id: Int64
  package var author: User.ID
  package var authorName: String
  /// The version of the author’s picture, or nil if there is none.
  package var authorPicture: UserPicture.Version?
  package var caption: String
  /// The photo that others get.
  package var photo: PhotoHash
  package var byteCount: Int
  package var facts: PhotoFacts
  /// When the photo was shared.
  package var created: Date
  /// When the photo was taken.
  package var taken: TakenTime
  package var favouriteCount: Int
  package var commentCount: Int
  /// Whether the post is a favourite of the user for whom it was loaded.
  package var isFavourite: Bool
  /// The origin, or nil for a post that was created here.
  package var origin: Origin?
  package var metadata = Metadata.absent
  package var upload: Upload?
  /// When the caption or the time was changed last, or nil if they never were.
  package var edited: Date?
}

/// A comment on a post.
package struct Comment: Sendable, Hashable, Identifiable {
  package var id: Int64
  package var post: Post.ID
  package var author: User.ID
  package var authorName: String
  /// The version of the author’s picture, or nil if there is none.
  package var authorPicture: UserPicture.Version?
  package var text: String
  package var created: Date
}
