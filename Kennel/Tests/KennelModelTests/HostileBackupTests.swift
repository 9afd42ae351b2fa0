import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(
  .enabled(if: TestWorld.hasFiles, "backups are made of SQLite"), .timeLimit(.minutes(5)))
struct HostileBackupTests {
  /// A valid backup in its parts: pairs of a header and the bytes that follow it.
  private struct Parts {
    var entries: [(name: String, bytes: [UInt8])]

    init(_ tar: [UInt8]) throws {
      entries = []
      var offset = 0
      while let header = TarHeader(Array(tar[offset..<(offset + 512)])) {
        let start = offset + 512
        entries.append((header.name, Array(tar[start..<(start + header.size)])))
        offset = start + header.size + TarHeader.padding(after: header.size)
      }
    }

    var tar: [UInt8] {
      entries.flatMap { Self.entry($0.name, $0.bytes) } + [UInt8](repeating: 0, count: 1024)
    }

    static func entry(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
      TarHeader.blocks(name: name, size: bytes.count, modified: 0) + bytes
        + [UInt8](repeating: 0, count: TarHeader.padding(after: bytes.count))
    }

    /// Returns the parts with correct hashes.
    func summed() -> Parts {
      var parts = self
      var lines: [UInt8] = []
      for entry in entries.dropLast() {
        guard let hash = PhotoHash(bytes: Sodium.sha256(entry.bytes)) else { continue }
        lines += Array("\(hash)  \(entry.name)\n".utf8)
      }
      parts.entries[parts.entries.count - 1].bytes = lines
      return parts
    }
  }

  private func withBackup(
    photos: Int = 3, _ body: (TemporaryDirectory, [UInt8]) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let tar = try await withStore { store in
      let ada = try await store.addUser()
      for number in 0..<photos { try await store.addPost(number, by: ada) }
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
      return Array(try Data(contentsOf: directory.file("kennel.tar")))
    }
    try await body(directory, tar)
  }

  private func expectRefusal(
    _ tar: [UInt8], _ directory: TemporaryDirectory, _ comment: Testing.Comment,
    codes: Set<KennelError.Code> = [.badBackup]
  ) async throws {
    try directory.write(tar, to: "kennel.tar")
    let code = await code {
      _ = try await KennelStore.restore(
        from: directory.path("kennel.tar"), to: directory.path("restored"), configuration: .forTest)
    }
    #expect(code.map { codes.contains($0) } == true, "\(comment): \(String(describing: code))")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["kennel.tar"], comment)
  }

  @Test func `a valid backup is accepted`() async throws {
    try await withBackup { directory, tar in
      try directory.write(try Parts(tar).summed().tar, to: "kennel.tar")
      #expect(Array(try Data(contentsOf: directory.file("kennel.tar"))).count == tar.count)
      _ = try await KennelStore.restore(
        from: directory.path("kennel.tar"), to: directory.path("restored"), configuration: .forTest)
    }
  }

  @Test func `entry names outside the store are refused`() async throws {
    try await withBackup { directory, tar in
      let parts = try Parts(tar)
      for name in [
        "../evil", "/etc/evil", "photos/../../evil", "photos/evil", "photos/", "", "./kennel.sqlite",
        "kennel.sqlite-wal", "photos/incoming/evil", "KENNEL.SQLITE",
      ] {
        for index in 0..<parts.entries.count {
          var other = parts
          other.entries[index].name = name
          try await expectRefusal(other.summed().tar, directory, "\(name) at \(index)")
        }
      }
    }
  }

  @Test func linksAndDevicesAreRefused() async throws {
    try await withBackup(photos: 1) { directory, tar in
      for kind in Array("123456gL".utf8) {
        var other = tar
        other[156] = kind
        try await expectRefusal(Self.checksummed(other), directory, "kind \(kind)")
      }
      var other = tar
      other.replaceSubrange(157..<161, with: Array("/etc".utf8))
      try await expectRefusal(Self.checksummed(other), directory, "a link's target")
    }
  }

