import HTTPService
import KennelModel

/// Lists, adds and deletes comments.
struct CommentEndpoints: Sendable {
  let posts: Posts
  let visitors: Visitors

  func list(_ call: Call) async throws -> HTTPResponse {
    let after = try call.queryID("after", orZero: true)
    let limit = try call.queryNumber("limit", default: 50, in: PostPage.sizes)
    let more = try await posts.comments(on: call.id, after: after, limit: limit + 1)
    let comments = more.prefix(limit)
    let next = more.count > limit ? comments.last?.id : nil
    var fields = HTTPFields()
    if let next {
      fields.append("Link", "</posts/\(call.id)/comments?after=\(next)&limit=\(limit)>; rel=\"next\"")
    }
    return .taggedJSON(for: call.request, fields: fields) { json in
      json.object { json in
        json.array("comments") { json in
          for comment in comments { json.comment(comment) }
        }
        json.next(next)
      }
    }
  }

  func add(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    let text = try await commentText(call.request)
    let comment = try await posts.addComment(text, to: call.id, author: user.id)
    let location = "/posts/\(call.id)/comments?after=\(comment.id - 1)&limit=1"
    return .json(status: .created, fields: ["Location": location]) { $0.comment(comment) }
  }

  private func commentText(_ request: HTTPRequest) async throws -> String {
    struct Body: Decodable {
      var text: String
    }
    switch ContentType(request).type {
    case "application/json":
      return try await SmallBody.json(Body.self, of: request, form: #"{"text":"…"}"#).text
    case "text/plain": return try await SmallBody.text(of: request)
    default:
      throw Problem(
        .unsupportedMediaType, "Send the comment as application/json, {\"text\":\"…\"}, or as text/plain.")
    }
  }

  func delete(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.user(of: call)
    guard let comment = call.numbers.last else { throw Problem.notFound }
    // A comment is only valid in the address of its own post.
    let found = try await posts.comments(on: call.id, after: comment - 1, limit: 1).first
    guard found?.id == comment else {
      throw Problem(.notFound, "The comment does not exist. It may have been deleted.")
    }
    try await posts.deleteComment(comment, by: user.id)
    return .noContent
  }
}
