import Foundation
import TestSupport
import Testing

/// One who asks for events and does not read them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoadSlowListenerTests {
  private static let users = 12
  private static let hearts = 600

  /// On a Unix socket: there the system holds little for a side that lags behind, whatever the machine's settings are.
  @Test func aListenerThatDoesNotReadIsToldThatItLostSomeAndHoldsUpNobody() async throws {
    let loaded = try await LoadedKennel(users: Self.users, posts: 3)
    let path = loaded.kennel.directory.path("http.sock")
    let server = try await loaded.kennel.start("serve", "--unix-socket", path)
    let end = "\"post\":\(loaded.posts[2]),"
    let (sleeper, reader) = try await offThePool {
      (try Parked(LoadConnection(listeningAt: path)), try Parked(LoadConnection(listeningAt: path)))
    }
    async let heard = offThePool { try Self.lines(of: reader.connection, until: end) }
    _ = try await onThreads(Self.users) { try Self.tap($0, loaded, path) }
    let last = try await offThePool {
      try LoadConnection(socket: path)
        .ask("PUT", "/posts/\(loaded.posts[2])/favourite", fields: loaded.cookies[0]).status
    }
    #expect(last == 200)
    // Whoever reads has heard of each.
    let awake = try await heard
    #expect(!awake.contains { $0.contains(#""kind":"lost""#) })
    #expect(awake.count { $0.contains(#""kind":"favourites""#) } == Self.users * Self.hearts + 1)

    let late = try await offThePool { try Self.lines(of: sleeper.connection, until: end) }
    #expect(late.count { $0.contains(#""kind":"lost""#) } == 1)
    #expect(late.count < awake.count)
    #expect(try await server.end() == 0)
  }

  /// Gives a heart and takes it back, again and again: each one is a change.
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

/// A connection that one thread hands to another.
// Only one of them has it at a time.
private final class Parked: @unchecked Sendable {
  let connection: LoadConnection

  init(_ connection: LoadConnection) { self.connection = connection }
}

extension LoadConnection {
  /// To events, of which the greeting has come. Without transfer coding, so that a line stands in one piece.
  fileprivate convenience init(listeningAt path: String) throws {
    try self.init(socket: path)
    try send(Array("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
    _ = try text(through: "hello")
  }
}
