import Foundation
import KennelModel
import KennelStorage

/// The photos of an album that are sent as a ZIP archive.
struct AlbumArchive: Sendable {
  /// A photo with its place in the archive.
  struct Item: Sendable {
    let post: Post.ID
    let photo: PhotoHash
    let entry: ZipDirectory.Entry
  }

  let items: [Item]
  let blobs: any Blobs
  let workQueue: BlockingWorkQueue<Void>
  /// Returns whether the reader may still get a photo.
  let isAvailable: @Sendable (Item) async throws -> Bool

  var byteCount: Int64 { ZipDirectory.byteCount(of: items.map(\.entry)) }

  /// Writes the archive.
  ///
  /// - Throws: an error if a photo is not available any more, because the announced size cannot be reached then.
  func write(to write: (Data) async throws -> Void) async throws {
    var directory = ZipDirectory()
    for item in items {
      guard try await isAvailable(item) else {
        throw Problem(.notFound, "The archive was broken off: its reader may not get all photos any more.")
      }
      let byteCount = item.entry.byteCount
      let file = try await blobs.file(item.photo, byteCount: Int(byteCount))
      let photo = try await workQueue.run { () throws(KennelError) in
        try ArchivedPhoto(file, byteCount: byteCount)
      }
      let checksum = try await workQueue.run { () throws(KennelError) in try photo.checksum() }
      try await write(Data(directory.begin(item.entry, checksum: checksum)))
      var position: Int64 = 0
      while position < photo.byteCount {
        let piece = try await workQueue.run { [position] () throws(KennelError) in
          try photo.piece(at: position)
        }
        try await write(piece)
        position += Int64(piece.count)
      }
    }
    try await write(Data(directory.end()))
  }
}
