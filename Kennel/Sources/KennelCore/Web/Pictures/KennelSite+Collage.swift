import Foundation
import HTTPService
import RetrieverImages

extension KennelSite {
  /// The maximum number of pictures in a collage.
  static let maximumCollagePictureCount = 100

  /// Streams the ids of all posts, one per line, the newest first.
  func imageIDs(_ call: Call) async throws -> HTTPResponse {
    let store = store
    // The first page is read before the response begins, so that an error can still be reported.
    let first = try await store.postIDs(before: nil)
    let body = HTTPResponse.Body.stream { writer in
      var ids = first
      while let last = ids.last {
        try await writer.write(ids.map { "\($0)\n" }.joined())
        ids = try await store.postIDs(before: last)
      }
    }
    return HTTPResponse(
      fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"], body: body)
  }

  func collage(_ call: Call) async throws -> HTTPResponse {
    let columns = try call.queryNumber("columns", default: 4, in: 1...20)
    let cell = try call.queryNumber("cell", default: 160, in: 32...480)
    let posts = try await collagePosts(call)
    var seed = Sodium.SHA256()
    let recipe = posts.map(\.photo.description) + ["\(columns)", "\(cell)"]
    Array(recipe.joined(separator: " ").utf8).withUnsafeBytes { seed.update($0) }
    let tag = EntityTag("collage-" + Sodium.base64(Array(seed.finish().prefix(12))))
    let fields: HTTPFields = ["Cache-Control": "private, no-cache"]
    // A collage that the client already has is not drawn again.
    let known = HTTPResponse.content(
      Data(), for: call.request, contentType: "image/jpeg", fields: fields, entityTag: tag)
    if known.status == .notModified || known.status == .preconditionFailed { return known }
    let jpeg = try await collageSemaphore.withPermit { () async throws(KennelError) in
      try await draw(posts, columns: columns, cell: cell)
    }
    return .content(jpeg, for: call.request, contentType: "image/jpeg", fields: fields, entityTag: tag)
  }

  private func collagePosts(_ call: Call) async throws -> [Post] {
    guard let text = call.request.query("of"), !text.isEmpty else {
      let posts = try await store.posts.page(limit: 12)
      if posts.isEmpty { throw Problem(.notFound, "There are no posts yet. Post a photo first.") }
      return posts
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= Self.maximumCollagePictureCount else {
      throw Problem.badRequest(
        "A collage has at most \(Self.maximumCollagePictureCount) pictures. Request fewer.")
    }
    let ids = parts.compactMap { Int64(identifier: $0) }
    guard ids.count == parts.count else {
      throw Problem.badRequest("The parameter “of” must be a list of post ids, such as ?of=3,5,8.")
    }
    let posts = try await store.posts.posts(ids)
    if let missing = ids.first(where: { id in !posts.contains { $0.id == id } }) {
      throw Problem(
        .notFound, "Post \(missing) does not exist. It may have been deleted. Remove it from the list.")
    }
    return posts
  }

  private func draw(_ posts: [Post], columns: Int, cell: Int) async throws(KennelError) -> Data {
    let collage = Collage(columns: min(columns, posts.count), cell: cell, spacing: max(cell / 20, 2))
    for post in posts {
      // Cells are cropped to squares, so the shorter side has to fill them.
      let (long, short) = (
        max(post.facts.width, post.facts.height), max(min(post.facts.width, post.facts.height), 1)
      )
      let size = ThumbnailSize(atLeast: cell * min(long / short + 1, 8))
      let bytes = try await reportingMissingPost(post.id) { () async throws(KennelError) in
        try await thumbnails.bytes(
          ThumbnailKey(photo: post.photo, size: size, format: .jpeg), byteCount: post.byteCount)
      }
      if let image = UIImage(data: bytes) { collage.add(image) }
    }
    do {
      return try await collage.draw().data(as: .jpeg(quality: 0.85))
    } catch {
      throw KennelError(decoding: error)
    }
  }

  func currentTimeline(_ call: Call) async throws -> HTTPResponse {
    guard let post = try await store.posts.page(limit: 1).first else {
      throw Problem(.notFound, "There are no posts yet.")
    }
    let key = ThumbnailKey(photo: post.photo, size: .smallest, format: .jpeg)
    let bytes = try await reportingMissingPost(post.id) { () async throws(KennelError) in
      try await thumbnails.bytes(key, byteCount: post.byteCount)
    }
    return .taggedJSON(for: call.request) { json in
      json.object { json in
        json.member("date", post.created.iso8601)
        json.member("caption", post.caption)
        json.member("post", post.id)
        json.member("thumbnail", "data:image/jpeg;base64," + bytes.base64EncodedString())
      }
    }
  }

  /// Returns the posts that another kennel may take, the oldest first.
  func peerPosts(_ call: Call) async throws -> HTTPResponse {
    let after = try call.queryID("after", orZero: true)
    let limit = try call.queryNumber("limit", default: 50, in: PostPage.sizes)
    let more = try await store.posts.sharedPage(after: after, limit: limit + 1)
    let posts = more.prefix(limit)
    let lineage = try await store.lineage()
    return .taggedJSON(for: call.request) { json in
      json.object { json in
        json.kennel(lineage)
        json.array("posts") { json in
          for post in posts { json.post(post) }
        }
        json.next(more.count > limit ? posts.last?.id : nil)
      }
    }
  }
}

extension KennelStore {
  /// Returns the ids of the posts before a given one, the newest first.
  func postIDs(before: Post.ID?) async throws(KennelError) -> [Post.ID] {
    try await database.read { connection throws(KennelError) in
      try connection.rows(
        "SELECT id FROM posts WHERE id < ? ORDER BY id DESC LIMIT 2000", .integer(before ?? .max)
      ) { $0.integer(0) }
    }
  }
}
