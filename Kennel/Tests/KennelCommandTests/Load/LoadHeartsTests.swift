import Foundation
import Glibc
import Retriever
import KennelTestSupport
import TestSupport
import Testing

/// Fifty users concurrently tap hearts, each on several connections.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoadHeartsTests {
  private static let posts = 10

  private struct Event: Decodable, Sendable {
    var id: Int64?
    var kind: String
    var post: Int64?
    var count: Int?
  }

  private struct Shown: Decodable {
    var favourites: Int
    var isFavourite: Bool
  }

  @Test func heartsAndTheirEventsAreExactAfterTwentyThousandChanges() async throws {
    let loaded = try await LoadedKennel(users: HeartTaps.users, posts: Self.posts)
    let server = try await loaded.kennel.start("serve", "--port", "0")
    let port = server.port
    let session = URLSession(configuration: .ephemeral)
    let (bytes, _) = try await session.bytes(from: server.url("/events"))
    var lines = bytes.lines.makeAsyncIterator()
    #expect(try await lines.next()?.contains("hello") == true)
    // The last counts that a listener received. The final heart is on a post that no other user has touched.
    async let heard = Self.lastCounts(&lines, until: loaded.posts[Self.posts - 1])
    let hearts = try await HeartTaps.tap(20_000, loaded, ports: [port])
    let final = try await runOnThread {
      try LoadConnection(port: port)
        .ask("PUT", "/posts/\(loaded.posts[Self.posts - 1])/favourite", fields: loaded.cookies[0])
    }
    #expect(final.status == 200)
    let counts = try await heard

    for post in loaded.posts.dropLast() {
      let expected = hearts.count { $0.key.post == post && $0.value }
      let shown = try await runOnThread {
        try LoadConnection(port: port).ask("GET", "/posts/\(post)", fields: loaded.cookies[7])
          .value(Shown.self)
      }
      #expect(shown.favourites == expected, "Post \(post)")
      #expect(shown.isFavourite == hearts[HeartTaps.Heart(user: 7, post: post)], "Post \(post)")
      #expect(counts[post] == expected, "Events of post \(post)")
    }
    #expect(try await server.end() == 0)
    if TestWorld.hasFiles { #expect(try await loaded.kennel.run("check").status == 0) }
  }

  private static func lastCounts(
    _ lines: inout AsyncLineSequence<URLSession.AsyncBytes>.AsyncIterator, until end: Int64
  ) async throws -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    var id: Int64 = 0
    while let line = try await lines.next() {
      let event = try JSONDecoder().decode(Event.self, from: Data(line.utf8))
      // A listener that reads immediately must not lose events.
      if event.kind == "lost" { throw TestSupportError("The listener lost events") }
      guard event.kind == "favourites", let post = event.post, let number = event.id else { continue }
      #expect(number > id)
      id = number
      counts[post] = event.count
      if post == end { return counts }
    }
    throw TestSupportError("The events ended too early")
  }
}
