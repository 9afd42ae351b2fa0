import KennelStorage

/// The entries of a backup, in this order: the database, the photos sorted by hash, and the SHA-256 hash of each of
/// these in the format of `sha256sum -c`.
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

  /// Returns nil for every other name. A path that an archive specifies is never used.
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

  /// Returns the entry's line in the file of hashes.
  func line(_ hash: PhotoHash) -> [UInt8] { Array("\(hash)  \(name)\n".utf8) }
}

/// The progress of a backup or a restore.
package struct BackupProgress: Sendable, Hashable {
  package var photos = 0
  /// The total number of photos, or nil if it is not known.
  package var photoCount: Int?
  /// The bytes of the database and the photos so far.
  package var bytes = 0
}

/// The result of a backup or a restore.
package struct BackupReport: Sendable, Hashable {
  package var photos = 0
  /// The size of the backup file in bytes. For a backup in a directory, the bytes that were written for it.
  package var bytes = 0
  /// The number of earlier backups that were removed from the directory.
  package var removedBackups = 0
  /// The photos that were missing or altered when the backup was made. The backup has their posts without the photos.
  /// After a restore, also those that were missing or altered when the photos were moved. At most one thousand are listed.
  package var missing: [PhotoHash] = []
}
