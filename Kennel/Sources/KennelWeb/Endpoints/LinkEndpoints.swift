import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Makes, lists and revokes secret links, and shows the pages that they lead to.
struct LinkEndpoints: Sendable {
  /// The maximum lifetime that can be chosen, in days.
  private static let maximumDays = 3650

  let store: KennelStore
  let visitors: Visitors
  let renderer: PageRenderer
  let address: KennelAddress
  let clock: KennelClock

  func list(_ call: Call, to target: SecretLink.Target) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let links = try await store.posts.links(to: target, for: user.id)
    let now = clock.now()
    return .taggedJSON(for: call.request) { json in
      json.object { json in
        json.array("links") { json in
          for link in links { json.object { $0.members(of: link, at: now) } }
        }
      }
    }
  }

  func make(_ call: Call, to target: SecretLink.Target) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let lifetime = try await lifetime(call.request)
    let (link, token) = try await store.posts.makeLink(to: target, by: user.id, lifetime: lifetime)
    let now = clock.now()
    return .json(status: .created) { json in
      json.object { json in
        json.members(of: link, at: now)
        // Nobody gets it again: the store has only its hash.
        json.member("path", "/s/\(token.text)")
      }
    }
  }

  private func lifetime(_ request: HTTPRequest) async throws -> Duration? {
    struct Body: Decodable {
      var days: Int?
      var never: Bool?
    }
    let body = try await SmallBody.json(Body.self, of: request, form: #"{"days":7} or {"never":true}"#)
    guard let days = body.days else { return body.never == true ? nil : Posts.defaultLinkLifetime }
    guard 1...Self.maximumDays ~= days, body.never != true else {
      throw Problem(
        .unprocessableContent,
        "The lifetime of a link is a number of days from 1 to \(Self.maximumDays), or it never ends.")
    }
    return .seconds(days * 24 * 3600)
  }

  func revoke(_ call: Call, to target: SecretLink.Target) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    guard let link = call.numbers.last else { throw Problem.notFound }
    try await store.posts.revokeLink(link, to: target, by: user.id)
    return .noContent
  }

  func showPage(_ call: Call) async throws -> HTTPResponse {
    guard let link = call.link else { throw Problem.notFound }
    let base = address.requested(by: call)
    let renderer = renderer(for: call)
    switch link.target {
    case .post(let id):
      let post = try await store.posts.post(id)
      return response(
        try await renderer.link(post: post, path: "/s/\(call.secret)", expires: link.expires, base: base),
        to: call)
    case .album(let id):
      let (start, limit) = (try call.pageStart(), PostPage.defaultSize)
      let found = try await store.albums.versionedPage(of: id, start, limit: limit + 1, viewer: nil).value
      let page = try await renderer.link(
        album: found.album, posts: PostPage(found.posts, limit: limit), path: "/s/\(call.secret)",
        isFirst: start == .newest, expires: link.expires, base: base)
      return response(page, to: call)
    }
  }

  /// Shows a photo of the album that a link leads to.
  func showPhoto(_ call: Call) async throws -> HTTPResponse {
    guard let link = call.link, case .album(let id) = link.target else { throw Problem.notFound }
    let album = try await store.albums.album(id)
    let post = try await store.posts.post(call.id)
    let ids = try await store.albums.posts(in: id)
    // The photo may have been taken out of the album since the visitor was admitted.
    guard let index = ids.firstIndex(of: post.id) else { throw Problem.notInAlbum }
    let neighbours = LinkedPhotoNeighbours(
      album: album, path: "/s/\(call.secret)", newer: index > 0 ? ids[index - 1] : nil,
      older: index + 1 < ids.count ? ids[index + 1] : nil)
    let page = try await renderer(for: call).link(
      post: post, path: "/s/\(call.secret)/photos/\(post.id)", expires: link.expires,
      base: address.requested(by: call), in: neighbours)
    return response(page, to: call)
  }

  /// Those who have a link need no account, so the browser decides about the language.
  private func language(_ call: Call) -> Language {
    visitors.languages.language(for: call.request, viewer: nil)
  }

  private func renderer(for call: Call) -> PageRenderer { renderer.speaking(language(call)) }

  private func response(_ page: String, to call: Call) -> HTTPResponse {
    .content(
      Data(page.utf8), for: call.request, contentType: "text/html; charset=utf-8",
      fields: [
        "Content-Security-Policy": LinkPage.contentSecurityPolicy, "Vary": LanguageChoice.vary,
        "Content-Language": language(call).rawValue,
      ])
  }
}

extension JSONText {
  fileprivate mutating func members(of link: SecretLink, at now: Date) {
    member("id", link.id)
    switch link.target {
    case .post(let id): member("post", id)
    case .album(let id): member("album", id)
    }
    member("maker", link.maker)
    member("created", link.created.iso8601)
    if let expires = link.expires { member("expires", expires.iso8601) } else { null("expires") }
    member("isExpired", link.isExpired(at: now))
  }
}
