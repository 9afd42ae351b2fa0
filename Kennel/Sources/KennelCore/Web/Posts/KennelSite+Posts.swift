import Foundation
import HTTPService

extension KennelSite {
  func listPosts(_ call: Call) async throws -> HTTPResponse {
    let before = try call.queryID("before")
    let limit = try call.queryNumber("limit", default: PostPage.defaultSize, in: PostPage.sizes)
    let viewer = try await visitor(call).user
    let posts = try await store.posts.page(before: before, limit: limit + 1, viewer: viewer?.id)
    return page(PostPage(posts, limit: limit), at: "/posts", limit: limit, call)
  }

  func listFavourites(_ call: Call) async throws -> HTTPResponse {
    let before = try call.queryID("before")
    let limit = try call.queryNumber("limit", default: PostPage.defaultSize, in: PostPage.sizes)
    let user = try await user(call)
    let posts = try await store.posts.favourites(of: user.id, before: before, limit: limit + 1)
    return page(PostPage(posts, limit: limit), at: "/favourites", limit: limit, call)
  }

  private func page(_ page: PostPage, at path: String, limit: Int, _ call: Call) -> HTTPResponse {
    var fields = HTTPFields()
    if let next = page.next {
      fields.append("Link", "<\(path)?before=\(next)&limit=\(limit)>; rel=\"next\"")
    }
    return .taggedJSON(for: call.request, fields: fields) { json in
      json.object { json in
        json.array("posts") { json in
          for post in page.posts { json.post(post) }
        }
        json.next(page.next)
      }
    }
  }

  func showPost(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitor(call).user
    let post = try await store.posts.post(call.id, viewer: viewer?.id)
    return .taggedJSON(for: call.request) { $0.post(post) }
  }

  func deletePost(_ call: Call) async throws -> HTTPResponse {
    let user = try await user(call)
    try await store.posts.delete(call.id, by: user.id)
    return .noContent
  }

  func addFavourite(_ call: Call) async throws -> HTTPResponse { try await setFavourite(true, call) }

  func removeFavourite(_ call: Call) async throws -> HTTPResponse { try await setFavourite(false, call) }

  private func setFavourite(_ isFavourite: Bool, _ call: Call) async throws -> HTTPResponse {
    let user = try await user(call)
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
