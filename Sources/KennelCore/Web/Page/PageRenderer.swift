import Foundation

/// Writes the pages that people look at.
package struct PageRenderer: Sendable {
  /// Which posts a grid shows.
  package enum Kind: Sendable, Hashable {
    case all, favourites
  }

  private let title: String

  package init(title: String) { self.title = title }

  package func grid(
    posts: PostPage, viewer: User?, kind: Kind = .all, isFirst: Bool = true, lastEvent: Int64? = nil
  ) async -> String {
    page(
      posts.posts.map {
        "<a href=\"/photos/\($0.id)\"><img src=\"/posts/\($0.id)/thumbnail\" alt=\"\(Self.escaped($0.caption))\"></a>\n"
      }.joined())
  }

  package func photo(
    post: Post, comments: [Comment], viewer: User?, lastEvent: Int64? = nil
  ) async -> String {
    page(
      "<img src=\"/posts/\(post.id)/thumbnail?size=960\" alt=\"\"><p>\(Self.escaped(post.caption))</p>\n"
        + comments.map { "<p>\(Self.escaped($0.authorName)): \(Self.escaped($0.text))</p>\n" }.joined())
  }

  package func problem(status: Int, title: String, detail: String) -> String {
    page("<h2>\(Self.escaped(title))</h2><p>\(Self.escaped(detail))</p>\n")
  }

  package static var contentSecurityPolicy: String { CommonFields.contentSecurityPolicy }

  package static func asset(named name: String) -> (bytes: Data, contentType: String, etag: String)? { nil }

  private func page(_ body: String) -> String {
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>\(Self.escaped(title))</title>\n"
      + "<h1><a href=\"/\">\(Self.escaped(title))</a></h1>\n\(body)</html>\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
