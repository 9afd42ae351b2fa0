import HTTPService
import KennelModel

/// Lists the months that have posts.
struct MonthEndpoints: Sendable {
  let posts: Posts
  let visitors: Visitors
  let responses: VersionedResponses

  func list(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.visitor(of: call).user
    return try await responses.response(
      .months, to: call.request, viewer: viewer, contentType: "application/json"
    ) {
      let months = try await posts.versionedMonths()
      var json = JSONText()
      json.object { json in
        json.array("months") { json in
          for count in months.value { json.month(count) }
        }
      }
      return ReadyPage(version: months.version, body: json.data)
    }
  }
}

extension JSONText {
  fileprivate mutating func month(_ count: MonthCount) {
    object { json in
      json.member("month", count.month.description)
      json.member("posts", count.posts)
      json.object("links") { json in
        json.member("posts", "/posts?month=\(count.month)")
        json.member("page", "/?month=\(count.month)")
      }
    }
  }
}
