import Foundation
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(1))) struct SyncTests {
  @Test func whatAnotherKennelSharesIsTakenOnce() async throws {
    let there = try await Kennel.withOwner()
    try there.writePhotos(2)
    _ = try await there.run("import", there.directory.path("photos"))
    let server = try await there.start("serve", "--port", "0")
    let here = try await Kennel.withOwner()
    let first = try await here.run("sync", server.address, "--allow-private")
    #expect(first.status == 0 && first.output.contains(": 2 new posts, "), "\(first.errors)")
    let second = try await here.run("sync", server.address, "--allow-private")
    #expect(second.output.hasSuffix(": 0 new posts\n"))
    #expect(try await here.run("check").output == "2 photos: all is well.\n")
    #expect(try await server.end() == 0)
  }

  @Test func privateAddressesAreLeftAloneUnlessAskedFor() async throws {
    let here = try await Kennel.withOwner()
    let refused = try await here.run("sync", "http://127.0.0.1:9/")
    #expect(refused.status != 0 && refused.errors.hasPrefix("kennel: 127.0.0.1:9: "))
    let nonsense = try await here.run("sync", "ftp://dogs.example")
    #expect(nonsense.status == 2)
  }
}
