import Foundation
import KennelTestSupport
import PostgresTestSupport
import Retriever
import TestSupport
import Testing

@Suite(
  .enabled(if: PostgresServer.isAvailable),
  .enabled(if: TestWorld.hasFiles, "it is the same in both worlds"), .timeLimit(.minutes(5)))
struct PostgresCommandTests {
  private func kennel() async throws -> (kennel: Kennel, address: String) {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    var kennel = try Kennel()
    kennel.environment["KENNEL_DATABASE"] = address
    let added = try await kennel.run("user", "add", "Ada", "--password-stdin", input: "tennis ball\n")
    #expect(added.status == 0, "\(added.errors)")
    return (kennel, address)
  }

  @Test func `two servers with one database have the same posts`() async throws {
    var (kennel, address) = try await kennel()
    try kennel.writePhotos(1)
    let imported = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(imported.status == 0, "\(imported.errors)")
    let first = try await kennel.start("serve", "--port", "0")
    // An option has the same meaning as the variable.
    kennel.environment["KENNEL_DATABASE"] = nil
    let second = try await kennel.start("serve", "--port", "0", "--database", address)
    var tags: Set<String> = []
    for server in [first, second] {
      let (posts, list) = try await URLSession(configuration: .ephemeral).data(from: server.url("/posts"))
      tags.insert((list as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") ?? UUID().uuidString)
      #expect(String(decoding: posts, as: UTF8.self).contains(#""author":"Ada""#))
      let (photo, response) = try await URLSession(configuration: .ephemeral).data(
        from: server.url("/posts/1/photo"))
      #expect((response as? HTTPURLResponse)?.statusCode == 200 && !photo.isEmpty)
    }
    #expect(tags.count == 1)
    #expect(try await first.end() == 0)
    #expect(try await second.end() == 0)
    #expect(!FileManager.default.fileExists(atPath: kennel.data + "/kennel.sqlite"))
  }

  @Test func `check and backup work with PostgreSQL, and without its address they ask for it`() async throws {
    var (kennel, _) = try await kennel()
    try kennel.writePhotos(2)
    #expect(try await kennel.run("import", kennel.directory.path("photos")).status == 0)
    let check = try await kennel.run("check")
    #expect(check.output == "2 photos: no problems found.\n", "\(check.errors)")
    let backup = try await kennel.run("backup", kennel.directory.path("dogs.tar"))
    #expect(backup.status == 0 && backup.output.contains("2 photos"), "\(backup.errors)")
    kennel.environment["KENNEL_DATABASE"] = nil
    for command in [["user", "list"], ["check"], ["backup", kennel.directory.path("dogs.tar")]] {
      let result = try await kennel.run(command)
      #expect(result.status != 0 && result.errors.contains("Set KENNEL_DATABASE"), "\(result.errors)")
    }
  }

  @Test func `a demonstration does not use the database of a kennel`() async throws {
    let (kennel, _) = try await kennel()
    let server = try await kennel.start("demo", "--dogs", "1", "--port", "0")
    #expect(try await server.end() == 0)
    #expect(try await kennel.run("user", "list").output.split(separator: "\n").count == 1)
  }

  @Test func `no message contains the password of the database`() async throws {
    let kennel = try Kennel()
    let result = try await kennel.run("serve", "--port", "0", "--database", "postgres://ada:secret@[x/dogs")
    #expect(result.status != 0 && result.errors.contains("The address of the database is not valid"))
    #expect(!result.errors.contains("secret") && !result.output.contains("secret"))
  }
}
