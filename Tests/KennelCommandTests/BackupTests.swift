import Foundation
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(1))) struct BackupTests {
  @Test func aBackupMadeWhileTheKennelIsServedIsAWholeKennel() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(2)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    let server = try await kennel.start("serve", "--port", "0")
    let file = kennel.directory.path("kennel.tar")
    let backup = try await kennel.run("backup", file)
    #expect(backup.status == 0 && backup.output.hasPrefix("\(file): 2 photos, "), "\(backup.errors)")
    #expect(try await server.end() == 0)
    let elsewhere = kennel.directory.path("elsewhere/kennel")
    #expect(try await kennel.run("restore", file, "--data", elsewhere).status == 0)
    #expect(try await kennel.run("check", "--data", elsewhere).output == "2 photos: all is well.\n")
    #expect(try await kennel.run("user", "list", "--data", elsewhere).output.hasPrefix("Ada  owner"))
    let refused = try await kennel.run("restore", file)
    #expect(refused.status != 0 && !refused.errors.isEmpty, "there is a kennel already")
  }

  @Test func whatIsNoBackupIsRefused() async throws {
    let kennel = try Kennel()
    try kennel.directory.write(Data("no backup".utf8), to: "kennel.tar")
    let result = try await kennel.run("restore", kennel.directory.path("kennel.tar"))
    #expect(result.status != 0 && result.errors.hasPrefix("kennel: "))
    #expect(!FileManager.default.fileExists(atPath: kennel.data + "/kennel.sqlite"))
  }
}
