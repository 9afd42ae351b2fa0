import Foundation
import KennelTestSupport
import Retriever
import TestSupport
import Testing

/// Fifty users change hearts through two servers with one database and one store, while clients of both listen.
@Suite(.serialized, .enabled(if: SharedKennel.isAvailable), .timeLimit(.minutes(5))) struct SharedLoadTests {
  private static let posts = 6
  private static let changes = 2_000
  private static let listenersOfEach = 25

  private struct Event: Decodable, Sendable, Hashable {
    var id: Int64?
    var kind: String
    var post: Int64?
    var count: Int?
  }

  private struct Shown: Decodable { var favourites: Int }

  @Test func `hearts through two servers are exact, and all listeners receive each event once and in order`()
    async throws
  {
    let shared = try await SharedKennel(users: HeartTaps.users)
    let servers = [try await shared.start(), try await shared.start()]
    var loaded = shared.loaded
    for number in 0..<Self.posts {
      loaded.posts.append(try await shared.post(number, by: 0, to: servers[number % 2]))
    }
    let last = try #require(loaded.posts.last)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 2 * Self.listenersOfEach
    let session = URLSession(configuration: configuration)
    let heard = try await withThrowingTaskGroup(of: [Event].self) { group in
      let (greetings, greeting) = AsyncStream.makeStream(of: Void.self)
      for number in 0..<2 * Self.listenersOfEach {
        let url = try servers[number % 2].url("/events")
        group.addTask {
          // Nobody waits for the greeting of a listener that failed.
          defer { greeting.finish() }
          let (bytes, _) = try await session.bytes(from: url)
          return try await Self.events(bytes, until: last) { greeting.yield() }
        }
      }
      var waiting = greetings.makeAsyncIterator()
      for _ in 0..<2 * Self.listenersOfEach { _ = await waiting.next() }
      let hearts = try await HeartTaps.tap(Self.changes, loaded, ports: servers.map(\.port))
      // No user has touched the last post, so its heart is the last event of all listeners.
      let (port, cookie) = (servers[1].port, loaded.cookies[0])
      let final = try await runOnThread {
        try LoadConnection(port: port).ask("PUT", "/posts/\(last)/favourite", fields: cookie).status
      }
      #expect(final == 200)
      let heard = try await group.reduce(into: [[Event]]()) { $0.append($1) }
      for post in loaded.posts.dropLast() {
        let expected = hearts.count { $0.key.post == post && $0.value }
        for server in servers {
          let shown = try await runOnThread {
            try LoadConnection(port: server.port).ask("GET", "/posts/\(post)").value(Shown.self).favourites
          }
          #expect(shown == expected, "Post \(post)")
        }
        #expect(heard.first?.last { $0.post == post }?.count == expected, "Events of post \(post)")
      }
      return heard
    }
    #expect(heard.count == 2 * Self.listenersOfEach)
    // A server may greet its listeners before it has received the last event of the other one.
    let start = heard.compactMap { $0.first?.id }.max() ?? 0
    // All are equal, so those of both servers heard the same, and none missed an event that another one received.
    #expect(Set(heard.map { $0.filter { ($0.id ?? 0) > start } }).count == 1)
    for events in heard {
      let ids = events.compactMap(\.id)
      #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 + 1 == $1 })
      #expect(ids.count > Self.changes / 4)
    }
    for server in servers { #expect(try await server.end() == 0) }
  }

  /// Returns the greeting and the events after it, up to a heart of the last post.
  private static func events(
    _ bytes: URLSession.AsyncBytes, until last: Int64, greeted: () -> Void
  ) async throws -> [Event] {
    var events: [Event] = []
    for try await line in bytes.lines {
      let event = try JSONDecoder().decode(Event.self, from: Data(line.utf8))
      // A listener that reads immediately must not lose events.
      if event.kind == "lost" { throw TestSupportError("The listener lost events") }
      if event.kind == "hello" { greeted() }
      if event.id != nil { events.append(event) }
      if event.kind == "favourites", event.post == last { return events }
    }
    throw TestSupportError("The events ended too early")
  }
}
