import Foundation
import Glibc
import TestSupport
import Testing

/// Five thousand clients listen to one kennel.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoadListenersTests {
  private static let listeners = 5_000

  @Test(
    .enabled(
      if: DescriptorLimit.allows(listeners + 500), "ulimit -Hn does not allow \(listeners + 500) open files"))
  func `five thousand listeners receive an event within a second and need no threads`() async throws {
    let loaded = try await LoadedKennel(users: 1, posts: 1)
    let server = try await loaded.kennel.start(
      "serve", "--port", "0", "--max-connections-per-address", "\(Self.listeners + 100)")
    let port = server.port
    let heart = "/posts/\(loaded.posts[0])/favourite"
    let outcome = try await runOnThread {
      let hand = try LoadConnection(port: port)
      func tap(_ method: String) throws {
        let answer = try hand.ask(method, heart, fields: loaded.cookies[0])
        guard answer.status == 200 else { throw TestSupportError("\(answer)") }
      }
      let one = try ListeningCrowd(1, port: port)
      for method in ["PUT", "DELETE"] { _ = try one.time(toHear: "favourites") { try tap(method) } }
      let threadsOfOne = server.threadCount
      let crowd = try ListeningCrowd(Self.listeners, port: port)
      // Other work on the machine may delay some of them.
      let times = try ["PUT", "DELETE", "PUT", "DELETE", "PUT"].map { method in
        try crowd.time(toHear: "favourites") { try tap(method) }
      }
      return (threadsOfOne, server.threadCount, times)
    }
    let (threadsOfOne, threads, times) = outcome
    #expect(threads <= threadsOfOne + 2)
    #expect(try #require(times.min()) < .seconds(1), "\(times)")
    #expect(try await server.end() == 0)
  }
}

/// Many listeners on one thread.
private final class ListeningCrowd {
  private let connections: [LoadConnection]

  /// Connects the listeners, and returns when all of them have received the greeting.
  init(_ count: Int, port: Int) throws {
    connections = try (0..<count).map { _ in try LoadConnection(port: port) }
    let request = Array("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8)
    for connection in connections { try connection.send(request) }
    try hear("hello")
  }

  /// Returns the time from the start of the action until the last listener has received the event.
  func time(toHear word: String, _ body: () throws -> Void) throws -> Duration {
    let start = ContinuousClock.now
    try body()
    try hear(word)
    return ContinuousClock.now - start
  }

  private func hear(_ word: String) throws {
    let wanted = Array(word.utf8)
    var waiting = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    var left = waiting.count
    // A word may arrive in several pieces.
    var texts: [Int: [UInt8]] = [:]
    var bytes = [UInt8](repeating: 0, count: 4096)
    while left > 0 {
      guard poll(&waiting, nfds_t(waiting.count), 20_000) > 0 else {
        throw TestSupportError("\(left) of \(connections.count) listeners did not receive \(word)")
      }
      for index in waiting.indices where waiting[index].revents != 0 {
        let count = recv(waiting[index].fd, &bytes, bytes.count, 0)
        guard count > 0 else { throw TestSupportError("A listener's connection was closed") }
        let text = (texts[index] ?? []) + bytes[..<count]
        texts[index] = text
        let isHeard = text.firstIndex(of: wanted) != nil
        // A listener that has received the complete line is not polled again.
        guard isHeard, text.last == UInt8(ascii: "\n") else { continue }
        waiting[index].fd = -1
        left -= 1
      }
    }
  }
}