  /// Corrects the checksum of the first header.
  private static func checksummed(_ tar: [UInt8]) -> [UInt8] {
    var tar = tar
    let sum = tar[..<512].enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 32 : Int($1.element)) }
    let digits = String(sum, radix: 8)
    tar.replaceSubrange(
      148..<154, with: Array((String(repeating: "0", count: 6 - digits.count) + digits).utf8))
    return tar
  }

  @Test func `wrong entry sizes are refused`() async throws {
    try await withBackup(photos: 1) { directory, tar in
      for size in ["00000000000", "00000000001", "77777777777", "-0000000001", "0x000000001", "           "] {
        var other = tar
        other.replaceSubrange(124..<135, with: Array(size.utf8))
        try await expectRefusal(
          Self.checksummed(other), directory, "\(size)", codes: [.badBackup, .damaged, .foreignDatabase])
      }
    }
  }

  @Test func `duplicate, missing or unordered entries are refused`() async throws {
    try await withBackup { directory, tar in
      let parts = try Parts(tar)
      func changed(_ change: (inout Parts) -> Void) -> [UInt8] {
        var other = parts
        change(&other)
        return other.summed().tar
      }
      try await expectRefusal(changed { $0.entries.insert($0.entries[1], at: 1) }, directory, "twice")
      try await expectRefusal(changed { $0.entries.insert($0.entries[0], at: 1) }, directory, "two databases")
      try await expectRefusal(changed { $0.entries.swapAt(1, 2) }, directory, "order")
      try await expectRefusal(changed { $0.entries.removeFirst() }, directory, "no database")
      try await expectRefusal(
        changed { $0.entries.insert(("photos/\(String(repeating: "f", count: 64))", [1]), at: 4) }, directory,
        "another hash")
      let extra: [UInt8] = Array("extra".utf8)
      let hash = try #require(PhotoHash(bytes: Sodium.sha256(extra)))
      var unused = parts
      unused.entries.insert(("photos/\(hash)", extra), at: 1)
      unused.entries[1..<5].sort { $0.name < $1.name }
      try await expectRefusal(unused.summed().tar, directory, "a photo that no post has")
      var sums = parts
      sums.entries[sums.entries.count - 1].bytes[3] ^= 1
      try await expectRefusal(sums.tar, directory, "other sums")
      try await expectRefusal(parts.tar + [0], directory, "something after the end")
    }
  }

  @Test func `a backup truncated anywhere is refused`() async throws {
    try await withBackup(photos: 2) { directory, tar in
      var random = SeededRandom(3)
      let lengths = [0, 1, 511, 512, 513, tar.count - 1, tar.count - 512, tar.count - 1024]
      for length in lengths + (0..<20).map({ _ in Int.random(in: 0..<tar.count, using: &random) }) {
        try await expectRefusal(Array(tar[..<length]), directory, "\(length) bytes")
      }
    }
  }

  @Test func `a backup with a changed byte is refused or restores the same data`() async throws {
    try await withBackup(photos: 2) { directory, tar in
      var random = SeededRandom(4)
      let databaseEnd = 512 + (TarHeader(Array(tar[..<512]))?.size ?? 0)
      for _ in 0..<40 {
        var other = tar
        // Most of the file is the database, but the rest has more structure to damage.
        let offset =
          Bool.random(using: &random)
          ? Int.random(in: 512..<databaseEnd, using: &random)
          : Int.random(in: databaseEnd..<tar.count, using: &random)
        other[offset] ^= UInt8.random(in: 1...255, using: &random)
        try directory.write(other, to: "kennel.tar")
        let code = await code {
          _ = try await KennelStore.restore(
            from: directory.path("kennel.tar"), to: directory.path("restored"), configuration: .forTest)
        }
        // A tar archive has bytes without meaning: dates, and the padding of blocks.
        if code == nil { try FileManager.default.removeItem(atPath: directory.path("restored")) }
        #expect(code == .badBackup || code == nil && offset >= databaseEnd, "byte \(offset)")
      }
    }
  }

  @Test func `a database with triggers, views or another schema is refused`() async throws {
    let directory = try TemporaryDirectory()
    for script in [
      "CREATE TRIGGER t AFTER INSERT ON posts BEGIN UPDATE users SET role = 'owner'; END",
      "CREATE VIEW v AS SELECT * FROM users", "CREATE TABLE more (id INTEGER PRIMARY KEY)",
      "DROP TABLE taken", "PRAGMA user_version = 2", "PRAGMA user_version = 0",
      // Kennel's names, with other contents.
      """
      DROP TRIGGER search_user_renamed;
      CREATE TRIGGER search_user_renamed AFTER UPDATE OF name ON users BEGIN UPDATE users SET role = 'owner'; END
      """,
      """
      DROP VIEW search_documents;
      CREATE VIEW search_documents (id, entry, caption, author, comments, dates, albums) AS SELECT id, 0, password, '', '', '', '' FROM users
      """,
    ] {
      try await withStore { store in
        let ada = try await store.addUser()
        try await store.addPost(1, by: ada)
        try await store.database.write { transaction throws(KennelError) in
          try transaction.connection.script(script)
        }
        _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
      }
      let tar = Array(try Data(contentsOf: directory.file("kennel.tar")))
      try await expectRefusal(tar, directory, "\(script)")
    }
  }

  @Test func `a size too large for ustar is stored in an extended header`() throws {
    let size = 12_345_678_901
    let blocks = TarHeader.blocks(name: "kennel.sqlite", size: size, modified: 0)
    #expect(blocks.count == 3 * 512)
    let first = try #require(TarHeader(Array(blocks[..<512])))
    #expect(first.kind == .extended)
    #expect(TarHeader.size(inRecord: Array(blocks[512..<(512 + first.size)])) == size)
    #expect(TarHeader(Array(blocks[1024...]))?.name == "kennel.sqlite")
    for record in ["20 size=12345678901", "21 path=12345678901\n", "99 size=12345678901\n", "9 size=5\n", ""]
    {
      #expect(TarHeader.size(inRecord: Array(record.utf8)) == nil, "\(record)")
    }
  }
}
