import Foundation
import Glibc
import TestSupport
import Testing

/// The changes of one client that the server acknowledged. Each client changes only its own posts, so this is the
/// complete expected state.
struct LoadMemory: Sendable {
  struct Known: Sendable {
    var caption: String
    var hash: String
    var number: Int
    /// The acknowledged state; nil while a request is unanswered.
    var isFavourite: Bool? = false
    var comments: Set<Int64> = []
    /// Whether the post was deleted; nil while the request is unanswered.
    var isDeleted: Bool? = false
  }

  struct Answered: Decodable {
    struct Photo: Decodable { var hash: String }
    var id: Int64
    var caption: String
    var photo: Photo
    var isFavourite: Bool
  }

  struct Comments: Decodable {
    struct Comment: Decodable { var id: Int64 }
    var comments: [Comment]
  }

  struct ID: Decodable { var id: Int64 }

  let client: Int
  let cookie: String
  private(set) var posts: [Int64: Known] = [:]
  /// The posts of the last round.
  private var latest: [Int64] = []
  private var number = 0

  init(client: Int, cookie: String) { (self.client, self.cookie) = (client, cookie) }

  /// Makes changes until the server is gone.
  mutating func work(
    port: Int, life: Int, picture: SmallPicture,
    _ answered: (Int) -> Void
  ) {
    latest = []
    var count = 0
    do {
      let connection = try LoadConnection(port: port)
      while true {
        answered(count)
        try step(connection, life, picture)
        count += 1
      }
    } catch is LoadConnection.Gone {
      // The server was killed, as expected.
    } catch {
      Issue.record("\(error)")
    }
  }

  /// Makes changes, each with one of several servers, until a condition is met. Servers that are gone are asked again later.
  ///
  /// - Parameter ports: returns the ports of the servers.
  mutating func work(
    ports: () -> [Int], seed: UInt64, picture: SmallPicture, until isDone: () -> Bool, _ answered: () -> Void
  ) {
    var random = SeededRandom(seed)
    var connections: [Int: LoadConnection] = [:]
    while !isDone() {
      guard let port = ports().randomElement(using: &random) else { continue }
      do {
        let connection = try connections[port] ?? LoadConnection(port: port)
        connections[port] = connection
        if let oldest = latest.first, latest.count > 3 {
          try delete(oldest, connection)
        } else {
          try step(connection, 0, picture)
        }
        answered()
      } catch is LoadConnection.Gone {
        connections[port] = nil
        sched_yield()
      } catch {
        Issue.record("\(error)")
        return
      }
    }
  }

  private mutating func delete(_ post: Int64, _ connection: LoadConnection) throws {
    latest.removeFirst()
    posts[post]?.isDeleted = nil
    let answer = try connection.ask("DELETE", "/posts/\(post)", fields: cookie)
    _ = try expect(answer, 204)
    posts[post]?.isDeleted = true
  }

  private mutating func step(_ connection: LoadConnection, _ life: Int, _ picture: SmallPicture) throws {
    number += 1
    guard number % 4 != 1, let post = latest.last else { return try upload(connection, life, picture) }
    if number % 4 == 2 {
      let answer = try connection.ask(
        "POST", "/posts/\(post)/comments", fields: cookie + "Content-Type: application/json\r\n",
        body: Data(#"{"text":"\#(number)"}"#.utf8))
      let comment = try expect(answer, 201).value(ID.self).id
      posts[post]?.comments.insert(comment)
    } else {
      let isFavourite = number % 8 != 4
      posts[post]?.isFavourite = nil
      let answer = try connection.ask(
        isFavourite ? "PUT" : "DELETE", "/posts/\(post)/favourite", fields: cookie)
      _ = try expect(answer, 200)
      posts[post]?.isFavourite = isFavourite
    }
  }

  private mutating func upload(_ connection: LoadConnection, _ life: Int, _ picture: SmallPicture) throws {
    let content = client * 1_000_000 + number
    let caption = "\(life)/\(client)/\(number)"
    let answer = try connection.ask(
      "POST", "/posts?duplicate=allow&caption=\(caption)", fields: cookie + "Content-Type: image/jpeg\r\n",
      body: picture.file(content))
    let post = try expect(answer, 201).value(Answered.self)
    posts[post.id] = Known(caption: caption, hash: post.photo.hash, number: content)
    latest.append(post.id)
  }

  private func expect(_ answer: LoadConnection.Answer, _ status: Int) throws -> LoadConnection.Answer {
    guard answer.status == status else {
      throw TestSupportError("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
    }
    return answer
  }

  func expectLatest(_ connection: LoadConnection) throws {
    for id in latest { try expect(id, connection) }
  }

  func expectAll(_ connection: LoadConnection) throws {
    let picture = try SmallPicture()
    for (id, known) in posts {
      try expect(id, connection)
      guard known.isDeleted == false else { continue }
      // Others get it without the comment that makes it different. The author gets both parts of it.
      let photo = try connection.ask("GET", "/posts/\(id)/uploaded", fields: cookie)
      let isComplete = photo.status == 200 && photo.body == picture.file(known.number)
      #expect(isComplete, "The photo of \(known.caption)")
    }
  }

  private func expect(_ id: Int64, _ connection: LoadConnection) throws {
    guard let known = posts[id] else { return }
    let answer = try connection.ask("GET", "/posts/\(id)", fields: cookie)
    guard known.isDeleted == false else {
      #expect(answer.status == 404 || known.isDeleted == nil, "\(known.caption)")
      return
    }
    guard answer.status == 200 else { throw TestSupportError("\(known.caption) is lost: \(answer.status)") }
    let post = try answer.value(Answered.self)
    #expect(post.caption == known.caption)
    #expect(post.photo.hash == known.hash)
    if let isFavourite = known.isFavourite { #expect(post.isFavourite == isFavourite, "\(known.caption)") }
    let comments = try connection.ask("GET", "/posts/\(id)/comments?limit=100").value(Comments.self)
    #expect(known.comments.isSubset(of: Set(comments.comments.map(\.id))), "\(known.caption)")
  }
}
