import Foundation
import KennelStorage
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelCommand

@Suite(
  .enabled(if: TestWorld.hasFiles, "it is about files in a directory"), .timeLimit(.minutes(5)))
struct CheckTests {
  private func kennelWithPhotos() async throws -> Kennel {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(2)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    return kennel
  }

  private func photos(_ kennel: Kennel) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: URL(fileURLWithPath: kennel.data + "/photos"), includingPropertiesForKeys: nil
    ).filter { $0.lastPathComponent.count == 64 }
  }

  @Test func `check reports a missing photo`() async throws {
    let kennel = try await kennelWithPhotos()
    try FileManager.default.removeItem(at: try #require(try photos(kennel).first))
    let result = try await kennel.run("check")
    #expect(result.status == 1 && result.output.contains("is missing"))
    #expect(result.output.hasSuffix("2 photos: 1 problem found.\n"))
  }

  @Test func `check reports an altered photo, but not with the option quick`() async throws {
    let kennel = try await kennelWithPhotos()
    let photo = try #require(try photos(kennel).first)
    var bytes = try Data(contentsOf: photo)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: photo)
    #expect(try await kennel.run("check", "--quick").status == 0)
    let result = try await kennel.run("check")
    #expect(result.status == 1 && result.output.contains("was altered"))
  }

  @Test func `check removes photos without a post only with the option repair`() async throws {
    let kennel = try await kennelWithPhotos()
    let orphan = URL(fileURLWithPath: kennel.data + "/photos/" + String(repeating: "ab", count: 32))
    try Data("orphan".utf8).write(to: orphan)
    let found = try await kennel.run("check")
    #expect(found.status == 1 && found.output.contains("is not used by any post"))
    let repaired = try await kennel.run("check", "--repair")
    #expect(
      repaired.status == 0
        && repaired.output == "2 photos: no problems found. 1 photo without a post was removed.\n")
    #expect(!FileManager.default.fileExists(atPath: orphan.path))
  }

  @Test func `check and the server report photos of earlier versions, and the server changes them`()
    async throws
  {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(1)
    let source = kennel.directory.file("photos/rex_at-the-beach.jpg")
    var bytes = try Data(contentsOf: source)
    bytes.insert(contentsOf: [0xff, 0xfe, 0, 9] + Array("secret!".utf8), at: 2)
    try bytes.write(to: source)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(try photos(kennel).count == 2)
    // As an earlier version stored it.
    let hash = try #require(PhotoHash(bytes: Sodium.sha256(Array(bytes))))
    try bytes.write(to: URL(fileURLWithPath: kennel.data + "/photos/\(hash)"))
    let database = try Connection(
      path: kennel.data + "/kennel.sqlite", access: .copying, busyTimeout: .seconds(5))
    try database.run(
      """
      INSERT INTO photos (hash, bytes, width, height, format, thumbhash)
      SELECT ?, ?, width, height, format, thumbhash FROM photos
      """,
      .blob(hash.bytes), .integer(Int64(bytes.count)))
    try database.run(
      "UPDATE posts SET photo = ?, metadata = NULL, original = NULL, part = NULL", .blob(hash.bytes))
    try database.script("DELETE FROM parts; DELETE FROM photos WHERE hash NOT IN (SELECT photo FROM posts)")
    #expect(
      try await kennel.run("check", "--repair").errors.contains("1 post has a photo of an earlier version."))
    let server = try await kennel.start("serve", "--port", "0")
    #expect(
      await eventually {
        kennel.serverErrors.contains("was taken out of the photos of 1 post. The authors still get it")
      })
    #expect(try await server.end() == 0)
    for file in try photos(kennel) {
      #expect(try Data(contentsOf: file) != bytes)
    }
    let result = try await kennel.run("check")
    #expect(result.output == "1 photo: no problems found.\n" && result.errors.isEmpty)
  }
}
