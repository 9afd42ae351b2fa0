import Foundation
import Glibc
import HTTPService
import KennelModel
import KennelWeb
import TerminalProgram
import TestSupport
import Testing

@testable import KennelCommand

/// A client that sends very slowly must not block resources that others need.
@Suite(.timeLimit(.minutes(5))) struct LoadSlowUploadTests {
  @Test func `a very slow upload is cut off and does not delay others`() async throws {
    let loaded = try await LoadedKennel(users: 1, posts: 1)
    var configuration = HTTPServerConfiguration()
    configuration.limits.maximumBodySize = KennelSite.maximumBodySize()
    configuration.limits.receivingTime = .milliseconds(500)
    configuration.limits.minimumBodyRate = 1_000
    let store = try await loaded.kennel.openStore()
    let site = try KennelSite(store: store, directory: loaded.kennel.data)
    let server = try HTTPServer(configuration: configuration)
    let running = Task { try await server.run(grace: .zero) { await site.respond(to: $0) } }

    let port = Int(server.port)
    let cookie = loaded.cookies[0]
    let photo = try SmallPicture().file(1_000)
    let (end, sent, other) = try await runOnThread {
      let slow = try LoadConnection(port: port)
      let head = "POST /posts?caption=slow HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\n"
      try slow.send(Array("\(head)\(cookie)Content-Length: \(photo.count)\r\n\r\n".utf8))
      let other = try LoadConnection(port: port)
        .ask("POST", "/posts", fields: cookie + "Content-Type: image/jpeg\r\n", body: photo).status
      return (Self.drip(photo, into: slow), photo.count, other)
    }
    #expect(other == 201)
    let dripped = try #require(end)
    #expect(dripped < sent)
    let posts = try await store.posts.page(limit: 10)
    #expect(!posts.contains { $0.caption == "slow" })

    running.cancel()
    _ = await running.result
    await site.close()
    await store.close()
  }

  /// Sends single bytes slowly. Returns how many were sent before the server closed the connection or answered; nil if
  /// it did neither.
  private static func drip(_ bytes: Data, into connection: LoadConnection) -> Int? {
    for (index, byte) in bytes.enumerated() {
      var answered = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&answered, 1, 25) > 0 { return index }
      do { try connection.send([byte]) } catch { return index }
    }
    return nil
  }
}
