import Foundation
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct CheckTests {
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
}
