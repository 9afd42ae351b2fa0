import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(
  .enabled(if: TestWorld.hasFiles, "backups are made of SQLite"), .timeLimit(.minutes(5)))
struct BackupDirectoryTests {
  private static func passphrase(_ text: String = "four wet dogs") throws -> BackupPassphrase {
    try BackupPassphrase(Array(text.utf8), cost: .minimum)
  }

  private func names(_ directory: TemporaryDirectory, _ folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory.path(folder)).sorted()
  }

  private func captions(_ directory: TemporaryDirectory) async throws -> [String] {
    try await withStore(in: directory) { store in
      #expect(try await store.check(readsPhotos: true).problems == [])
      return try await store.posts.persistentPosts().map(\.caption).sorted()
    }
  }

  @Test(arguments: [false, true])
  func `each backup is complete, and a photo is stored once`(isEncrypted: Bool) async throws {
    let directory = try TemporaryDirectory()
    let (path, key) = (directory.path("backups"), isEncrypted ? try Self.passphrase() : nil)
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      let one = try await store.addPost(1, by: ada, caption: "one")
      try await store.addPost(2, by: ada, caption: "two")
      #expect(try await store.backUp(toDirectory: path, passphrase: key).photos == 2)
      let objects = try names(directory, "backups/objects")
      try await store.posts.delete(one.id, by: ada.id)
      try await store.addPost(3, by: ada, caption: "three")
      #expect(try await store.backUp(toDirectory: path, passphrase: key).photos == 2)
      let more = try names(directory, "backups/objects")
      #expect(Set(more).isSuperset(of: objects))
      #expect(more.count { $0.contains("/") } == 3)
    }
    let snapshots = try names(directory, "backups/snapshots")
    #expect(snapshots.count == 2)
    #expect(try names(directory, "backups/incoming") == [])
    for (source, expected) in [
      (path, ["three", "two"]), (path + "/snapshots/" + snapshots[0], ["one", "two"]),
    ] {
      let target = try TemporaryDirectory()
      _ = try await KennelStore.restore(
        from: source, to: target.path("data"), passphrase: key, configuration: .forTest)
      #expect(try await captions(target) == expected)
    }
  }

  @Test func `older backups are removed with the photos that only they have`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("backups")
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      for number in 1...4 {
        let post = try await store.addPost(number, by: ada, caption: "\(number)")
        let report = try await store.backUp(toDirectory: path, keeping: 2)
        #expect(report.removedBackups == (number > 2 ? 1 : 0))
        if number < 4 { try await store.posts.delete(post.id, by: ada.id) }
      }
    }
    #expect(try names(directory, "backups/snapshots").count == 2)
    #expect(try names(directory, "backups/objects").count { $0.contains("/") } == 2)
  }

  @Test func `the newest backup is the latest one, also if the clock was set back`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("backups")
    let time = ManualKennelClock()
    try await withStore(in: directory, clock: time.clock) { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada, caption: "one")
      // The clock stands still between the first two.
      for _ in 0..<2 { _ = try await store.backUp(toDirectory: path, keeping: 2) }
      #expect(try names(directory, "backups/snapshots").count == 2)
      time.advance(by: .seconds(-3600))
      try await store.addPost(2, by: ada, caption: "two")
      #expect(try await store.backUp(toDirectory: path, keeping: 2).removedBackups == 1)
    }
    #expect(try names(directory, "backups/snapshots").count == 2)
    let target = try TemporaryDirectory()
    _ = try await KennelStore.restore(from: path, to: target.path("data"), configuration: .forTest)
    #expect(try await captions(target) == ["one", "two"])
  }

  @Test func `a renamed backup does not take the place of the new one`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("backups")
    try await withStore(in: directory) { store in
      try await store.addPost(1, by: try await store.addUser())
      _ = try await store.backUp(toDirectory: path)
      let first = try #require(try names(directory, "backups/snapshots").first)
      try FileManager.default.moveItem(
        at: directory.file("backups/snapshots/\(first)"), to: directory.file("backups/snapshots/old.tar"))
      #expect(try await store.backUp(toDirectory: path, keeping: 1).removedBackups == 1)
    }
    #expect(try names(directory, "backups/snapshots") != ["old.tar"])
  }

  @Test func `a damaged photo of a backup is found`() async throws {
    for isEncrypted in [false, true] {
      let directory = try TemporaryDirectory()
      let (path, key) = (directory.path("backups"), isEncrypted ? try Self.passphrase() : nil)
      try await withStore(in: directory) { store in
        try await store.addPost(1, by: try await store.addUser())
        _ = try await store.backUp(toDirectory: path, passphrase: key)
      }
      let name = try #require(try names(directory, "backups/objects").first { $0.contains("/") })
      let file = directory.file("backups/objects/" + name)
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: file)
      let changed = await restoreCode(path, in: directory, key)
      #expect(changed == .badBackup)
      try FileManager.default.removeItem(at: file)
      let missing = await restoreCode(path, in: directory, key)
      #expect(missing == .badBackup)
      #expect(!FileManager.default.fileExists(atPath: directory.path("restored")))
    }
  }

  private func restoreCode(
    _ path: String, in directory: TemporaryDirectory, _ key: BackupPassphrase?
  ) async -> KennelError.Code? {
    await code {
      _ = try await KennelStore.restore(from: path, to: directory.path("restored"), passphrase: key)
    }
  }

  @Test func `a directory with other contents is refused, and stays as it is`() async throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      at: directory.file("other"), withIntermediateDirectories: true)
    try directory.write(Data("dogs".utf8), to: "other/file")
    try await withStore(in: directory) { store in
      _ = try await store.addUser()
      let found = await code { _ = try await store.backUp(toDirectory: directory.path("other")) }
      #expect(found == .notAllowed)
    }
    #expect(try names(directory, "other") == ["file"])
  }

  @Test func `an encrypted archive needs its passphrase, and every change is found`() async throws {
    let directory = try TemporaryDirectory()
    let (path, key) = (directory.path("kennel.tar"), try Self.passphrase())
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      let photo = try await store.photos.stage(Data(repeating: 7, count: 300_000))
      try await store.posts.add(photo, facts: .small, caption: "ZYZZYVA", author: ada.id)
      _ = try await store.backUp(to: .path(path), passphrase: key)
    }
    let complete = try Data(contentsOf: URL(filePath: path))
    #expect(
      complete.range(of: Data("ZYZZYVA".utf8)) == nil
        && complete.range(of: Data(repeating: 7, count: 20)) == nil)
    let target = try TemporaryDirectory()
    _ = try await KennelStore.restore(
      from: path, to: target.path("data"), passphrase: key, configuration: .forTest)
    #expect(try await captions(target) == ["ZYZZYVA"])
    let other = try Self.passphrase("other")
    for key in [nil, other] {
      let found = await restoreCode(path, in: directory, key)
      #expect(found == .badBackup)
    }
    let start = BackupCipherHeader.byteCount + StreamEncryption.headerSize
    let chunk = BackupEncryption.chunkSize + StreamEncryption.overhead
    var damaged: [String: Data] = [
      "cut after a chunk": complete.prefix(start + chunk),
      "cut in a chunk": complete.prefix(start + chunk + 9),
      "cut in the beginning": complete.prefix(50), "longer": complete + Data([0]),
      "chunks in another order": complete.prefix(start) + complete[(start + chunk)..<(start + 2 * chunk)]
        + complete[start..<(start + chunk)] + complete[(start + 2 * chunk)...],
      "a chunk is missing": complete.prefix(start) + complete[(start + chunk)...],
    ]
    for position in [9, 25, 60, start - 1, start, start + chunk + 5, complete.count - 1] {
      var bytes = complete
      bytes[position] ^= 1
      damaged["byte \(position)"] = bytes
    }
    for (name, bytes) in damaged {
      try bytes.write(to: URL(filePath: path))
      let found = await restoreCode(path, in: directory, key)
      #expect(found == .badBackup || found == .failed, "\(name)")
      #expect(!FileManager.default.fileExists(atPath: directory.path("restored")), "\(name)")
    }
  }

  @Test func `a passphrase is not left out or changed by mistake`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      _ = try await store.addUser()
      let (plain, secret) = (directory.path("plain"), directory.path("secret"))
      _ = try await store.backUp(toDirectory: plain)
      _ = try await store.backUp(toDirectory: secret, passphrase: try Self.passphrase())
      for (path, key) in [
        (plain, try Self.passphrase()), (secret, nil), (secret, try Self.passphrase("other")),
      ] {
        let found = await code { _ = try await store.backUp(toDirectory: path, passphrase: key) }
        #expect(found == .badBackup)
      }
    }
    #expect(try names(directory, "secret/snapshots").count == 1)
  }
}
