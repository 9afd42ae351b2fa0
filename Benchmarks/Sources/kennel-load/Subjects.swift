import Foundation
import KennelLoad
import TerminalProgram

/// The posts of the load, and their hearts before it.
struct Subjects: Sendable {
  let posts: [Int64]
  let hearts: HeartLedger

  private struct List: Decodable {
    struct Post: Decodable {
      var id: Int64
      var favourites: Int
      var isFavourite: Bool
    }
    var posts: [Post]
  }

  /// Reads the latest posts. If there are none, the first person uploads some.
  init(
    _ options: LoadOptions, _ clients: [KennelClient], _ observer: KennelClient, _ photos: PhotoSource?
  ) async throws {
    let path = "/posts?limit=\(options.posts)"
    var list = try await observer.prepare("list the posts", "GET", path).value(List.self)
    if list.posts.isEmpty, let photos {
      for number in 0..<min(12, options.posts) {
        let answer = try await observer.send(
          "POST", "/posts", ["Content-Type": "image/jpeg"],
          body: photos.photo(person: options.people, action: number))
        guard answer.status == 201 else {
          throw Failure(.failure, "The kennel did not accept the first photo: status \(answer.status).")
        }
      }
      list = try await observer.prepare("list the posts", "GET", path).value(List.self)
    }
    guard !list.posts.isEmpty else {
      throw Failure(.failure, "The kennel has no photos. Upload some, or give people who upload (--mix).")
    }
    posts = list.posts.map(\.id)
    var hearts = HeartLedger()
    if options.mix.hasChanges {
      for post in list.posts { hearts.begin(post.id, count: post.favourites) }
      for (person, client) in clients.enumerated() {
        for post in try await client.prepare("list the posts", "GET", path).value(List.self).posts {
          hearts.begin(post.id, person: person, isGiven: post.isFavourite)
        }
      }
    }
    self.hearts = hearts
  }

  /// Changes a heart of the first person, and returns the event that reports it. It comes after the events of all changes
  /// that were answered before.
  func finalHeart(of client: KennelClient, _ hearts: inout HeartLedger) async throws -> Int64 {
    struct Favourite: Decodable {
      var isFavourite: Bool
      var event: Int64
    }
    let post = posts[0]
    let isGiven = try await client.prepare("read a post", "GET", "/posts/\(post)").value(List.Post.self)
      .isFavourite
    let answer = try await client.prepare(
      "give the final heart", isGiven ? "DELETE" : "PUT", "/posts/\(post)/favourite"
    ).value(Favourite.self)
    hearts.change(post, person: 0, isGiven: answer.isFavourite)
    return answer.event
  }

  static func count(of post: Int64, _ client: KennelClient) async throws -> Int {
    try await client.prepare("read a post", "GET", "/posts/\(post)").value(List.Post.self).favourites
  }
}
