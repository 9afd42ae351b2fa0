import Foundation
import KennelStorage
import ObjectStorage

/// Which store has the photos of a kennel. A file in the kennel's directory records it, so that every program that opens the
/// kennel uses the same store, and an object in the store records to which kennel it belongs.
package struct StoredPhotosPlace: Sendable {
  static let ownerKey = "kennel.id"
  static let fileName = "photos.store"
  static let cacheName = "photo-cache"
  /// The end of the name of a file with a store that is not used yet, or not any more.
  static let draftSuffix = ".new"
  /// The same while photos are moved.
  static let movingSuffix = ".moving"

  package let location: StoreLocation
  /// A random text that is in the file and in the store.
  let owner: String

  static func path(_ directory: String) -> String { "\(directory)/\(fileName)" }

  /// Returns the store of the kennel in a directory, or nil if its photos are in the directory.
  package static func read(_ directory: String) throws(KennelError) -> StoredPhotosPlace? {
    try read(fileAt: path(directory))
  }

  static func read(fileAt path: String) throws(KennelError) -> StoredPhotosPlace? {
    guard let text = try FileCalls.text(of: path, limit: 8192) else { return nil }
    let lines = text.split(separator: "\n").map(String.init)
    guard lines.count == 2, let location = try? StoreLocation(lines[0], environment: [:]) else {
      throw KennelError(
        .damaged,
        "The file \(path), which names the store of the photos, is not valid. Copy it from a backup.")
    }
    return StoredPhotosPlace(location: location, owner: lines[1])
  }

  /// Records that the photos of a kennel are in a store.
  ///
  /// A kennel whose photos are in its directory is refused, and so is a store with the photos of another kennel: photos that are
  /// not in the database are removed from the store.
  ///
  /// - Parameters:
  ///   - location: the store.
  ///   - credentials: what signs the request.
  package static func choose(
    _ location: StoreLocation, for directory: String, credentials: StoreCredentials
  ) async throws(KennelError) -> StoredPhotosPlace {
    if let known = try read(directory) {
      guard known.location.bucket == location.bucket, known.location.prefix == location.prefix else {
        throw KennelError(
          .notAllowed,
          "The photos of this kennel are in \(known.location). Move them with kennel move --to-photos.")
      }
      let place = StoredPhotosPlace(location: location, owner: known.owner)
      guard known.location != location else { return place }
      if !known.isSame(as: location) { try await place.requireClaimed(credentials) }
      try place.write(directory)
      return place
    }
    try requireNoPhotos(in: directory)
    // The file gets its name when the store has the owner's object. After an interruption, the same owner is used again.
    let draft = path(directory) + draftSuffix
    let owner = try read(fileAt: draft)?.owner ?? Sodium.base64(Sodium.randomBytes(16))
    let place = StoredPhotosPlace(location: location, owner: owner)
    try FileCalls.makeDirectory(directory)
    try place.write(toFileAt: draft)
    try await place.claim(credentials)
    try FileCalls.rename(draft, to: path(directory))
    try FileCalls.syncDirectory(directory)
    return place
  }

  /// Makes the store this kennel's.
  ///
  /// The owner is read before and after it is written, because a server may ignore that it is to be written only if there is
  /// none. With such a server, two kennels that claim the store in the same moment may both succeed.
  func claim(_ credentials: StoreCredentials) async throws(KennelError) {
    let found = try await access(credentials) { store throws(ObjectStoreError) -> Data? in
      if let found = try await Self.owner(in: store) { return found }
      try await store.put(Data(owner.utf8), as: Self.ownerKey, onlyIfAbsent: true)
      return try await Self.owner(in: store)
    }
    if found != Data(owner.utf8) { throw isOfAnother }
  }

  /// Makes sure that a store with another address is the one that has the photos of this kennel.
  private func requireClaimed(_ credentials: StoreCredentials) async throws(KennelError) {
    let found = try await access(credentials) { store throws(ObjectStoreError) -> Data? in
      try await Self.owner(in: store)
    }
    guard let found else {
      throw KennelError(
        .notAllowed,
        "The store \(location) does not have the photos of this kennel. "
          + "Check the address, or move the photos with kennel move --to-photos.")
    }
    if found != Data(owner.utf8) { throw isOfAnother }
  }

  private static func owner(in store: ObjectStore) async throws(ObjectStoreError) -> Data? {
    do throws(ObjectStoreError) {
      return try await store.data(of: ownerKey, maximumSize: 1024)
    } catch {
      if error.code == .noSuchObject { return nil }
      throw error
    }
  }

  private func access<Result>(
    _ credentials: StoreCredentials, _ body: (ObjectStore) async throws(ObjectStoreError) -> Result
  ) async throws(KennelError) -> Result {
    do {
      return try await body(ObjectStore(location, credentials: credentials))
    } catch {
      throw KennelError(
        .storeUnavailable, "The store \(location) cannot be used: \(error.description)")
    }
  }

  private var isOfAnother: KennelError {
    KennelError(
      .notAllowed, "The store \(location) has the photos of another kennel. Choose another prefix.")
  }

  private static func requireNoPhotos(in directory: String) throws(KennelError) {
    let photos = directory + "/photos"
    guard FileCalls.kind(of: photos) == .directory else { return }
    var hasPhotos = false
    try FileCalls.forEachName(in: photos) { if PhotoHash($0) != nil { hasPhotos = true } }
    guard !hasPhotos else {
      throw KennelError(
        .notAllowed,
        "The photos of this kennel are in \(photos). Start without --photos, or move them with kennel move --to-photos."
      )
    }
  }

  private func write(_ directory: String) throws(KennelError) {
    let path = Self.path(directory)
    try write(toFileAt: path + Self.draftSuffix)
    try FileCalls.rename(path + Self.draftSuffix, to: path)
    try FileCalls.syncDirectory(directory)
  }

  func write(toFileAt path: String) throws(KennelError) {
    try FileCalls.remove(path)
    let file = try OpenFile(creating: path)
    try file.write(Data("\(location)\n\(owner)\n".utf8))
    try file.sync()
  }
}

extension StoredPhotosPlace {
  /// Returns what opens the photos of the kennel in a directory.
  package func blobs(
    for directory: String, credentials: StoreCredentials,
    configuration: StoredBlobs.Configuration = StoredBlobs.Configuration()
  ) -> @Sendable (PhotoDirectory) throws(KennelError) -> any Blobs {
    let store = ObjectStore(location, credentials: credentials)
    return { photos throws(KennelError) in
      try StoredBlobs(
        store, directory: photos, cacheDirectory: "\(directory)/\(Self.cacheName)",
        configuration: configuration)
    }
  }
}
