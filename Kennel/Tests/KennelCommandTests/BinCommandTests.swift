import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct BinCommandTests {
  @Test func `the bin is listed, restored from, and emptied`() async throws {
    let kennel = try await Kennel.withOwner()
    let store = try await kennel.openStore()
    let ada = try #require(try await store.accounts.user(named: "Ada"))
    for number in 1...3 {
      let post = try await store.addPost(number, by: ada, caption: "Dog \(number)\nand more")
      try await store.posts.moveToBin(post.id, by: ada.id)
    }
    await store.close()
    let list = try await kennel.run("bin", "list")
    let lines = list.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(list.status == 0 && lines.map(\.[0]) == ["3", "2", "1"])
    #expect(lines[0][1].count == 10 && lines[0][2] == "Ada" && lines[0][3] == "Dog 3")
    let restored = try await kennel.run("bin", "restore", "2")
    #expect(restored.status == 0 && restored.output == "Post 2 by Ada is restored.\n")
    let again = try await kennel.run("bin", "restore", "2")
    #expect(again.status == 1 && again.errors.contains("The post is not in the bin."))
    let unasked = try await kennel.run("bin", "empty")
    #expect(unasked.status == 2 && unasked.errors.contains("--yes"))
    let emptied = try await kennel.run("bin", "empty", "--yes")
    #expect(emptied.status == 0 && emptied.output == "2 posts were deleted.\n")
    #expect(try await kennel.run("bin", "list").output == "")
    if TestWorld.hasFiles {
      #expect(try await kennel.run("check").output == "1 photo: no problems found.\n")
    }
  }

  @Test(arguments: [["lst"], ["restore"], ["restore", "x"], ["list", "3"], ["empty", "3"]])
  func `other uses are explained`(arguments: [String]) async throws {
    let kennel = try await Kennel.withOwner()
    let result = try await kennel.run(["bin"] + arguments)
    #expect(result.status == 2 && result.output.isEmpty && !result.errors.isEmpty)
  }
}
