import Foundation
import Glibc
import KennelModel
import Retriever
import TestSupport
import Testing

@testable import HTTPService
@testable import KennelCommand

/// `kennel links`, `kennel peer`, and a sync with a token.
@Suite(.timeLimit(.minutes(5))) struct LinksAndPeersTests {
  private static func closed() async throws -> Kennel {
    var kennel = try await Kennel.withOwner()
    kennel.environment["KENNEL_PUBLIC"] = nil
    return kennel
  }

  /// Makes a link to the first post, and returns its path.
  private func makeLink(in kennel: Kennel) async throws -> String {
    let store = try await kennel.openStore()
    let ada = try #require(try await store.accounts.user(named: "Ada"))
    let token = try await store.posts.makeLink(to: .post(1), by: ada.id, lifetime: nil).token.text
    await store.close()
    return "/s/\(token)"
  }

  @Test func `links are listed and revoked, and are not in the log`() async throws {
    let kennel = try await Self.closed()
    try kennel.writePhotos(1)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    let path = try await makeLink(in: kennel)
    let list = try await kennel.run("links")
    #expect(
      list.output.hasPrefix("1  photo 1  by Ada  made ")
        && list.output.hasSuffix("works until it is revoked\n"))
    let server = try await kennel.start("serve", "--port", "0", "--log")
    for (place, status) in [(path, 200), (path + "/photo", 200), ("/s/\(String(path.dropFirst(4)))x", 404)] {
      let (_, response) = try await URLSession.shared.data(from: server.url(place))
      #expect((response as? HTTPURLResponse)?.statusCode == status)
    }
    #expect(try await kennel.run("links", "revoke", "1").output == "The link was revoked.\n")
    let (_, response) = try await URLSession.shared.data(from: server.url(path))
    #expect((response as? HTTPURLResponse)?.statusCode == 404)
    #expect(try await server.end() == 0)
    #expect(kennel.serverErrors.components(separatedBy: "GET /s/*** 200").count > 2)
    #expect(!kennel.serverErrors.contains(path.dropFirst(4)))
    #expect(try await kennel.run("links", "list").errors.contains("There are no links."))
    for (words, status) in [(["revoke"], 2), (["revoke", "x"], 2), (["revoke", "1"], 1), (["remove"], 2)] {
      let result =
        words.count == 1
        ? try await kennel.run("links", words[0]) : try await kennel.run("links", words[0], words[1])
      #expect(result.status == Int32(status), "\(words)")
    }
  }

  @Test func `a closed kennel is copied from with a token`() async throws {
    let there = try await Self.closed()
    try there.writePhotos(2)
    _ = try await there.run("import", there.directory.path("photos"))
    let server = try await there.start("serve", "--port", "0")
    var here = try await Kennel.withOwner()
    let refused = try await here.run("sync", server.address, "--allow-private")
    #expect(refused.status == 1 && refused.errors.contains("kennel peer add NAME"), "\(refused.errors)")
    let added = try await there.run("peer", "add", "Hounds")
    let token = added.output.trimmingCharacters(in: .newlines)
    #expect(PeerToken(token) != nil && added.errors.contains("shown only now"))
    #expect(try await there.run("peer", "list").output.hasSuffix("not here yet\n"))
    try here.directory.write(Data((token + "\n").utf8), to: "token")
    let path = here.directory.path("token")
    let first = try await here.run("sync", server.address, "--allow-private", "--token-file", path)
    #expect(first.status == 0 && first.output.contains(": 2 new posts"), "\(first.errors)")
    #expect(try await there.run("peer", "list").output.contains("last here"))
    here.environment["KENNEL_PEER_TOKEN"] = token
    #expect(try await here.run("sync", server.address, "--allow-private").output.hasSuffix(": 0 new posts\n"))
    // A token is never sent to a second kennel.
    let two = try await here.run("sync", server.address, "http://127.0.0.1:1")
    #expect(two.status == 2 && two.errors.contains("belongs to one kennel"))
    here.environment["KENNEL_PEER_TOKEN"] = "secret"
    let wrong = try await here.run("sync", server.address)
    #expect(
      wrong.status == 2 && wrong.errors.contains("KENNEL_PEER_TOKEN") && !wrong.errors.contains("“secret”"))
    #expect(try await here.run("sync", server.address, "--token-file", "/nonexistent").status == 8)
    #expect(try await there.run("peer", "remove", "Hound").errors.contains("Did you mean Hounds?"))
    #expect(try await there.run("peer", "remove", "Hounds").status == 0)
    here.environment["KENNEL_PEER_TOKEN"] = token
    #expect(try await here.run("sync", server.address, "--allow-private").status == 1)
    #expect(try await server.end() == 0)
  }
}
