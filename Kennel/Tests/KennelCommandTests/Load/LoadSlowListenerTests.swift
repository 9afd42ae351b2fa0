import Foundation
import TestSupport
import Testing

/// A client that requests events and does not read them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoadSlowListenerTests {
  private static let users = 12
  private static let hearts = 600

  /// Uses a Unix socket, because the system buffers little for a slow reader there, on any machine.
  @Test func `a listener that does not read loses events, is notified, and delays nobody`() async throws {
    let loaded = try await LoadedKennel(users: Self.users, posts: 3)
    let path = loaded.kennel.directory.path("http.sock")
    let server = try await loaded.kennel.start("serve", "--unix-socket", path)
    let end = "\"post\":\(loaded.posts[2]),"
    let (sleeper, reader) = try await runOnThread {
      (
        try SendableConnection(LoadConnection(listeningAt: path)),
        try SendableConnection(LoadConnection(listeningAt: path))
      )
    }
    async let heard = runOnThread { try Self.lines(of: reader.connection, until: end) }
    _ = try await onThreads(Self.users) { try Self.tap($0, loaded, path) }
    let last = try await runOnThread {
      try LoadConnection(socket: path)
        .ask("PUT", "/posts/\(loaded.posts[2])/favourite", fields: loaded.cookies[0]).status
    }
    #expect(last == 200)
    // The listener that reads has received every event.
    let awake = try await heard
    #expect(!awake.contains { $0.contains(#""kind":"lost""#) })
    #expect(awake.count { $0.contains(#""kind":"favourites""#) } == Self.users * Self.hearts + 1)

    let late = try await runOnThread { try Self.lines(of: sleeper.connection, until: end) }
    #expect(late.count { $0.contains(#""kind":"lost""#) } == 1)
    #expect(late.count < awake.count)
    #expect(try await server.end() == 0)
  }

  /// Adds and removes a heart repeatedly; each request is a change.
  private static func tap(_ user: Int, _ loaded: LoadedKennel, _ path: String) throws {
    let connection = try LoadConnection(socket: path)
    for number in 0..<hearts {
      let answer = try connection.ask(
        number % 2 == 0 ? "PUT" : "DELETE", "/posts/\(loaded.posts[user % 2])/favourite",
        fields: loaded.cookies[user])
      guard answer.status == 200 else { throw TestSupportError("\(answer)") }
    }
  }

  private static func lines(of connection: LoadConnection, until end: String) throws -> [String] {
    var lines: [String] = []
    while lines.last?.contains(end) != true { lines.append(try connection.text(through: "\n")) }
    return lines
  }
}

/// A connection that one thread passes to another.
// Only one thread uses it at a time.
private final class SendableConnection: @unchecked Sendable {
  let connection: LoadConnection

  init(_ connection: LoadConnection) { self.connection = connection }
}

extension LoadConnection {
  /// Connects to the events, and waits for the greeting. Uses HTTP/1.0, so that no chunks split the lines.
  fileprivate convenience init(listeningAt path: String) throws {
    try self.init(socket: path)
    try send(Array("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
    _ = try text(through: "hello")
  }
}
