import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct AlbumCommandTests {
  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `albums are made, filled, listed and deleted`() async throws {
    let kennel = try await Kennel.withOwner()
    let store = try await kennel.openStore()
    let ada = try #require(try await store.accounts.user(named: "Ada"))
    for number in 1...3 { try await store.addPost(number, by: ada) }
    await store.close()
    #expect(try await kennel.run("album").output == "")
    let made = try await kennel.run("album", "create", "Summer\nat the lake", "--open")
    #expect(made.status == 0 && made.output == "Album 1 was created for Ada.\n")
    let added = try await kennel.run("album", "add", "1", "3", "1", "99")
    #expect(added.status == 0 && added.output == "2 photos were added to Summer at the lake.\n")
    #expect(added.errors.contains("The others are in the album already, or do not exist."))
    #expect(try await kennel.run("album", "list").output == "1\t2\tAda\tSummer at the lake\n")
    let removed = try await kennel.run("album", "remove", "1", "3")
    #expect(removed.status == 0 && removed.output == "1 photo was removed from Summer at the lake.\n")
    #expect(
      try await kennel.run("album", "rename", "1", "Winter").output == "Album 1 is now called Winter.\n")
    #expect(try await kennel.run("album").output == "1\t1\tAda\tWinter\n")
    let gone = try await kennel.run("album", "delete", "1")
    #expect(gone.status == 0 && gone.output == "The album was deleted. Its photos stay.\n")
    let again = try await kennel.run("album", "delete", "1")
    #expect(again.status == 1 && again.errors.contains("The album does not exist."))
    #expect(try await kennel.run("check").output == "3 photos: no problems found.\n")
  }

  @Test(arguments: [
    ["lst"], ["list", "1"], ["create"], ["create", "two", "words"], ["rename", "1"], ["rename", "x", "y"],
    ["add", "1"],
    ["add", "x", "1"], ["add", "1", "x"], ["remove", "1", "0"], ["delete"], ["delete", "x"],
  ])
  func `other uses are explained`(arguments: [String]) async throws {
    let kennel = try await Kennel.withOwner()
    let result = try await kennel.run(["album"] + arguments)
    #expect(result.status == 2 && result.output.isEmpty && !result.errors.isEmpty)
  }

  @Test func `links to albums are listed`() async throws {
    let kennel = try await Kennel.withOwner()
    #expect(try await kennel.run("album", "create", "Lake").status == 0)
    let store = try await kennel.openStore()
    _ = try await store.posts.makeLink(to: .album(1), by: 1, lifetime: nil)
    await store.close()
    #expect(try await kennel.run("links").output.hasPrefix("1  album 1  by Ada  made "))
    #expect(try await kennel.run("links", "revoke", "1").status == 0)
  }
}
