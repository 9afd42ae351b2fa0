import Foundation
import KennelStorage
import ObjectStorage

/// Moving the photos of a kennel that exists.
extension StoredPhotosPlace {
  private static let directoryName = "photos"

  /// Prepares a store to which the photos of a kennel are moved. The kennel does not use it before the names of files were changed
  /// (``steps(from:suffix:)``).
  ///
  /// - Parameter record: a file that remembers the kennel's claim of the store if the directory is removed after a failure, so
  ///   that another attempt can use the store. Call ``forget(_:)`` after success.
  /// - Throws: `notAllowed` if the photos are there already, or if the store has the photos of another kennel.
  package static func prepareMove(
    to location: StoreLocation, of directory: String, record: String? = nil, credentials: StoreCredentials
  ) async throws(KennelError) -> StoredPhotosPlace {
    let known = try read(directory)
    if let known, known.isSame(as: location) {
      throw KennelError(.notAllowed, "The photos of this kennel are already in \(location).")
    }
    // After an interruption, and when the kennel returns to an earlier store, the same owner is used again.
    let drafts = [path(directory) + movingSuffix, path(directory) + draftSuffix, record].compactMap { $0 }
    var owner: String?
    for draft in drafts {
      if owner == nil, let place = try read(fileAt: draft), place.isSame(as: location) { owner = place.owner }
    }
    let place = StoredPhotosPlace(location: location, owner: owner ?? Sodium.base64(Sodium.randomBytes(16)))
    try place.write(toFileAt: path(directory) + movingSuffix)
    if let record { try place.write(toFileAt: record) }
    try await place.claim(credentials)
    return place
  }

  /// The file that remembers the claim of a store for a directory that is being restored.
  package static func record(ofRestoring directory: String) -> String {
    var directory = directory[...]
    while directory.count > 1, directory.hasSuffix("/") { directory = directory.dropLast() }
    return "\(directory).\(fileName)"
  }

  /// Removes a file that remembers a claim.
  package static func forget(_ record: String) { try? FileCalls.remove(record) }

  func isSame(as other: StoreLocation) -> Bool {
    location.bucket == other.bucket && location.prefix == other.prefix
      && location.authority == other.authority
  }

  /// Returns the changes of names after which a kennel uses the store that was prepared.
  ///
  /// - Parameters:
  ///   - other: the earlier store; nil if the photos were in the directory.
  ///   - suffix: what the names of files get that are not used any more.
  package static func steps(from other: StoredPhotosPlace?, suffix: String) -> [FileSwitch.Step] {
    [.rename(fileName + movingSuffix, to: fileName)]
      + (other == nil ? [.rename(directoryName, to: directoryName + suffix)] : [])
  }

  /// Returns the changes of names after which a kennel has its photos in its directory. The owner of the store is kept for a return.
  package static var stepsToDirectory: [FileSwitch.Step] {
    [.rename(fileName, to: fileName + draftSuffix)]
  }

  /// Removes the local copies of photos, which a kennel with its photos in its directory does not need.
  package static func removeCache(of directory: String) {
    try? FileManager.default.removeItem(atPath: directory + "/" + cacheName)
  }
}
