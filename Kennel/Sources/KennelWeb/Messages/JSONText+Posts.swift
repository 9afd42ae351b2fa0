import Foundation
import KennelModel
import KennelStorage

extension JSONText {
  mutating func post(_ post: Post) { object { Self.write(post, to: &$0) } }

  mutating func post(_ name: StaticString, _ post: Post) { object(name) { Self.write(post, to: &$0) } }

  private static func write(_ post: Post, to json: inout JSONText) {
    json.member("id", post.id)
    json.member("author", post.authorName)
    json.member("caption", post.caption)
    json.member("created", post.created.iso8601)
    json.member("taken", post.taken.iso8601)
    json.member("takenSource", post.taken.source.rawValue)
    json.object("photo") { json in
      json.member("hash", post.photo.description)
      json.member("width", post.facts.width)
      json.member("height", post.facts.height)
      json.member("format", post.facts.format.rawValue)
      json.member("bytes", post.byteCount)
      if let duration = post.facts.duration { json.member("milliseconds", duration) }
    }
    json.member("thumbHash", Data(post.facts.thumbHash).base64EncodedString())
    json.member("favourites", post.favouriteCount)
    json.member("isFavourite", post.isFavourite)
    json.member("comments", post.commentCount)
    if let origin = post.origin {
      json.object("origin") { json in
        json.member("kennel", origin.kennel)
        json.member("author", origin.author)
      }
    } else {
      json.null("origin")
    }
    json.object("links") { json in
      json.member("self", "/posts/\(post.id)")
      json.member("photo", "/posts/\(post.id)/photo")
      json.member("thumbnail", "/posts/\(post.id)/thumbnail")
      json.member("page", "/photos/\(post.id)")
      if post.origin == nil { json.member("author", "/people/\(post.author)/photos") }
    }
  }

  mutating func comment(_ comment: Comment) {
    object { json in
      json.member("id", comment.id)
      json.member("author", comment.authorName)
      json.member("text", comment.text)
      json.member("created", comment.created.iso8601)
    }
  }

  /// Writes the parameter with which the next page is requested.
  mutating func next(_ id: Int64?) {
    if let id { member("next", id) } else { null("next") }
  }

  /// Writes the parameter with which the next page is requested.
  mutating func next(_ position: PostPosition?) {
    if let position { member("next", position.description) } else { null("next") }
  }
}

extension JSONText {
  /// Writes the identity and the ancestors of a kennel.
  mutating func kennel(_ lineage: KennelLineage) {
    object("kennel") { json in
      json.member("id", lineage.identity.description)
      json.array("was") { json in
        for ancestor in lineage.ancestors {
          json.object { json in
            json.member("id", ancestor.identity.description)
            json.member("through", ancestor.through)
          }
        }
      }
    }
  }
}
