import Foundation
import Glibc
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// Commands are killed at random moments. What was stored before is complete afterwards, `kennel check` finds nothing, and
/// the next run succeeds and cleans up. `KENNEL_KILLS=200` makes a long run.
@Suite(
  .enabled(if: TestWorld.hasFiles, "backups and migrations are of SQLite"), .serialized,
  .timeLimit(.minutes(20)))
struct CommandKillTests {
  private static let lives = KillCount.value(normally: 12)
  private static let postCount = 60

  @Test func `a killed backup keeps the earlier one, and leaves nothing after the next one`() async throws {
    let kennel = try await Self.filledKennel()
    let file = kennel.directory.path("kennel.tar")
    var random = SeededRandom(0x6261_636b)
    let duration = try await kennel.duration(of: ["backup", file])
    for life in 1...Self.lives {
      try await kennel.kill(["backup", file], after: duration * Double.random(in: 0..<1, using: &random))
      if life % 4 == 0 || life == Self.lives {
        try await kennel.expectClean("life \(life)")
        let elsewhere = kennel.directory.path("restored-\(life)")
        let restored = try await kennel.run("restore", file, "--data", elsewhere)
        #expect(restored.status == 0, "life \(life): \(restored.errors)")
        #expect(restored.output.contains("\(Self.postCount) photos"))
        try FileManager.default.removeItem(atPath: elsewhere)
      }
    }
    #expect(try await kennel.run("backup", file).status == 0)
    #expect(try kennel.names { $0.hasSuffix(".part") } == [])
    try await kennel.expectClean("at the end")
  }

  @Test(arguments: [false, true])
  func `a killed backup to a directory keeps all earlier ones`(isEncrypted: Bool) async throws {
    let kennel = try await Self.filledKennel()
    let directory = kennel.directory.path("backups")
    try kennel.directory.write(Data("four wet dogs\n".utf8), to: "passphrase")
    let key = isEncrypted ? ["--passphrase-file", kennel.directory.path("passphrase")] : []
    let command = ["backup", "--to", directory, "--keep", "3"] + key
    var random = SeededRandom(0x696e_6372)
    // The first backup is killed too, in a directory that does not exist.
    let duration = try await kennel.duration(of: command)
    try FileManager.default.removeItem(atPath: directory)
    var complete: Set<String> = []
    for life in 1...Self.lives {
      try await kennel.change(life)
      try await kennel.kill(command, after: duration * Double.random(in: 0..<1, using: &random))
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/snapshots")) ?? []
      #expect(complete.isSubset(of: names) || names.count >= 3, "life \(life)")
      complete = Set(names)
      guard life % 4 == 0 || life == Self.lives else { continue }
      // Each backup that is there can be restored.
      for name in names {
        let elsewhere = kennel.directory.path("restored")
        let restored = try await kennel.run(
          ["restore", directory + "/snapshots/" + name, "--data", elsewhere] + key)
        #expect(restored.status == 0, "life \(life): \(restored.errors)")
        #expect(try await kennel.run("check", "--data", elsewhere).status == 0, "life \(life)")
        try FileManager.default.removeItem(atPath: elsewhere)
      }
    }
    #expect(try await kennel.run(command).status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/incoming") == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/snapshots").count <= 3)
    try await kennel.expectClean("at the end")
  }

