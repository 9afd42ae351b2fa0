import Foundation

/// What a photo is, beyond its bytes: whoever decoded it says so.
package struct PhotoFacts: Sendable, Hashable {
  /// A format that is taken in.
  package enum Format: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, gif
  }

  /// In pixels, as it is seen (turned upright).
  package var width: Int
  package var height: Int
  package var format: Format
  /// A few bytes from which a blurred placeholder is drawn; empty when there are none.
  package var thumbHash: [UInt8]

  package init(width: Int, height: Int, format: Format, thumbHash: [UInt8]) {
    self.width = width
    self.height = height
    self.format = format
    self.thumbHash = thumbHash
  }
}

/// A photo with a caption, and what others made of it.
package struct Post: Sendable, Hashable, Identifiable {
  /// Where a post that was fetched from another kennel was born.
  package struct Origin: Sendable, Hashable {
    /// The other kennel's host, with its port when that is an unusual one.
    package var kennel: String
    /// The author's name there.
    package var author: String
    /// The post's id there.
    package var id: Int64

    package init(kennel: String, author: String, id: Int64) {
      self.kennel = kennel
      self.author = author
      self.id = id
    }
  }

  package var id: Int64
  package var author: User.ID
  package var authorName: String
  package var caption: String
  package var photo: PhotoHash
  package var byteCount: Int
  package var facts: PhotoFacts
  package var created: Date
  package var favouriteCount: Int
  package var commentCount: Int
  /// Whether the user it was asked for favours it.
  package var isFavourite: Bool
  /// Nil for a post that was born here.
  package var origin: Origin?
}

/// What somebody wrote under a post.
package struct Comment: Sendable, Hashable, Identifiable {
  package var id: Int64
  package var post: Post.ID
  package var author: User.ID
  package var authorName: String
  package var text: String
  package var created: Date
}
