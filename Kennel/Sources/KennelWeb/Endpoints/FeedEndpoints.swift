import HTTPService
import KennelModel
import KennelStorage

/// Sends feeds of new photos with their thumbnails, and makes and ends their addresses.
struct FeedEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors
  let address: KennelAddress
  let responses: VersionedResponses
  let pictures: PictureEndpoints
  let pages: AccountPages

  func show(_ call: Call) async throws -> HTTPResponse {
    guard let reader = call.visitor?.user, let feed = try await store.accounts.feed(of: reader.id) else {
      throw Problem.notFound
    }
    let base = try await address.base(for: call)
    let path = Self.path(call.secret)
    let language = visitors.languages.language(for: call.request, viewer: reader)
    return try await responses.response(
      .feed(base: base, path: path), to: call.request, viewer: reader, language: language,
      contentType: "application/atom+xml; charset=utf-8"
    ) {
      let lineage = try await store.lineage()
      let posts = try await store.posts.versionedFeed()
      let document = AtomFeed(
        site: pages.site, base: base, path: path, reader: reader.id, created: feed.created,
        posts: posts.value, lineage: lineage, words: Words.of(language).photo
      ).document
      return ReadyPage(version: posts.version, body: document)
    }
  }

  func thumbnail(_ call: Call) async throws -> HTTPResponse {
    try await store.posts.requireInFeed(call.id)
    var response = try await pictures.thumbnail(call)
    // Feed readers that are web pages show it. The address is a secret, so other pages cannot.
    response.fields["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
  }

  /// Answers with a new address, which is shown only now.
  func make(_ call: Call) async throws -> HTTPResponse {
    let visitor = try await visitors.visitor(of: call)
    guard let user = visitor.user else { throw Problem.signInRequired }
    let token = try await store.accounts.makeFeed(for: user.id, session: visitor.token)
    let path = Self.path(token.text)
    let feed = try await address.base(for: call) + path
    if AccountPage.isWanted(by: call.request) {
      let language = visitors.languages.language(for: call.request, viewer: user)
      return AccountPage.response(
        pages.speaking(language).newFeed(address: feed, viewer: user), in: language, status: .created)
    }
    return .json(status: .created) { json in
      json.object { json in
        json.member("address", feed)
        json.member("path", path)
      }
    }
  }

  func end(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    try await store.accounts.endFeed(of: user.id)
    return AccountPage.isWanted(by: call.request) ? AccountPage.redirect(to: "/you?done=feed") : .noContent
  }

  private static func path(_ token: String) -> String { "/feed/\(token)" }
}
