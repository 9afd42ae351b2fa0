import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Sends the photos of an album as a ZIP archive. It is made while it is sent, and not stored.
struct AlbumArchiveEndpoints: Sendable {
  let store: KennelStore
  let gate: Gate
  /// The archives that are being sent.
  let sent = ArchiveLimit(maximumCount: 16)
  private let preparations = AsyncSemaphore("archives", permits: 2, maximumWaitingCount: 16)
  /// Photos are read here, so that large archives do not keep uploads waiting.
  private let workQueue = BlockingWorkQueue("archived photos", slots: 2, maximumWaitingCount: 64)

  init(store: KennelStore, gate: Gate) {
    self.store = store
    self.gate = gate
  }

  func download(_ call: Call) async throws -> HTTPResponse {
    let permit = try sent.begin()
    let album = try await store.albums.album(call.link?.album ?? call.id)
    let archive = try await archive(of: album, for: call)
    let body = HTTPResponse.Body.stream(length: archive.byteCount) { writer in
      defer { permit.end() }
      try await archive.write { try await writer.write($0) }
    }
    return HTTPResponse(
      fields: [
        "Content-Type": "application/zip", "Cache-Control": "no-store",
        "Content-Disposition": Self.disposition(album),
      ], body: body)
  }

  /// Returns the archive of an album. Before each photo, it is checked that the reader may still get it.
  func archive(of album: Album, for call: Call) async throws -> AlbumArchive {
    let mayRead = try await gate.check(for: call)
    let items = try await preparations.withPermit { () async throws(KennelError) in
      try await self.items(of: album)
    }
    let albums = store.albums
    return AlbumArchive(items: items, blobs: store.blobs, workQueue: workQueue) { item in
      guard try await mayRead() else { return false }
      return try await albums.shows(item.post, as: item.photo, in: album.id)
    }
  }

  /// Returns the photos in the order in which they were taken, as others get them. Photos whose file is missing or cannot be
  /// opened are left out.
  private func items(of album: Album) async throws(KennelError) -> [AlbumArchive.Item] {
    let ids = try await store.albums.posts(in: album.id)
    let posts = try await store.posts.posts(ids)
    let blobs = store.blobs
    let readable = try await workQueue.run {
      posts.filter { blobs.isReadable($0.photo, byteCount: $0.byteCount) }
    }
    var found: [Post] = []
    for post in readable.reversed() {
      if let post = try await examined(post) { found.append(post) }
    }
    return found.enumerated().map { index, post in
      let clock = post.taken.clock
      let name = ArchiveNames.name(
        number: index + 1, of: found.count, text: post.caption, suffix: post.facts.format.suffix)
      let time = ZipDirectory.Time(
        year: clock.year, month: clock.month, day: clock.day, hour: clock.hour, minute: clock.minute,
        second: clock.second)
      return AlbumArchive.Item(
        post: post.id, photo: post.photo,
        entry: ZipDirectory.Entry(name: name, byteCount: Int64(post.byteCount), time: time))
    }
  }

  /// Returns a post with the photo that others get: the place is taken out of photos of earlier versions before. Returns nil if
  /// the photo cannot be examined, or the post was deleted.
  private func examined(_ post: Post) async throws(KennelError) -> Post? {
    guard post.metadata == .notExamined else { return post }
    do throws(KennelError) {
      return try await store.posts.examine(post.id)
    } catch {
      switch error.code {
      case .busy, .cancelled, .closed, .diskFull: throw error
      default: return nil
      }
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