  @Test func `a killed restore leaves a complete kennel or none, and the next one cleans up`() async throws {
    let kennel = try await Self.filledKennel()
    let file = kennel.directory.path("kennel.tar")
    let target = kennel.directory.path("target")
    #expect(try await kennel.run("backup", file).status == 0)
    var random = SeededRandom(0x7265_7374)
    let duration = try await kennel.duration(of: ["restore", file, "--data", target])
    for life in 1...Self.lives {
      try? FileManager.default.removeItem(atPath: target)
      try await kennel.kill(
        ["restore", file, "--data", target], after: duration * Double.random(in: 0..<1, using: &random))
      guard FileManager.default.fileExists(atPath: target) else { continue }
      let check = try await kennel.run("check", "--data", target)
      #expect(
        check.output == "\(Self.postCount) photos: no problems found.\n", "life \(life): \(check.errors)")
    }
    try? FileManager.default.removeItem(atPath: target)
    #expect(try await kennel.run("restore", file, "--data", target).status == 0)
    #expect(try kennel.names { $0.contains(".restoring-") } == [])
  }

  @Test func `a killed migration loses no post, and the next start completes it`() async throws {
    let kennel = try await Self.filledKennel()
    let current = kennel.directory.path("current")
    try FileManager.default.moveItem(atPath: kennel.data, toPath: current)
    let known = try Self.captions(in: current)
    #expect(known.count == Self.postCount)
    var random = SeededRandom(0x6d69_6772)
    var duration = Duration.zero
    for life in 0...Self.lives {
      let version = 1 + life % (Migration.all.count - 1)
      try? FileManager.default.removeItem(atPath: kennel.data)
      try await Self.makeEarlierKennel(at: kennel.data, version: version, from: current)
      if life == 0 {
        duration = try await kennel.duration(of: ["user", "list"])
        continue
      }
      // One that is killed twice has what the first one left.
      for _ in 0...life % 2 {
        try await kennel.kill(["user", "list"], after: duration * Double.random(in: 0..<1, using: &random))
      }
      let before = try kennel.files()
      let check = try await kennel.run("check")
      let isExplained = ["earlier version of Kennel", "was interrupted"].contains {
        check.errors.contains($0)
      }
      #expect(check.status == 0 || isExplained, "\(check)")
      #expect(Kennel.changes(before, try kennel.files()) == [], "version \(version), life \(life)")
      #expect(try await kennel.run("user", "list").status == 0)
      try await kennel.expectClean("version \(version), life \(life)")
      #expect(try Self.captions(in: kennel.data) == known, "version \(version), life \(life)")
      let left = try FileManager.default.contentsOfDirectory(atPath: kennel.data).filter {
        $0.hasSuffix(".part")
      }
      // A complete copy may exist before the migration has begun.
      #expect(left.count <= 1 + life % 2, "version \(version), life \(life): \(left)")
    }
  }

  /// Makes a kennel with posts of small photos.
  private static func filledKennel() async throws -> Kennel {
    let kennel = try await Kennel.withOwner()
    try await withStore(in: kennel.directory) { store in
      let ada = try #require(try await store.accounts.user(named: "Ada"))
      for number in 0..<postCount { try await store.addPost(number, by: ada, caption: "Post \(number)") }
    }
    return kennel
  }

  /// Makes a kennel as an earlier version of the program would have left it, with the posts of another one.
  private static func makeEarlierKennel(at path: String, version: Int, from current: String) async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: current + "/photos", toPath: path + "/photos")
    let file = path + "/kennel.sqlite"
    try FileCalls.makeFile(file)
    let database = try Database(path: file, migrations: Array(Migration.all.prefix(version)))
    await database.close()
    let connection = try Connection(path: file, access: .writing, busyTimeout: .zero)
    try connection.run("ATTACH ? AS other", .text(current + "/kennel.sqlite"))
    try connection.script(
      """
      INSERT INTO users (id, name, folded, role, password, created)
      SELECT id, name, folded, role, password, created FROM other.users;
      INSERT INTO photos (hash, bytes, width, height, format, thumbhash)
      SELECT hash, bytes, width, height, format, thumbhash FROM other.photos;
      INSERT INTO posts (id, author, photo, caption, created)
      SELECT id, author, photo, caption, created FROM other.posts;
      """)
  }

  private static func captions(in directory: String) throws -> [Int64: String] {
    let connection = try Connection(
      path: directory + "/kennel.sqlite", access: .reading, busyTimeout: .seconds(5))
    let posts = try connection.rows("SELECT id, caption FROM posts") { ($0.integer(0), $0.text(1)) }
    return Dictionary(uniqueKeysWithValues: posts)
  }
}

extension Kennel {
  /// Returns how long a command takes that is not killed.
  func duration(of arguments: [String]) async throws -> Duration {
    let start = ContinuousClock.now
    let result = try await run(arguments)
    #expect(result.status == 0, "\(result.errors)")
    return ContinuousClock.now - start
  }

  /// Adds a post with a new photo and deletes one, so that the next backup has photos to add and to remove.
  fileprivate func change(_ number: Int) async throws {
    try await withStore(in: directory) { store in
      let ada = try #require(try await store.accounts.user(named: "Ada"))
      let oldest = try #require(try await store.posts.persistentPosts().map(\.id).min())
      try await store.addPost(10_000 + number, by: ada)
      try await store.posts.delete(oldest, by: ada.id)
    }
  }

  /// Starts a command and kills it, unless it ends before.
  func kill(_ arguments: [String], after duration: Duration) async throws {
    let environment = environment
    try await runOnThread {
      let child = try ChildProcess([Self.path] + arguments, environment: environment, isGuarded: false)
      let end = ContinuousClock.now + duration
      while ContinuousClock.now < end { sched_yield() }
      child.send(signal: SIGKILL)
      #expect(child.waitForEnd(within: .seconds(90)) != nil)
    }
  }

  /// Checks the kennel, which changes nothing.
  fileprivate func expectClean(_ moment: String) async throws {
    let before = try files()
    let check = try await run("check")
    #expect(check.status == 0 && check.output.contains("no problems found"), "\(moment): \(check)")
    #expect(Self.changes(before, try files()) == [], "\(moment)")
  }

  /// Returns the names in the directory of the test that meet a condition.
  fileprivate func names(_ isWanted: (String) -> Bool) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter(isWanted)
  }
}
