import HTTPService
import KennelModel

/// Searches for posts, and lists those of a person. Browsers get pages, and programs get JSON.
struct FindingEndpoints: Sendable {
  /// The response depends on this field, too.
  private static let fields: HTTPFields = ["Vary": "Accept"]

  let posts: Posts
  let pages: PageEndpoints
  let lists: PostEndpoints

  func search(_ call: Call) async throws -> HTTPResponse {
    let query = try SearchQuery(call.request.query("q") ?? "")
    let start = try call.pageStart()
    let address = lists.visitors.policy.client(of: call.request).address
    if AccountPage.isWanted(by: call.request) {
      return try await pages.grid(.searchPage(query, start), from: start, for: call, fields: Self.fields) {
        limit, viewer in
        let found = try await posts.search(query, start, limit: limit, viewer: viewer?.id, address: address)
        return (.search(query), found)
      }
    }
    let limit = try call.queryNumber("limit", default: PostPage.defaultSize, in: PostPage.sizes)
    let viewer = try await lists.visitors.visitor(of: call).user
    return try await lists.list(
      .search(query, start, limit: limit), at: PageRenderer.Kind.search(query).address, limit: limit,
      for: call.request, viewer: viewer, fields: Self.fields
    ) {
      try await posts.search(query, start, limit: limit + 1, viewer: viewer?.id, address: address)
    }
  }

  func listPerson(_ call: Call) async throws -> HTTPResponse {
    let start = try call.pageStart()
    if AccountPage.isWanted(by: call.request) {
      return try await pages.grid(.personPage(call.id, start), from: start, for: call, fields: Self.fields) {
        limit, viewer in
        let found = try await posts.posts(of: call.id, start, limit: limit, viewer: viewer?.id)
        return (.person(call.id, name: found.value.name, picture: found.value.picture), found.map(\.posts))
      }
    }
    let limit = try call.queryNumber("limit", default: PostPage.defaultSize, in: PostPage.sizes)
    let viewer = try await lists.visitors.visitor(of: call).user
    return try await lists.list(
      .person(call.id, start, limit: limit), at: "/people/\(call.id)/photos", limit: limit, for: call.request,
      viewer: viewer, fields: Self.fields
    ) {
      try await posts.posts(of: call.id, start, limit: limit + 1, viewer: viewer?.id).map(\.posts)
    }
  }
}
