import KennelStorage

/// The result of a check of a store.
package struct StoreReport: Sendable, Hashable {
  /// A problem in the store.
  package enum Problem: Sendable, Hashable, CustomStringConvertible {
    /// A problem that SQLite reports for the database file.
    case database(String)
    /// A row refers to another row that does not exist.
    case reference(table: String)
    /// The next row of a table would get a number that another one has.
    case number(table: String)
    /// The photo of a post has no file.
    case missing(PhotoHash)
    /// The contents of a photo's file have changed.
    case altered(PhotoHash)
    /// A photo file that is not used by a post.
    case orphan(PhotoHash)
    /// A photo row that is not used by a post.
    case unused(PhotoHash)
    /// The file that was uploaded cannot be put together from the photo of a post and what was taken out of it.
    case incompleteUpload(post: Int64)
    /// The cover of an album is not one of its photos.
    case foreignCover(album: Int64)
    /// The search index does not have the words of the posts.
    case search
    /// A file that is not a photo.
    case unknownFile(String)

    package var description: String {
      switch self {
      case .database(let message): "The database is damaged: \(message)."
      case .reference(let table): "A row of \(table) refers to a row that does not exist."
      case .number(let table):
        "The counter of the table \(table) is lower than the number of its last row. Restore a backup."
      case .missing(let hash): "The photo \(hash) is missing. Post it again, or copy it from a backup."
      case .altered(let hash): "The photo \(hash) was altered. Copy it from a backup."
      case .orphan(let hash): "The photo \(hash) is not used by any post. It can be removed."
      case .unused(let hash): "The database row of the photo \(hash) is not used by any post."
      case .incompleteUpload(let post):
        "The photo of post \(post) cannot be put together as it was uploaded. Copy the photos from a backup."
      case .foreignCover(let album):
        "The cover of album \(album) is not one of its photos. Choose another cover."
      case .search:
        "The search index does not match the posts. Run kennel check --repair."
      case .unknownFile(let name):
        "The file \(name) in the photo directory is not a photo. Move it elsewhere."
      }
    }
  }

  /// The maximum number of problems of each kind.
  static let maximumProblemCount = 1000

  /// The problems, at most ``maximumProblemCount`` of each kind.
  package var problems: [Problem] = []
  package var photoCount = 0
  /// The number of photos of earlier versions whose metadata was not taken out yet. The server does that.
  package var notExaminedCount = 0
  /// The number of uploads that were begun and can be resumed.
  package var unfinishedUploadCount = 0
  /// The number of orphans that were removed on request.
  package var removedCount = 0
  /// Whether the search index was wrong and was rebuilt on request.
  package var isSearchRebuilt = false

  package var isClean: Bool { problems.isEmpty }
}
