import Foundation
import Glibc
import KennelTestSupport
import TestSupport
import Testing

/// `kennel serve` is killed repeatedly while clients upload, heart and comment.
@Suite(
  .enabled(if: TestWorld.hasFiles, "it is about files after a crash"), .serialized, .timeLimit(.minutes(5)))
struct LoadKillTests {
  private static let lives = KillCount.value(normally: 20)
  private static let clients = 4

  @Test func `acknowledged changes survive when the server is killed`() async throws {
    let loaded = try await LoadedKennel(users: Self.clients, posts: 0)
    let picture = try SmallPicture()
    var random = SeededRandom(0x6b69_6c6c)
    var known = (0..<Self.clients).map { LoadMemory(client: $0, cookie: loaded.cookies[$0]) }
    for life in 1...Self.lives {
      let server = try await loaded.kennel.start("serve", "--port", "0")
      let port = server.port
      let pid = server.child.identifier
      let before = known
      // Each round first checks what the server acknowledged in the last round. The end of the test checks everything.
      let target = Int.random(in: 0..<60, using: &random)
      let spins = Int.random(in: 0..<100_000, using: &random)
      _ = try await onThreads(Self.clients) { try before[$0].expectLatest(LoadConnection(port: port)) }
      known = try await onThreads(Self.clients) { number in
        var memory = before[number]
        memory.work(port: port, life: life, picture: picture) {
          // The first client decides when to kill the server, while the others have open requests.
          guard number == 0, $0 == target else { return }
          for _ in 0..<spins { _ = getppid() }
          kill(pid, SIGKILL)
        }
        return memory
      }
      let ending = await runOnThread { server.child.waitForEnd(within: .seconds(90)) }
      #expect(ending == .signalled(SIGKILL))
      if life % 5 == 0 {
        let check = try await loaded.kennel.run("check")
        #expect(check.status == 0, "Life \(life): \(check.output) \(check.errors)")
      }
    }
    let server = try await loaded.kennel.start("serve", "--port", "0")
    let port = server.port
    let all = known
    _ = try await onThreads(Self.clients) { try all[$0].expectAll(LoadConnection(port: port)) }
    #expect(known.reduce(0) { $0 + $1.posts.count } > 3 * Self.lives)
    #expect(try await server.end() == 0)
    #expect(try await loaded.kennel.run("check").status == 0)
  }
}

/// The changes of one client that the server acknowledged. Each client changes only its own posts, so this is the
/// complete expected state.
private struct LoadMemory: Sendable {
  struct Known: Sendable {
    var caption: String
    var hash: String
    var number: Int
    /// The acknowledged state; nil while a request is unanswered.
    var isFavourite: Bool? = false
    var comments: Set<Int64> = []
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
      // Others get it without the comment that makes it different. The author gets both parts of it.
      let photo = try connection.ask("GET", "/posts/\(id)/uploaded", fields: cookie)
      let isComplete = photo.status == 200 && photo.body == picture.file(known.number)
      #expect(isComplete, "The photo of \(known.caption)")
    }
  }

  private func expect(_ id: Int64, _ connection: LoadConnection) throws {
    guard let known = posts[id] else { return }
    let answer = try connection.ask("GET", "/posts/\(id)", fields: cookie)
    guard answer.status == 200 else { throw TestSupportError("\(known.caption) is lost: \(answer.status)") }
    let post = try answer.value(Answered.self)
    #expect(post.caption == known.caption)
    #expect(post.photo.hash == known.hash)
    if let isFavourite = known.isFavourite { #expect(post.isFavourite == isFavourite, "\(known.caption)") }
    let comments = try connection.ask("GET", "/posts/\(id)/comments?limit=100").value(Comments.self)
    #expect(known.comments.isSubset(of: Set(comments.comments.map(\.id))), "\(known.caption)")
  }
}
