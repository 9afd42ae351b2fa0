import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Shows the bin, and restores or deletes what is in it.
struct BinEndpoints: Sendable {
  let posts: Posts
  let visitors: Visitors
  let thumbnails: ThumbnailStore
  let renderer: PageRenderer

  func list(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let binned = try await posts.bin(for: user.id)
    return .taggedJSON(for: call.request) { json in
      json.object { json in
        json.array("posts") { json in
          for one in binned {
            json.object { json in
              json.member("binned", one.binned.iso8601)
              json.member("end", one.end.iso8601)
              json.post("post", one.post)
            }
          }
        }
      }
    }
  }

  func page(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let language = visitors.languages.language(for: call.request, viewer: user)
    let page = renderer.speaking(language).bin(try await posts.bin(for: user.id), viewer: user)
    return HTTPResponse(
      fields: [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
        "Content-Language": language.rawValue, "Vary": LanguageChoice.vary,
        "Content-Security-Policy": PageRenderer.contentSecurityPolicy,
      ], body: .bytes(Data(page.utf8)))
  }

  /// Sends a thumbnail of a post in the bin. It is made for each request and not kept.
  func thumbnail(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let post = try await posts.binnedPost(call.id, for: user.id)
    let size = try ThumbnailSize(query: call.request.query("size"))
    let key = ThumbnailKey(photo: post.photo, size: size, format: .jpeg)
    let bytes = try await thumbnails.bytes(key, byteCount: post.byteCount)
    return HTTPResponse(
      fields: ["Content-Type": "image/jpeg", "Cache-Control": "no-store"], body: .bytes(bytes))
  }

  func restore(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let post = try await posts.restore(call.id, by: user.id)
    return .json { $0.post(post) }
  }

  func delete(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    try await posts.deleteFromBin(call.id, by: user.id)
    return .noContent
  }
}
