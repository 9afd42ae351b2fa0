import Foundation
import HTTPService
import KennelModel
import KennelStorage
import RetrieverImages

/// Draws several photos into one picture.
struct CollageEndpoints: Sendable {
  /// The maximum number of pictures in a collage.
  static let maximumPictureCount = 100

  let posts: Posts
  let thumbnails: ThumbnailStore
  let policy: RequestPolicy
  /// Drawing takes as long as decoding all of its pictures: half of the processors stay free for other requests.
  let limiter = ClientLimiter(
    "collages", count: max(1, ProcessInfo.processInfo.activeProcessorCount / 2), waitingCount: 32,
    countPerClient: 2, refusal: "There are other collages from this address. Try again in a moment.")

  init(posts: Posts, thumbnails: ThumbnailStore, policy: RequestPolicy) {
    self.posts = posts
    self.thumbnails = thumbnails
    self.policy = policy
  }

  func draw(_ call: Call) async throws -> HTTPResponse {
    let columns = try call.queryNumber("columns", default: 4, in: 1...20)
    let cell = try call.queryNumber("cell", default: 160, in: 32...480)
    let posts = try await chosenPosts(call)
    var seed = Sodium.SHA256()
    let recipe = posts.map(\.photo.description) + ["\(columns)", "\(cell)"]
    Array(recipe.joined(separator: " ").utf8).withUnsafeBytes { seed.update($0) }
    let tag = EntityTag("collage-" + Sodium.base64(Array(seed.finish().prefix(12))))
    let fields: HTTPFields = ["Cache-Control": "private, no-cache"]
    // A collage that the client already has is not drawn again.
    let known = HTTPResponse.content(
      Data(), for: call.request, contentType: "image/jpeg", fields: fields, entityTag: tag)
    if known.status == .notModified || known.status == .preconditionFailed { return known }
    let jpeg = try await limiter.run(for: policy.client(of: call.request).address) {
      () async throws(KennelError) in
      try await draw(posts, columns: columns, cell: cell)
    }
    return .content(jpeg, for: call.request, contentType: "image/jpeg", fields: fields, entityTag: tag)
  }

  private func chosenPosts(_ call: Call) async throws -> [Post] {
    guard let text = call.request.query("of"), !text.isEmpty else {
      let posts = try await self.posts.page(limit: 12)
      if posts.isEmpty { throw Problem(.notFound, "There are no posts yet. Post a photo first.") }
      return posts
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= Self.maximumPictureCount else {
      throw Problem.badRequest(
        "A collage has at most \(Self.maximumPictureCount) pictures. Request fewer.")
    }
    let ids = parts.compactMap { Int64(identifier: $0) }
    guard ids.count == parts.count else {
      throw Problem.badRequest("The parameter “of” must be a list of post ids, such as ?of=3,5,8.")
    }
    let posts = try await self.posts.posts(ids)
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
      let bytes = try await self.posts.reportingIfMissing(post.id) { () async throws(KennelError) in
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
}
