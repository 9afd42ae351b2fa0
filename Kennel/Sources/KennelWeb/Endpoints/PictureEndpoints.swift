import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Sends the photos and videos of posts and their thumbnails.
struct PictureEndpoints: Sendable {
  let store: KennelStore
  let thumbnails: ThumbnailStore

  func photo(_ call: Call) async throws -> HTTPResponse {
    let post = try await store.posts.examine(call.id)
    // Other kennels take only the posts that were made here.
    if call.visitor?.peer != nil, post.origin != nil || post.facts.format.isVideo {
      throw Problem(.notFound, "The post is not shared.")
    }
    let body = try await store.blobs.body(of: post.photo, byteCount: post.byteCount)
    let (type, tag) = (post.facts.format.contentType, EntityTag(post.photo.description))
    let fields: HTTPFields = ["Cache-Control": CacheControl.revalidated]
    return try await store.posts.reportingIfMissing(post.id) { () async throws(KennelError) in
      switch body {
      case .file(let file):
        try await thumbnails.files.fileResponse(
          at: file.path, for: call.request, contentType: type, fields: fields, entityTag: tag)
      case .chunks(let open):
        try await .opened(
          length: Int64(post.byteCount), for: call.request, contentType: type, fields: fields, entityTag: tag
        ) { range async throws(KennelError) in
          let chunks = try await open(range)
          return { writer in try await chunks.write { try await writer.write($0) } }
        }
      }
    }
  }

  func thumbnail(_ call: Call) async throws -> HTTPResponse {
    let size = try ThumbnailSize(query: call.request.query("size"))
    let (format, isNegotiated) = try ThumbnailFormat.wanted(by: call.request)
    let photo: PhotoCache.Photo
    // As long as nothing is committed, this takes no query. Events of other processes remove posts from the cache here, so that a post that
    // was put in the bin by another process is not shown.
    _ = try await store.versions.current()
    if let known = thumbnails.photoCache.photo(of: call.id) {
      photo = known
    } else {
      let mark = thumbnails.photoCache.mark
      let post = try await store.posts.post(call.id)
      photo = PhotoCache.Photo(hash: post.photo, byteCount: post.byteCount)
      thumbnails.photoCache.insert(photo, of: post.id, since: mark)
    }
    do throws(KennelError) {
      let key = ThumbnailKey(photo: photo.hash, size: size, format: format)
      return try await response(key, of: photo, to: call.request, isNegotiated: isNegotiated)
    } catch {
      guard Problem.isFault(error) else { throw error }
      // The post may be gone, or its photo may have another form by now.
      let post = try await store.posts.post(call.id)
      guard post.photo != photo.hash else { throw error }
      thumbnails.photoCache.remove(call.id)
      let key = ThumbnailKey(photo: post.photo, size: size, format: format)
      return try await response(
        key, of: PhotoCache.Photo(hash: post.photo, byteCount: post.byteCount), to: call.request,
        isNegotiated: isNegotiated)
    }
  }

  private func response(
    _ key: ThumbnailKey, of photo: PhotoCache.Photo, to request: HTTPRequest, isNegotiated: Bool
  ) async throws(KennelError) -> HTTPResponse {
    let thumbnail: Thumbnail
    if let ready = thumbnails.ready(key) {
      thumbnail = ready
    } else {
      thumbnail = try await thumbnails.thumbnail(key, byteCount: photo.byteCount)
    }
    if let plain = thumbnail.plainResponse(to: request, isNegotiated: isNegotiated) { return plain }
    return try await response(
      thumbnail, byteCount: photo.byteCount, to: request, isNegotiated: isNegotiated)
  }

  private func response(
    _ thumbnail: Thumbnail, byteCount: Int, to request: HTTPRequest, isNegotiated: Bool
  ) async throws(KennelError) -> HTTPResponse {
    if case .file = thumbnail.content,
      let response = try? await thumbnails.files.fileResponse(
        thumbnail, to: request, isNegotiated: isNegotiated)
    {
      return response
    }
    // The thumbnail is in memory, or its file was removed to free space although it is still open here.
    let data = try await thumbnails.bytes(thumbnail.key, byteCount: byteCount)
    return thumbnail.response(of: data, to: request, isNegotiated: isNegotiated)
  }

  func currentTimeline(_ call: Call) async throws -> HTTPResponse {
    guard let post = try await store.posts.page(limit: 1).first else {
      throw Problem(.notFound, "There are no posts yet.")
    }
    let key = ThumbnailKey(photo: post.photo, size: .smallest, format: .jpeg)
    let bytes = try await store.posts.reportingIfMissing(post.id) { () async throws(KennelError) in
      try await thumbnails.bytes(key, byteCount: post.byteCount)
    }
    return .taggedJSON(for: call.request) { json in
      json.object { json in
        json.member("date", post.taken.date.iso8601)
        json.member("caption", post.caption)
        json.member("post", post.id)
        json.member("thumbnail", "data:image/jpeg;base64," + bytes.base64EncodedString())
      }
    }
  }
}

extension Posts {
  /// Performs an operation on a post's picture. If it fails because the post was deleted in the meantime, the error is
  /// that of a missing post.
  func reportingIfMissing<Value>(
    _ post: Post.ID, _ body: () async throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    do {
      return try await body()
    } catch {
      if Problem.isFault(error) { _ = try await self.post(post) }
      throw error
    }
  }
}
