import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelCommand
@testable import KennelModel
@testable import KennelStorage

/// A kennel whose photos are in a store that checks signatures.
@Suite(.timeLimit(.minutes(5))) struct StoredPhotosCommandTests {
  private func location(_ server: StoreServer, _ bucket: String) throws -> String {
    try server.location(bucket, "kennel").description
  }

  @Test(.enabled(if: StoreServer.isAvailable))
  func `after kennel serve has chosen a store, all commands use it`() async throws {
    let server = try StoreServer.shared.get()
    let bucket = "dogs-command-\(UInt64.random(in: 0 ... .max))"
    let objects = try await server.store(bucket, "kennel")
    var kennel = try await Kennel.withOwner()
    kennel.environment["AWS_ACCESS_KEY_ID"] = server.credentials.accessKey
    kennel.environment["AWS_SECRET_ACCESS_KEY"] = server.credentials.secretKey
    let serving = try await kennel.start(
      "serve", "--port", "0", "--photos", try location(server, bucket), "--photo-cache", "1Mi")
    serving.child.stop()
    try kennel.writePhotos(3)
    let imported = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(imported.status == 0 && imported.output == "3 photos posted by Ada\n")
    var count = 0
    for try await object in objects.objects() where PhotoHash(object.key) != nil { count += 1 }
    #expect(count == 3)
    let names = try FileManager.default.contentsOfDirectory(atPath: kennel.data + "/photos")
    #expect(names == ["incoming"])
    let check = try await kennel.run("check")
    #expect(check.status == 0 && check.output == "3 photos: no problems found.\n")
    let backup = try await kennel.run("backup", kennel.directory.path("kennel.tar"))
    #expect(backup.status == 0)
    // Without credentials, nothing is changed, and the secret is nowhere.
    kennel.environment["AWS_SECRET_ACCESS_KEY"] = nil
    let refused = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(refused.status == 2 && refused.errors.contains("AWS_SECRET_ACCESS_KEY"))
  }

  @Test func `an address of a store that is not valid is refused`() async throws {
    let kennel = try await Kennel.withOwner()
    let result = try await kennel.run("serve", "--port", "0", "--photos", "https://dogs")
    #expect(result.status == 2)
    #expect(result.errors.contains("--photos is not valid. The address of the store is not valid"))
  }
}
