import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Sends the pages and the files that belong to them.
struct PageEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors
  let renderer: PageRenderer
  let address: KennelAddress
  let responses: VersionedResponses

  func grid(_ call: Call) async throws -> HTTPResponse {
    let start = try call.pageStart()
    let limit = PostPage.defaultSize
    let viewer = try await visitors.visitor(of: call).user
    if viewer == nil, try await !store.accounts.hasUsers() {
      let language = visitors.languages.language(for: call.request, viewer: nil)
      return AccountPage.response(renderer.speaking(language).noAccounts(), in: language)
    }
    return try await html(.grid(start), for: call, viewer: viewer) { renderer, base in
      let found = try await store.posts.versionedPageByMonth(start, limit: limit + 1, viewer: viewer?.id)
      let page = try await renderer.grid(
        posts: PostPage(found.value.posts, limit: limit), months: found.value.months, viewer: viewer,
        kind: .all, isFirst: start == .newest, lastEvent: found.version.lastEvent, base: base)
      return ReadyPage(version: found.version, body: Data(page.utf8))
    }
  }

  func hearts(_ call: Call) async throws -> HTTPResponse {
    let start = try call.pageStart()
    return try await grid(.hearts(start), from: start, for: call) { limit, viewer in
      // A visitor who has not signed in has no user id, and so no favourites.
      (.favourites, try await store.posts.versionedFavourites(of: viewer?.id ?? 0, start, limit: limit))
    }
  }

  /// Returns a page with posts.
  ///
  /// - Parameter read: reads what the page shows: up to a number of posts, and which posts they are.
  func grid(
    _ resource: PageResource, from start: PageStart, for call: Call, fields: HTTPFields = [:],
    read: (_ limit: Int, _ viewer: User?) async throws -> (PageRenderer.Kind, Versioned<[Post]>)
  ) async throws -> HTTPResponse {
    let limit = PostPage.defaultSize
    let viewer = try await visitors.visitor(of: call).user
    return try await html(resource, for: call, viewer: viewer, fields: fields) { renderer, base in
      let (kind, posts) = try await read(limit + 1, viewer)
      let page = try await renderer.grid(
        posts: PostPage(posts.value, limit: limit), viewer: viewer, kind: kind, isFirst: start == .newest,
        lastEvent: posts.version.lastEvent, base: base)
      return ReadyPage(version: posts.version, body: Data(page.utf8))
    }
  }

  func photo(_ call: Call) async throws -> HTTPResponse {
    let after = try call.queryID("after", orZero: true) ?? 0
    let limit = CommentPage.defaultSize
    let viewer = try await visitors.visitor(of: call).user
    return try await html(.photo(call.id, after: after), for: call, viewer: viewer) { renderer, base in
      let found = try await store.posts.versionedDiscussion(
        of: call.id, after: after, limit: limit + 1, viewer: viewer?.id)
      // They are at least as new as the version. A change after it has another one, so the page is made again.
      let albums = try await store.albums.titles(with: call.id)
      let page = try await renderer.photo(
        post: found.value.post,
        comments: CommentPage(found.value.comments, limit: limit, isFirst: after == 0), albums: albums,
        viewer: viewer, lastEvent: found.version.lastEvent, base: base)
      return ReadyPage(version: found.version, body: Data(page.utf8))
    }
  }

  /// Returns a page.
  ///
  /// - Parameter make: renders the page with a renderer for the language of the visitor, with a preview if it gets the beginning
  ///   of addresses for that.
  private func html(
    _ resource: PageResource, for call: Call, viewer: User?, fields: HTTPFields = [:],
    make: (_ renderer: PageRenderer, _ base: String?) async throws -> ReadyPage
  ) async throws -> HTTPResponse {
    var (resource, fields) = (resource, fields)
    fields.append("Content-Security-Policy", PageRenderer.contentSecurityPolicy)
    // Those who make previews have no account.
    let base = viewer == nil && call.isOpenToEveryone ? address.requested(by: call) : nil
    if let base { resource = .previewed(resource, base: base) }
    let language = visitors.languages.language(for: call.request, viewer: viewer)
    return try await responses.response(
      resource, to: call.request, viewer: viewer, language: language,
      contentType: "text/html; charset=utf-8", fields: fields
    ) {
      try await make(renderer.speaking(language), base)
    }
  }

  /// Sends a file at an address that contains the fingerprint of all files. What is there never changes.
  func immutableAsset(_ call: Call) async throws -> HTTPResponse {
    // Another version of the program has other files, which must not be stored under this version's address.
    guard call.request.pathSegments.dropFirst().first == PageAssets.fingerprint,
      let asset = PageAssets.all[call.name]
    else { throw Problem.notFound }
    return response(asset, to: call.request, cacheControl: CacheControl.immutable)
  }

  func asset(_ call: Call) async throws -> HTTPResponse {
    guard let asset = renderer.asset(named: call.name) else { throw Problem.notFound }
    return response(asset, to: call.request, cacheControl: "no-cache")
  }

  /// Serves the files that browsers and crawlers expect at the root.
  func wellKnownAsset(_ call: Call) async throws -> HTTPResponse {
    let name = call.request.pathSegments.last ?? ""
    if let asset = renderer.asset(named: name) {
      return response(asset, to: call.request, cacheControl: "no-cache")
    }
    // Private photos must not be indexed by search engines.
    if name == "robots.txt" { return .text("User-agent: *\nDisallow: /\n") }
    throw Problem.notFound
  }

  /// Answers photos from a phone's share sheet that no service worker has taken. They are not read: the person has neither seen
  /// nor confirmed what would be shared. The page that follows registers the worker, and asks for another attempt.
  func refuseShared(_ call: Call) async throws -> HTTPResponse {
    AccountPage.redirect(to: "/?shared=again")
  }

  private func response(
    _ asset: PageAssets.Asset, to request: HTTPRequest, cacheControl: String
  ) -> HTTPResponse {
    let (bytes, coding) = asset.bytes(in: ContentCoding(acceptedBy: request.fields))
    var fields: HTTPFields = ["Cache-Control": cacheControl, "Vary": "Accept-Encoding"]
    if coding != .identity { fields.append("Content-Encoding", coding.rawValue) }
    let tag = coding == .identity ? asset.etag : "\(asset.etag).\(coding.rawValue)"
    return .content(
      bytes, for: request, contentType: asset.contentType, fields: fields, entityTag: EntityTag(tag))
  }
}
