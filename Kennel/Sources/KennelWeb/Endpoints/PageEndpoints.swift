import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Sends the pages and the files that belong to them.
struct PageEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors
  let renderer: PageRenderer

  func grid(_ call: Call) async throws -> HTTPResponse {
    let before = try call.queryID("before")
    let limit = PostPage.defaultSize
    // Read before the posts, so that a change in between is reported twice rather than never.
    let last = store.events.lastID
    let viewer = try await visitors.visitor(of: call).user
    let posts = try await store.posts.page(before: before, limit: limit + 1, viewer: viewer?.id)
    let page = await renderer.grid(
      posts: PostPage(posts, limit: limit), viewer: viewer, kind: .all, isFirst: before == nil,
      lastEvent: last)
    return html(page, for: call.request)
  }

  func hearts(_ call: Call) async throws -> HTTPResponse {
    let before = try call.queryID("before")
    let limit = PostPage.defaultSize
    // Read before the posts, so that a change in between is reported twice rather than never.
    let last = store.events.lastID
    let viewer = try await visitors.visitor(of: call).user
    var posts: [Post] = []
    if let viewer {
      posts = try await store.posts.favourites(of: viewer.id, before: before, limit: limit + 1)
    }
    let page = await renderer.grid(
      posts: PostPage(posts, limit: limit), viewer: viewer, kind: .favourites, isFirst: before == nil,
      lastEvent: last)
    return html(page, for: call.request)
  }

  func photo(_ call: Call) async throws -> HTTPResponse {
    let last = store.events.lastID
    let viewer = try await visitors.visitor(of: call).user
    let post = try await store.posts.post(call.id, viewer: viewer?.id)
    let after = try call.queryID("after", orZero: true) ?? 0
    let limit = CommentPage.defaultSize
    let comments = CommentPage(
      try await store.posts.comments(on: post.id, after: after, limit: limit + 1), limit: limit,
      isFirst: after == 0)
    let page = await renderer.photo(post: post, comments: comments, viewer: viewer, lastEvent: last)
    return html(page, for: call.request)
  }

  private func html(_ page: String, for request: HTTPRequest) -> HTTPResponse {
    let bytes = Array(page.utf8)
    let fields: HTTPFields = [
      "Cache-Control": "private, no-cache", "Vary": "Cookie, Authorization",
      "Content-Security-Policy": PageRenderer.contentSecurityPolicy,
    ]
    let tag = EntityTag(Sodium.base64(Array(Sodium.sha256(bytes).prefix(12))))
    return .content(
      Data(bytes), for: request, contentType: "text/html; charset=utf-8", fields: fields, entityTag: tag)
  }

  func asset(_ call: Call) async throws -> HTTPResponse {
    guard let response = asset(named: call.name, for: call.request) else { throw Problem.notFound }
    return response
  }

  /// Serves the files that browsers and crawlers expect at the root.
  func wellKnownAsset(_ call: Call) async throws -> HTTPResponse {
    let name = call.request.pathSegments.last ?? ""
    if let response = asset(named: name, for: call.request) { return response }
    // Private photos must not be indexed by search engines.
    if name == "robots.txt" { return .text("User-agent: *\nDisallow: /\n") }
    throw Problem.notFound
  }

  private func asset(named name: String, for request: HTTPRequest) -> HTTPResponse? {
    guard let asset = renderer.asset(named: name) else { return nil }
    let tag = EntityTag(asset.etag.filter { $0 != "\"" })
    return .content(
      asset.bytes, for: request, contentType: asset.contentType, fields: ["Cache-Control": "no-cache"],
      entityTag: tag)
  }
}
