/// What a backup has, in this order: the database, the photos by their hashes, and the SHA-256 of each of these as
/// `sha256sum -c` reads them.
enum BackupContents: Hashable, Sendable {
  case database
  case photo(PhotoHash)
  case sums

  var name: String {
    switch self {
    case .database: "kennel.sqlite"
    case .photo(let hash): "photos/\(hash)"
    case .sums: "SHA256SUMS"
    }
  }

  /// Nil for every other name: no path of an archive's own making is ever used.
  init?(name: String) {
    switch name {
    case "kennel.sqlite": self = .database
    case "SHA256SUMS": self = .sums
    default:
      guard name.hasPrefix("photos/"), let hash = PhotoHash(name.dropFirst("photos/".count)) else {
        return nil
      }
      self = .photo(hash)
    }
  }

  /// Its line among the sums.
  func line(_ hash: PhotoHash) -> [UInt8] { Array("\(hash)  \(name)\n".utf8) }
}

/// How far a backup, or putting one in place, has come.
package struct BackupProgress: Sendable, Hashable {
  package var photos = 0
  /// How many there will be; nil when that is not known.
  package var photoCount: Int?
  /// Bytes of the database and of photos.
  package var bytes = 0
}

/// What a backup has, or what was put in place.
package struct BackupReport: Sendable, Hashable {
  package var photos = 0
  /// Of the backup's file.
  package var bytes = 0
  /// Photos that were missing or altered when the backup was made, so that it has the posts without them; no more than a
  /// thousand of them.
  package var missing: [PhotoHash] = []
}
