import Foundation
import KennelStorage

/// An album: some of the posts of a kennel under a title.
package struct Album: Sendable, Hashable, Identifiable {
  package var id: Int64
  package var title: String
  /// The user who made it, or who got it from a removed user.
  package var owner: User.ID
  package var ownerName: String
  /// Whether all users who may share photos may add photos. Otherwise, the album's owner and the owners of the kennel may.
  package var isOpen: Bool
  /// The post whose photo is shown for the album: the chosen one, or else the newest. It is nil if the album shows no photo.
  package var cover: Post.ID?
  /// The number of posts in it that are not in the bin.
  package var postCount: Int
  package var created: Date
  /// When it was last changed, or a photo was added or removed.
  package var changed: Date

  /// Returns whether a user may change an album, delete it, remove photos from it, and see and revoke its links.
  static func mayEdit(_ user: User.ID, _ role: User.Role, owner: User.ID) -> Bool {
    role == .owner || user == owner
  }

  /// Returns whether a user may change the album, delete it, remove photos from it, and see and revoke its links.
  package func mayEdit(_ user: User?) -> Bool {
    user.map { Self.mayEdit($0.id, $0.role, owner: owner) } ?? false
  }

  /// Returns whether a user may add photos.
  package func mayAdd(_ user: User?) -> Bool {
    guard let user, user.role.maySharePhotos else { return false }
    return isOpen || mayEdit(user)
  }
}

/// A change of an album. Properties that are nil stay as they are.
package struct AlbumChange: Sendable, Hashable {
  package var title: String?
  package var isOpen: Bool?
  /// The post whose photo is shown for the album. It must be in the album.
  package var cover: Post.ID?

  package init(title: String? = nil, isOpen: Bool? = nil, cover: Post.ID? = nil) {
    self.title = title
    self.isOpen = isOpen
    self.cover = cover
  }
}

/// The title of an album, for a link to it.
package struct AlbumTitle: Sendable, Hashable, Identifiable {
  package var id: Album.ID
  package var title: String
}

/// An album with a page of its posts.
package struct AlbumPage: Sendable, Hashable {
  package var album: Album
  package var posts: [Post]
}

extension Album {
  /// Creates an album from the columns of ``Albums``.
  init(row: borrowing RecordRow) {
    self.init(
      id: row.integer(0), title: row.text(1), owner: row.integer(2), ownerName: row.text(3),
      isOpen: row.integer(4) != 0, cover: row.isNull(5) ? nil : row.integer(5),
      postCount: Int(row.integer(6)), created: Date(milliseconds: row.integer(7)),
      changed: Date(milliseconds: row.integer(8)))
  }
}

extension KennelError {
  static let noSuchAlbum = KennelError(.noSuchAlbum, "The album does not exist. It may have been deleted.")
}
