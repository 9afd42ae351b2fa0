import Foundation
import Glibc
import KennelStorage
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelCommand

/// `kennel check` creates, changes and removes nothing, not even the times of a file.
@Suite(
  .enabled(if: TestWorld.hasFiles, "it is about SQLite's files"), .timeLimit(.minutes(5)))
struct CheckReadsOnlyTests {
  private static let clean = "2 photos: no problems found.\n"

  private func kennelWithPhotos() async throws -> Kennel {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(2)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    return kennel
  }

  /// Runs a check. Expects that no file has changed, except for those that the server changes.
  private func check(
    _ kennel: Kennel, except isIgnored: (String) -> Bool = { _ in false }
  ) async throws -> Kennel.Result {
    let before = try kennel.files()
    let result = try await kennel.run("check")
    #expect(Kennel.changes(before, try kennel.files()).filter { !isIgnored($0) } == [])
    return result
  }

  @Test func `check changes nothing in a kennel that nobody uses`() async throws {
    let kennel = try await kennelWithPhotos()
    #expect(try kennel.files().keys.contains("kennel.sqlite-wal") == false)
    #expect(try await check(kennel).output == Self.clean)
  }

  @Test func `check changes nothing while the kennel is served, and after the server was killed`()
    async throws
  {
    let kennel = try await kennelWithPhotos()
    let server = try await kennel.start("serve", "--port", "0")
    _ = try await kennel.run("user", "add", "Grace", "--password-stdin", input: "tennis ball\n")
    // The server notes its own reads in the index.
    #expect(try await check(kennel) { $0.hasSuffix("-shm") }.output == Self.clean)
    #expect(try await server.end(SIGKILL) == -SIGKILL)
    try kennel.directory.write(Data("half a photo".utf8), to: "data/photos/incoming/abc.part")
    #expect(try kennel.files()["kennel.sqlite-wal"]?.contents?.isEmpty == false)
    #expect(try await check(kennel).output == Self.clean)
    // The log is read: the account is not in the database file.
    #expect(try await kennel.run("user", "list").output.contains("Grace"))
    #expect(try kennel.files()["photos/incoming/abc.part"] == nil)
  }

  @Test func `check reads the log of a killed process`() async throws {
    let kennel = try await kennelWithPhotos()
    let server = try await kennel.start("serve", "--port", "0")
    try kennel.writePhotos(3)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(try await server.end(SIGKILL) == -SIGKILL)
    #expect(try await check(kennel).output == "3 photos: no problems found.\n")
    try FileManager.default.removeItem(atPath: kennel.data + "/kennel.sqlite-shm")
    let refused = try await check(kennel)
    #expect(refused.status == 1 && refused.errors.contains("Start the server, or run kennel check --repair"))
    let repaired = try await kennel.run("check", "--repair")
    #expect(repaired.output == "3 photos: no problems found.\n")
  }

  @Test(arguments: [(1, "earlier version"), (10_000, "later version")])
  func `check refuses a database of another version, and does not migrate it`(
    version: Int, sentence: String
  ) async throws {
    let kennel = try await kennelWithPhotos()
    do {
      let database = try Connection(
        path: kennel.data + "/kennel.sqlite", access: .writing, busyTimeout: .seconds(5))
      try database.script("PRAGMA user_version = \(version)")
    }
    let result = try await check(kennel)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  @Test func `check reads a kennel that it may not change`() async throws {
    let kennel = try await kennelWithPhotos()
    let server = try await kennel.start("serve", "--port", "0")
    _ = try await kennel.run("user", "add", "Grace", "--password-stdin", input: "tennis ball\n")
    #expect(try await server.end(SIGKILL) == -SIGKILL)
    let copy = kennel.directory.path("a copy? 100%#1")
    try FileManager.default.moveItem(atPath: kennel.data, toPath: copy)
    for name in ["kennel.sqlite", "kennel.sqlite-wal", "kennel.sqlite-shm"] {
      #expect(chmod(copy + "/" + name, 0o400) == 0)
    }
    #expect(try await kennel.run("check", "--data", copy).output == Self.clean)
  }
}
