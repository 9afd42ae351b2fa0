import HTTPService
import KennelModel
import KennelStorage

/// Lists, shows, adds and deletes posts and favourites.
struct PostEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors
  let metrics: Metrics
  let responses: VersionedResponses
  let markup: PostMarkup

  func list(_ call: Call) async throws -> HTTPResponse {
    let start = try call.pageStart()
    let limit = try call.queryNumber("limit", default: PostPage.defaultSize, in: PostPage.sizes)
    let viewer = try await visitors.visitor(of: call).user
    return try await list(
      .posts(start, limit: limit), at: "/posts", limit: limit, for: call.request, viewer: viewer
    ) {
      try await store.posts.versionedPage(start, limit: limit + 1, viewer: viewer?.id)
    }
  }

  func listFavourites(_ call: Call) async throws -> HTTPResponse {
    let start = try call.pageStart()
    let limit = try call.queryNumber("limit", default: PostPage.defaultSize, in: PostPage.sizes)
    let user = try await visitors.user(of: call)
    return try await list(
      .favourites(start, limit: limit), at: "/favourites", limit: limit, for: call.request, viewer: user
    ) {
      try await store.posts.versionedFavourites(of: user.id, start, limit: limit + 1)
    }
  }

  /// Returns a list of posts as JSON.
  ///
  /// - Parameters:
  ///   - address: the address of the first page, with or without a query.
  ///   - read: reads one post more than the limit, if there are so many.
  func list(
    _ resource: PageResource, at address: String, limit: Int, for request: HTTPRequest, viewer: User?,
    fields: HTTPFields = [:], read: () async throws -> Versioned<[Post]>
  ) async throws -> HTTPResponse {
    try await responses.response(
      resource, to: request, viewer: viewer, contentType: "application/json", fields: fields
    ) {
      let posts = try await read()
      let page = PostPage(posts.value, limit: limit)
      var json = JSONText()
      json.object { json in
        json.array("posts") { json in
          for post in page.posts { json.element(written: markup.json(post)) }
        }
        json.next(page.next)
      }
      var fields = HTTPFields()
      if let next = page.next {
        let query = address.contains("?") ? "&" : "?"
        fields.append("Link", "<\(address)\(query)before=\(next)&limit=\(limit)>; rel=\"next\"")
      }
      return ReadyPage(version: posts.version, body: json.data, fields: fields)
    }
  }

  /// Streams the ids of all posts, one per line, the newest first.
  func listIDs(_ call: Call) async throws -> HTTPResponse {
    let posts = store.posts
    // The first page is read before the response begins, so that an error can still be reported.
    let first = try await posts.ids(before: nil)
    let body = HTTPResponse.Body.stream { writer in
      var ids = first
      while let last = ids.last {
        try await writer.write(ids.map { "\($0)\n" }.joined())
        ids = try await posts.ids(before: last)
      }
    }
    return HTTPResponse(
      fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"], body: body)
  }

  /// Returns the posts that another kennel may take, the oldest first.
  func listShared(_ call: Call) async throws -> HTTPResponse {
    let after = try call.queryID("after", orZero: true)
    let limit = try call.queryNumber("limit", default: 50, in: PostPage.sizes)
    let more = try await store.posts.sharedPage(after: after, limit: limit + 1)
    var posts: [Post] = []
    // A peer expects the photo that the page announces.
    for post in more.prefix(limit) { posts.append(try await examined(post)) }
    let lineage = try await store.lineage()
    return .taggedJSON(for: call.request) { json in
      json.object { json in
        json.kennel(lineage)
        json.array("posts") { [posts] json in
          for post in posts { json.post(post) }
        }
        json.next(more.count > limit ? posts.last?.id : nil)
      }
    }
  }

  /// Returns a post with the form of its photo that others get. A photo that cannot be examined is not sent either.
  private func examined(_ post: Post) async throws -> Post {
    guard post.metadata == .notExamined else { return post }
    do throws(KennelError) {
      return try await store.posts.examine(post.id)
    } catch {
      if error.code == .cancelled || error.code == .closed { throw error }
      return post
    }
  }

  func show(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.visitor(of: call).user
    let post = try await store.posts.post(call.id, viewer: viewer?.id)
    return .taggedJSON(for: call.request) { $0.post(post) }
  }

  func add(_ call: Call) async throws -> HTTPResponse {
    // The user is verified before the body is read.
    let user = try await visitors.user(of: call)
    let allowsDuplicate = try allowsDuplicate(call)
    do {
      let incoming = try await IncomingPhoto(call, into: store.photos) { byteCount throws(KennelError) in
        try await store.quotas.requireRoom(for: byteCount, of: user.id)
      }
      // The time is part of the metadata that is taken out.
      let taken = await store.posts.captureTime(ofFileAt: incoming.photo.path)
      let photo = try await NewPhoto.examining(
        incoming.photo, in: store.photos, sharesMetadata: incoming.sharesMetadata)
      let post = try await store.posts.add(
        photo, caption: incoming.caption, author: user.id, taken: taken, allowsDuplicate: allowsDuplicate)
      metrics.countPhoto(bytes: post.byteCount)
      return .json(status: .created, fields: ["Location": "/posts/\(post.id)"]) { $0.post(post) }
    } catch {
      metrics.count(.photoRefused)
      if (error as? KennelError)?.code == .quotaExceeded { metrics.count(.quotaExceeded) }
      throw error
    }
  }

  private func allowsDuplicate(_ call: Call) throws(Problem) -> Bool {
    switch call.request.query("duplicate") ?? "" {
    case "": return false
    case "allow": return true
    default:
      throw .badRequest(
        "The parameter “duplicate” must be “allow”, to share a photo again that was already shared.")
    }
  }

  /// Moves a post to the bin.
  func delete(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    try await store.posts.moveToBin(call.id, by: user.id)
    return .noContent
  }

  func addFavourite(_ call: Call) async throws -> HTTPResponse { try await setFavourite(true, call) }

  func removeFavourite(_ call: Call) async throws -> HTTPResponse { try await setFavourite(false, call) }

  private func setFavourite(_ isFavourite: Bool, _ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let state = try await store.posts.setFavourite(isFavourite, post: call.id, user: user.id)
    return .json { json in
      json.object { json in
        json.member("post", call.id)
        json.member("favourites", state.count)
        json.member("isFavourite", state.isFavourite)
        json.member("event", state.lastEvent)
      }
    }
  }
}
