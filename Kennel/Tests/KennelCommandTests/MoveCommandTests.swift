import Foundation
import KennelTestSupport
import PostgresTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// `kennel move` with PostgreSQL and a store that checks signatures.
@Suite(
  .serialized, .enabled(if: PostgresServer.isAvailable && StoreServer.isAvailable),
  .enabled(if: TestWorld.hasFiles, "it begins with a kennel in SQLite and a directory"),
  .timeLimit(.minutes(20)))
struct MoveCommandTests {
  private static let lives = KillCount.value(normally: 10)
  private static let postCount = 60

  private struct Places {
    var kennel: Kennel
    var address: String
    var store: String

    /// The settings of the kennel after its move.
    mutating func use(database: Bool) { kennel.environment["KENNEL_DATABASE"] = database ? address : nil }

    /// Whether the kennel is in PostgreSQL and the store. A move that was cut in the switch is completed by the next command.
    mutating func completeAndFindPlace() async throws -> Bool {
      try FileSwitch.complete(in: kennel.data)
      let isMoved = FileManager.default.fileExists(atPath: kennel.data + "/records-in-postgresql")
      #expect(isMoved != FileManager.default.fileExists(atPath: kennel.data + "/kennel.sqlite"))
      #expect(isMoved == FileManager.default.fileExists(atPath: kennel.data + "/photos.store"))
      use(database: isMoved)
      return isMoved
    }

    var there: [String] { ["move", "--to-database", address, "--to-photos", store] }
    let back = ["move", "--to-database", "sqlite", "--to-photos", "directory"]
  }

  private func makePlaces() async throws -> Places {
    let server = try StoreServer.shared.get()
    let bucket = "dogs-move-\(UInt64.random(in: 0 ... .max))"
    _ = try await server.store(bucket, "kennel")
    var kennel = try await Kennel.withOwner()
    kennel.environment["AWS_ACCESS_KEY_ID"] = server.credentials.accessKey
    kennel.environment["AWS_SECRET_ACCESS_KEY"] = server.credentials.secretKey
    try await withStore(in: kennel.directory) { store in
      let ada = try #require(try await store.accounts.user(named: "Ada"))
      for number in 0..<Self.postCount {
        try await store.addPost(number, by: ada, caption: "Post \(number)")
      }
    }
    return Places(
      kennel: kennel, address: try #require(try await RecordsKind.postgres.makeDatabase()),
      store: try server.location(bucket, "kennel").description)
  }

  @Test func `a kennel moves to PostgreSQL and a store, and back`() async throws {
    var places = try await makePlaces()
    let there = try await places.kennel.run(places.there)
    #expect(there.status == 0, "\(there.errors)")
    #expect(there.output.contains("\(Self.postCount) files of photos"), "\(there.output)")
    #expect(there.errors.contains("Set database in kennel.conf, or KENNEL_DATABASE"))
    // Without its setting, the kennel says what is missing.
    let lost = try await places.kennel.run("check")
    #expect(lost.status != 0 && lost.errors.contains("Set KENNEL_DATABASE"))
    places.use(database: true)
    let check = try await places.kennel.run("check")
    #expect(check.output == "\(Self.postCount) photos: no problems found.\n", "\(check.errors)")
    let back = try await places.kennel.run(places.back)
    #expect(back.status == 0, "\(back.errors)")
    let refused = try await places.kennel.run("check")
    #expect(refused.status != 0 && refused.errors.contains("Leave out --database and KENNEL_DATABASE"))
    places.use(database: false)
    let second = try await places.kennel.run("check")
    #expect(second.output == "\(Self.postCount) photos: no problems found.\n", "\(second.errors)")
  }

  @Test func `a running server is not moved`() async throws {
    let places = try await makePlaces()
    let server = try await places.kennel.start("serve", "--port", "0")
    let result = try await places.kennel.run(places.there)
    #expect(result.status != 0 && result.errors.contains("is in use. Stop its server"), "\(result.errors)")
    #expect(try await server.end() == 0)
    #expect(try await places.kennel.run(places.there).status == 0)
  }

  @Test func `a move that is killed goes on, and the kennel is complete after each kill`() async throws {
    var places = try await makePlaces()
    var random = SeededRandom(0x6d6f_7665)
    let duration = try await places.kennel.duration(of: places.there)
    var isMoved = try await places.completeAndFindPlace()
    #expect(isMoved)
    for life in 1...Self.lives {
      // A database that was left is used again, and so is the store.
      try await places.kennel.kill(
        isMoved ? places.back : places.there, after: duration * Double.random(in: 0..<1.2, using: &random))
      isMoved = try await places.completeAndFindPlace()
      let check = try await places.kennel.run("check")
      #expect(
        check.output == "\(Self.postCount) photos: no problems found.\n", "life \(life): \(check.errors)")
    }
    let last = try await places.kennel.run(isMoved ? places.back : places.there)
    #expect(last.status == 0, "\(last.errors)")
    _ = try await places.completeAndFindPlace()
    let check = try await places.kennel.run("check")
    #expect(check.output == "\(Self.postCount) photos: no problems found.\n", "\(check.errors)")
  }

  @Test func `a backup moves between the worlds`() async throws {
    var places = try await makePlaces()
    #expect(try await places.kennel.run(places.there).status == 0)
    places.use(database: true)
    let backups = places.kennel.directory.path("backups")
    let backup = try await places.kennel.run("backup", "--to", backups)
    #expect(backup.status == 0 && backup.output.contains("\(Self.postCount) photos"), "\(backup.errors)")
    // Into a directory.
    places.use(database: false)
    let elsewhere = places.kennel.directory.path("elsewhere")
    let restored = try await places.kennel.run("restore", backups, "--data", elsewhere)
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try await places.kennel.run("check", "--data", elsewhere).status == 0)
    // Into another database and another part of the store.
    let second = try #require(try await RecordsKind.postgres.makeDatabase())
    let third = places.kennel.directory.path("third")
    let again = try await places.kennel.run(
      "restore", backups, "--data", third, "--database", second, "--photos",
      places.store.replacing("/kennel/?", with: "/other/?"))
    #expect(again.status == 0, "\(again.errors)")
    places.kennel.environment["KENNEL_DATABASE"] = second
    let check = try await places.kennel.run("check", "--data", third)
    #expect(check.output == "\(Self.postCount) photos: no problems found.\n", "\(check.errors)")
  }

  @Test func `a move without a place, or to a wrong one, is refused`() async throws {
    let kennel = try await Kennel.withOwner()
    let without = try await kennel.run("move")
    #expect(without.status == 2 && without.errors.contains("--to-database, --to-photos or both"))
    let same = try await kennel.run("move", "--to-database", "sqlite")
    #expect(same.status != 0 && same.errors.contains("already"))
    let photos = try await kennel.run("move", "--to-photos", "directory")
    #expect(photos.status != 0 && photos.errors.contains("already"))
    let wrong = try await kennel.run("move", "--to-database", "postgres://ada:secret@[x/dogs")
    #expect(wrong.status != 0 && wrong.errors.contains("The address of the database is not valid"))
    #expect(!wrong.errors.contains("secret"))
  }
}
