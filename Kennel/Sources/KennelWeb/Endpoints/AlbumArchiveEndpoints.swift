import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Sends the photos of an album as a ZIP archive. It is made while it is sent, and not stored.
struct AlbumArchiveEndpoints: Sendable {
  let store: KennelStore

  /// A photo with its place in the archive.
  private struct Item: Sendable {
    var photo: PhotoDirectory.File
    var entry: ZipDirectory.Entry
  }

  func download(_ call: Call) async throws -> HTTPResponse {
    let album = try await store.albums.album(call.link?.album ?? call.id)
    let items = try await items(of: album)
    let queue = store.photos.workQueue
    let body = HTTPResponse.Body.stream(length: ZipDirectory.byteCount(of: items.map(\.entry))) { writer in
      var directory = ZipDirectory()
      for item in items {
        // If a photo is deleted now, the download breaks off, because the announced size cannot be reached any more.
        let photo = try await queue.run { () throws(KennelError) in try ArchivedPhoto(item.photo) }
        let checksum = try await queue.run { () throws(KennelError) in try photo.checksum() }
        try await writer.write(Data(directory.begin(item.entry, checksum: checksum)))
        var position: Int64 = 0
        while position < photo.byteCount {
          let piece = try await queue.run { [position] () throws(KennelError) in try photo.piece(at: position)
          }
          try await writer.write(piece)
          position += Int64(piece.count)
        }
      }
      try await writer.write(Data(directory.end()))
    }
    return HTTPResponse(
      fields: [
        "Content-Type": "application/zip", "Cache-Control": "no-store",
        "Content-Disposition": Self.disposition(album),
      ], body: body)
  }

  /// Returns the photos in the order in which they were taken, as others get them. Photos without a file are left out.
  private func items(of album: Album) async throws -> [Item] {
    let ids = try await store.albums.posts(in: album.id)
    var posts = Array(try await store.posts.posts(ids).reversed())
    for index in posts.indices where posts[index].metadata == .notExamined {
      // The place is taken out of photos of earlier versions before others get them.
      posts[index] = try await store.posts.examine(posts[index].id)
    }
    let photos = store.photos
    let found = try await photos.workQueue.run { [posts] in
      posts.filter { photos.has($0.photo, byteCount: $0.byteCount) }
    }
    return found.enumerated().map { index, post in
      let clock = post.taken.clock
      let name = ArchiveNames.name(
        number: index + 1, of: found.count, text: post.caption, format: post.facts.format.rawValue)
      let time = ZipDirectory.Time(
        year: clock.year, month: clock.month, day: clock.day, hour: clock.hour, minute: clock.minute,
        second: clock.second)
      return Item(
        photo: photos.file(post.photo, byteCount: post.byteCount),
        entry: ZipDirectory.Entry(name: name, byteCount: Int64(post.byteCount), time: time))
    }
  }

  /// The name of the file: that of the album, and one without special characters for old browsers (RFC 6266).
  private static func disposition(_ album: Album) -> String {
    let title = ArchiveNames.title(album.title)
    let name = title.isEmpty ? "album-\(album.id)" : title
    let unreserved = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    let encoded = "\(name).zip".addingPercentEncoding(withAllowedCharacters: unreserved) ?? "album.zip"
    return "attachment; filename=\"album-\(album.id).zip\"; filename*=UTF-8''\(encoded)"
  }
}
