import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Lists, shows and changes albums. The list and an album are pages for browsers, and JSON for programs.
struct AlbumEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors
  let renderer: PageRenderer
  let responses: VersionedResponses

  // MARK: Reading

  func list(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.visitor(of: call).user
    let isPage = AccountPage.isWanted(by: call.request)
    return try await response(.albums(isPage: isPage), isPage: isPage, to: call.request, viewer: viewer) {
      renderer in
      let found = try await store.albums.versionedList()
      guard isPage else {
        var json = JSONText()
        json.object { json in
          json.array("albums") { json in
            for album in found.value { json.object { $0.members(of: album, viewer: viewer) } }
          }
        }
        return ReadyPage(version: found.version, body: json.data)
      }
      let covers = try await store.posts.posts(found.value.compactMap(\.cover))
      let page = try await renderer.albums(
        found.value, covers: covers, viewer: viewer, lastEvent: found.version.lastEvent)
      return ReadyPage(version: found.version, body: Data(page.utf8))
    }
  }

  func show(_ call: Call) async throws -> HTTPResponse {
    let start = try call.pageStart()
    let limit = try call.queryNumber("limit", default: PostPage.defaultSize, in: PostPage.sizes)
    let viewer = try await visitors.visitor(of: call).user
    let isPage = AccountPage.isWanted(by: call.request)
    return try await response(
      .album(call.id, start, limit: limit, isPage: isPage), isPage: isPage, to: call.request, viewer: viewer
    ) { renderer in
      let found = try await store.albums.versionedPage(
        of: call.id, start, limit: limit + 1, viewer: viewer?.id)
      let (album, posts) = (found.value.album, PostPage(found.value.posts, limit: limit))
      guard isPage else { return listing(album, posts, limit: limit, viewer: viewer, found.version) }
      let page = try await renderer.album(
        album, posts: posts, viewer: viewer, isFirst: start == .newest, lastEvent: found.version.lastEvent)
      return ReadyPage(version: found.version, body: Data(page.utf8))
    }
  }

  private func listing(
    _ album: Album, _ page: PostPage, limit: Int, viewer: User?, _ version: ContentVersion
  ) -> ReadyPage {
    var json = JSONText()
    json.object { json in
      json.members(of: album, viewer: viewer)
      json.array("posts") { json in
        for post in page.posts { json.element(written: renderer.markup.json(post)) }
      }
      json.next(page.next)
    }
    var fields = HTTPFields()
    if let next = page.next {
      fields.append("Link", "</albums/\(album.id)?before=\(next)&limit=\(limit)>; rel=\"next\"")
    }
    return ReadyPage(version: version, body: json.data, fields: fields)
  }

  private func response(
    _ resource: PageResource, isPage: Bool, to request: HTTPRequest, viewer: User?,
    make: (_ renderer: PageRenderer) async throws -> ReadyPage
  ) async throws -> HTTPResponse {
    var fields: HTTPFields = ["Vary": "Accept"]
    guard isPage else {
      return try await responses.response(
        resource, to: request, viewer: viewer, contentType: "application/json", fields: fields
      ) {
        try await make(renderer)
      }
    }
    let language = visitors.languages.language(for: request, viewer: viewer)
    fields.append("Content-Security-Policy", PageRenderer.contentSecurityPolicy)
    return try await responses.response(
      resource, to: request, viewer: viewer, language: language, contentType: "text/html; charset=utf-8",
      fields: fields
    ) {
      try await make(renderer.speaking(language))
    }
  }

  // MARK: Changing

  func make(_ call: Call) async throws -> HTTPResponse {
    struct Body: Decodable {
      var title: String
      var isOpen: Bool?
      var posts: [Int64]?
    }
    let user = try await visitors.user(of: call)
    let body = try await body(Body.self, call, form: #"{"title":"…","isOpen":false,"posts":[1,2]}"#)
    let album = try await store.albums.make(
      title: body.title, isOpen: body.isOpen ?? false, posts: body.posts ?? [], by: user.id)
    return .json(status: .created, fields: ["Location": "/albums/\(album.id)"]) { json in
      json.object { $0.members(of: album, viewer: user) }
    }
  }

  func edit(_ call: Call) async throws -> HTTPResponse {
    struct Body: Decodable {
      var title: String?
      var isOpen: Bool?
      var cover: Int64?
    }
    let form = #"{"title":"…","isOpen":true,"cover":12}, or some of them"#
    let user = try await visitors.user(of: call)
    let body = try await body(Body.self, call, form: form)
    let change = AlbumChange(title: body.title, isOpen: body.isOpen, cover: body.cover)
    guard change != AlbumChange() else {
      throw Problem.badRequest("The body contains no change. Send \(form).")
    }
    let album = try await store.albums.edit(call.id, change, by: user.id)
    return .json { json in json.object { $0.members(of: album, viewer: user) } }
  }

  func delete(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    try await store.albums.delete(call.id, by: user.id)
    return .noContent
  }

  func addPosts(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let posts = try await posts(in: call)
    let (album, count) = try await store.albums.add(posts, to: call.id, by: user.id)
    return changed("added", count, album, user)
  }

  func removePosts(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let posts = try await posts(in: call)
    let (album, count) = try await store.albums.remove(posts, from: call.id, by: user.id)
    return changed("removed", count, album, user)
  }

  private func changed(_ change: StaticString, _ count: Int, _ album: Album, _ viewer: User) -> HTTPResponse {
    .json { json in
      json.object { json in
        json.member(change, count)
        json.object("album") { $0.members(of: album, viewer: viewer) }
      }
    }
  }

  private func posts(in call: Call) async throws -> [Post.ID] {
    struct Body: Decodable {
      var posts: [Int64]
    }
    return try await body(Body.self, call, form: #"{"posts":[1,2]}"#).posts
  }

  private func body<Body: Decodable>(_ type: Body.Type, _ call: Call, form: String) async throws -> Body {
    guard ContentType(call.request).type == "application/json" else {
      throw Problem(.unsupportedMediaType, "Send the body as application/json, \(form).")
    }
    return try await SmallBody.json(type, of: call.request, form: form)
  }
}

extension JSONText {
  fileprivate mutating func members(of album: Album, viewer: User?) {
    member("id", album.id)
    member("title", album.title)
    member("owner", album.ownerName)
    member("isOpen", album.isOpen)
    member("postCount", album.postCount)
    if let cover = album.cover { member("cover", cover) } else { null("cover") }
    member("created", album.created.iso8601)
    member("changed", album.changed.iso8601)
    member("mayEdit", album.mayEdit(viewer))
    member("mayAdd", album.mayAdd(viewer))
    object("links") { json in
      json.member("self", "/albums/\(album.id)")
      json.member("zip", "/albums/\(album.id)/zip")
      if let cover = album.cover { json.member("cover", "/posts/\(cover)/thumbnail") }
    }
  }
}
