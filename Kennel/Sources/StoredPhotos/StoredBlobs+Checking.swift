import Foundation
import KennelStorage
import ObjectStorage

extension StoredBlobs {
  package func missing(among photos: [StoredPhoto]) async throws(KennelError) -> [StoredPhoto] {
    guard let first = photos.first, let last = photos.last else { return [] }
    var sizes: [PhotoHash: Int64] = [:]
    do {
      // A part of a name comes before the name in the list.
      for try await object in store.objects(after: String(key(first.hash).dropLast())) {
        if object.key > key(last.hash) { break }
        if let hash = PhotoHash(object.key) { sizes[hash] = object.size }
      }
    } catch {
      throw KennelError(error, nil)
    }
    return photos.filter { sizes[$0.hash] != Int64($0.byteCount) }
  }

  /// A photo is stored before its row is committed, so it was missing if the row still exists.
  package func isStillMissing(_ photo: StoredPhoto) -> Bool { true }

  package func isIntact(_ photo: StoredPhoto) async throws(KennelError) -> Bool {
    do throws(ObjectStoreError) {
      let object = try await store.open(key(photo.hash), sha256: photo.hash.bytes)
      var chunks = object.chunks.makeAsyncIterator()
      while try await chunks.next(isolation: #isolation) != nil {}
      return true
    } catch {
      switch error.code {
      case .damaged: return false
      // A photo that was deleted in the meantime does not count as altered.
      case .noSuchObject: return true
      default: throw KennelError(error, photo.hash)
      }
    }
  }

  /// Objects that are new are left out, because their rows may not be committed yet.
  package func forEachStored(
    photo: (PhotoHash) throws(KennelError) -> Void, unknownFile: (String) -> Void
  ) throws(KennelError) {
    var last: String?
    while true {
      let objects = try BlockingCall.wait { [self, last] () async throws(KennelError) in
        try await page(after: last)
      }
      guard let end = objects.last else { return }
      last = end.key
      let oldest = now() - TimeInterval(configuration.orphanAge.components.seconds)
      for object in objects {
        if let hash = PhotoHash(object.key) {
          if let modified = object.modified, modified < oldest { try photo(hash) }
        } else if object.key != StoredPhotosPlace.ownerKey {
          unknownFile(object.key)
        }
      }
    }
  }

  private func page(after last: String?) async throws(KennelError) -> [ListedObject] {
    var page: [ListedObject] = []
    do {
      for try await object in store.objects(after: last) {
        page.append(object)
        if page.count == 1000 { break }
      }
    } catch {
      throw KennelError(error, nil)
    }
    return page
  }

  /// Only objects that have been there for long are listed.
  package func isStillUnused(_ hash: PhotoHash) -> Bool { true }
}

extension KennelError {
  /// Creates an error from an error of the store, or returns the error of another part.
  ///
  /// - Parameter hash: the photo that was read or stored, if it was one.
  init(_ error: any Error, _ hash: PhotoHash?) {
    switch error {
    case let error as KennelError: self = error
    case let error as ObjectStoreError:
      switch error.code {
      case .cancelled: self = .cancelled
      case .noSuchObject:
        self.init(
          .cannotOpen,
          "The photo \(hash?.description ?? "") is missing in the store. Run kennel check.",
          cause: error.description)
      case .damaged where hash != nil, .conditionFailed where hash != nil: self = .altered(hash)
      default: self = .storeUnavailable(cause: error.description)
      }
    case is CancellationError: self = .cancelled
    default: self = .storeUnavailable(cause: "\(error)")
    }
  }

  static func altered(_ hash: PhotoHash?) -> KennelError {
    KennelError(
      .damaged,
      "The photo \(hash?.description ?? "") has other bytes in the store than when it was shared. Run kennel check."
    )
  }
}
