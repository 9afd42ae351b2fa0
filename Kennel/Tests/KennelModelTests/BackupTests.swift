import Foundation
import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(
  .enabled(if: TestWorld.hasFiles, "backups are made of SQLite"), .timeLimit(.minutes(5)))
struct BackupTests {
  private func fill(_ store: KennelStore, _ count: Int = 20) async throws -> User {
    let ada = try await store.addUser("Ada", role: .owner)
    for number in 0..<count { try await store.addPost(number, by: ada, caption: "No. \(number)") }
    let post = try await store.posts.page(limit: 1)[0]
    try await store.posts.setFavourite(true, post: post.id, user: ada.id)
    _ = try await store.posts.addComment("Good dog", to: post.id, author: ada.id)
    return ada
  }

  private func restore(_ directory: TemporaryDirectory, to name: String = "restored") async throws
    -> BackupReport
  {
    try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: directory.path(name), configuration: .forTest)
  }

  @Test func `a restored store has everything except sessions and tokens of other kennels`() async throws {
    let directory = try TemporaryDirectory()
    let (posts, token, peer) = try await withStore { store in
      let ada = try await fill(store)
      let peer = try await store.accounts.addPeer("Hounds")
      let session = try await store.accounts.beginSession(of: ada.id)
      let last = Mutex(BackupProgress())
      let report = try await store.backUp(to: .path(directory.path("kennel.tar"))) { now in
        last.withLock { $0 = now }
      }
      #expect(report.photos == 20 && report.missing.isEmpty)
      #expect(last.withLock { $0.photos == 20 && $0.photoCount == 20 })
      #expect(FileCalls.size(of: directory.path("kennel.tar")) == report.bytes)
      #expect(try await eventually { try store.incomingFiles().isEmpty })
      return (try await store.posts.persistentPosts(), session.token, peer)
    }
    let mode = try FileManager.default.attributesOfItem(atPath: directory.path("kennel.tar"))[
      .posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try await restore(directory).photos == 20)
    let store = try await KennelStore.open(directory.path("restored"), configuration: .forTest)
    #expect(try await store.posts.persistentPosts() == posts)
    #expect(try await store.check(readsPhotos: true).problems == [])
    #expect(try await store.accounts.user(of: token) == nil)
    // A token that was withdrawn after the backup must not work again.
    #expect(try await store.accounts.peer(peer) == nil)
    #expect(try await store.accounts.peers().isEmpty)
    _ = try await store.accounts.signIn("Ada", password: "correct horse", address: "a")
    await store.close()
  }

  @Test func `numbers assigned after a backup are not used again after a restore`() async throws {
    let directory = try TemporaryDirectory()
    let (lost, comment, event) = try await withStore { store in
      let ada = try await fill(store, 3)
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
      for number in 3..<8 { try await store.addPost(number, by: ada) }
      let lost = try await store.posts.page(limit: 1)[0].id
      let comment = try await store.posts.addComment("Good dog", to: lost, author: ada.id).id
      return (lost, comment, store.events.lastID)
    }
    _ = try await restore(directory)
    let store = try await KennelStore.open(directory.path("restored"), configuration: .forTest)
    let ada = try #require(try await store.accounts.user(named: "Ada"))
    // Browsers cache pictures by the number of the post, and other kennels remember the numbers they have taken.
    let post = try await store.addPost(100, by: ada)
    #expect(post.id > lost)
    #expect(try await store.posts.addComment("Again", to: post.id, author: ada.id).id > comment)
    #expect(store.events.lastID > event)
    await store.close()
  }

  @Test func `a backup can be restored through a symbolic link`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore { store in
      _ = try await fill(store, 2)
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    }
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("latest.tar"), withDestinationPath: "kennel.tar")
    let report = try await KennelStore.restore(
      from: directory.path("latest.tar"), to: directory.path("restored"), configuration: .forTest)
    #expect(report.photos == 2)
  }

  @Test func `a backup is a tar file that other programs can read`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore { store in
      _ = try await fill(store, 3)
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    }
    try FileManager.default.createDirectory(atPath: directory.path("out"), withIntermediateDirectories: false)
    let commands = "cd '\(directory.path("out"))' && tar -xf ../kennel.tar && sha256sum -c SHA256SUMS"
    let text = try ChildProcess.run(["/bin/sh", "-c", commands])
    #expect(text.split(separator: "\n").count { $0.hasSuffix(": OK") } == 4)
  }

  @Test func `a concurrent change is in a backup completely or not at all`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore { store in
      let ada = try await fill(store, 50)
      let isOver = Atomic(false)
      async let changing: Int = {
        var number = 1000
        while !isOver.load(ordering: .relaxed) {
          let post = try await store.addPost(number, by: ada)
          if number % 2 == 0 { try await store.posts.delete(post.id, by: ada.id) }
          // Also deletes old posts whose photos the backup is about to read.
          if let old = try await store.posts.page(.afterPost(40), limit: 1).first {
            try await store.posts.delete(old.id, by: ada.id)
          }
          number += 1
        }
        return number - 1000
      }()
      for round in 0..<5 {
        try? FileManager.default.removeItem(atPath: directory.path("kennel.tar"))
        let report = try await store.backUp(to: .path(directory.path("kennel.tar")))
        #expect(report.missing == [])
        #expect(try await restore(directory, to: "restored \(round)").missing == [])
      }
      isOver.store(true, ordering: .relaxed)
      #expect(try await changing > 0)
      // Photos that were kept for the backups are removed in the end.
      let posts = try await store.posts.persistentPosts()
      #expect(try await eventually { Set(posts.map(\.photo.description)) == (try store.photoFiles()) })
      #expect(try await store.check(readsPhotos: true).problems == [])
    }
  }

  @Test func `a damaged photo is left out of a backup and reported`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore { store in
      _ = try await fill(store, 5)
      let posts = try await store.posts.persistentPosts()
      try Data("other bytes".utf8).write(to: URL(fileURLWithPath: store.photos.location(posts[1].photo)))
      try FileCalls.remove(store.photos.location(posts[3].photo))
      let report = try await store.backUp(to: .path(directory.path("kennel.tar")))
      #expect(Set(report.missing) == [posts[1].photo, posts[3].photo])
      #expect(report.photos == 3)
      #expect(Set(try await restore(directory).missing) == Set(report.missing))
    }
  }

  @Test func `a damaged search index is rebuilt in a backup`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      for number in 1...3 { try await store.addPost(number, by: ada, caption: "0000zyzzyva") }
    }
    // A page of the index begins with two numbers, of which the second is its size, and its first word.
    let file = URL(fileURLWithPath: directory.path("data") + "/kennel.sqlite")
    var bytes = try Data(contentsOf: file)
    var position = bytes.startIndex
    var count = 0
    while let range = bytes.range(of: Data("\u{0C}00000zyzzyva".utf8), in: position..<bytes.endIndex) {
      bytes.replaceSubrange((range.lowerBound - 2)..<range.lowerBound, with: [0xff, 0xff])
      position = range.upperBound
      count += 1
    }
    #expect(count > 1)
    try bytes.write(to: file)
    try await withStore(in: directory) { store in
      #expect(try await store.check().problems == [.search])
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    }
    #expect(try await restore(directory).photos == 3)
    let store = try await KennelStore.open(directory.path("restored"), configuration: .forTest)
    #expect(try await store.check().problems == [])
    await store.close()
  }

  @Test func `the search index of a backup is rebuilt before the backup is checked`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore { store in
      _ = try await fill(store, 1)
      try await store.database.write { transaction throws(KennelError) in
        try transaction.connection.script("UPDATE search SET caption = 'Max'")
      }
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    }
    #expect(try await restore(directory).photos == 1)
    let store = try await KennelStore.open(directory.path("restored"), configuration: .forTest)
    #expect(try await store.check().problems == [])
    let query = try SearchQuery("max")
    #expect(try await store.posts.search(query, limit: 9, viewer: nil, address: "a").value == [])
    await store.close()
  }

  @Test func `a restore fails if its directory cannot be locked`() async throws {
    // Faults affect the complete process, so this test runs in a separate one.
    await #expect(processExitsWith: .success) {
      #if DEBUG
      let directory = try TemporaryDirectory()
      try await withStore { store in
        _ = try await store.addUser()
        _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
      }
      StorageFault.lockFile.arm()
      let error = await #expect(throws: KennelError.self) {
        try await KennelStore.restore(
          from: directory.path("kennel.tar"), to: directory.path("restored"), configuration: .forTest)
      }
      #expect(error?.description.contains("could not be locked") == true)
      #expect(StorageFault.disarm())
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["kennel.tar"])
      #endif
    }
  }

  @Test func `a new file that another process removes before it is locked is created again`() async {
    await #expect(processExitsWith: .success) {
      #if DEBUG
      let directory = try TemporaryDirectory()
      StorageFault.lockFile.arm()
      let file = try OpenFile(creating: directory.path("new"))
      #expect(StorageFault.disarm())
      try file.write(Array("bytes".utf8))
      #expect(FileCalls.size(of: directory.path("new")) == 5)
      #endif
    }
  }

  @Test func `a cancelled backup leaves no files`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore { store in
      _ = try await fill(store, 50)
      let begun = Gate()
      let isCancelled = Gate()
      let task = Task {
        try await store.backUp(to: .path(directory.path("kennel.tar"))) { progress in
          guard progress.photos == 3 else { return }
          begun.open()
          isCancelled.waitBlocking()
        }
      }
      await begun.wait()
      task.cancel()
      isCancelled.open()
      #expect(await code { _ = try await task.value } == .cancelled)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
      #expect(try await eventually { try store.incomingFiles().isEmpty })
    }
  }

  @Test func `a failed backup keeps the previous one`() async throws {
    // Faults affect the complete process, so this test runs in a separate one.
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let file = directory.path("kennel.tar")
      try await withStore { store in
        let ada = try await store.addUser()
        for number in 0..<5 { try await store.addPost(number, by: ada) }
        _ = try await store.backUp(to: .path(file))
        let before = try Data(contentsOf: directory.file("kennel.tar"))
        #if DEBUG
        for fault in [StorageFault.syncFile, .writeFile, .renameFile] {
          fault.arm()
          #expect(await code { _ = try await store.backUp(to: .path(file)) } == .diskFull)
          #expect(StorageFault.disarm())
        }
        #endif
        #expect(
          await code { _ = try await store.backUp(to: .path("/nonexistent/kennel.tar")) } == .cannotOpen)
        #expect(try Data(contentsOf: directory.file("kennel.tar")) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["kennel.tar"])
      }
    }
  }

  @Test func `the error for an unwritable backup has the given path`() async throws {
    // Faults affect the complete process, so this test runs in a separate one.
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let file = directory.path("kennel.tar")
      try await withStore { store in
        _ = try await store.addUser()
        func sentence(_ path: String) async -> String {
          do {
            _ = try await store.backUp(to: .path(path))
            return ""
          } catch {
            return "\(error)"
          }
        }
        let nowhere = await sentence("/nonexistent/kennel.tar")
        #expect(nowhere.contains("at /nonexistent/kennel.tar: No such file"), "\(nowhere)")
        #if DEBUG
        // The file of hashes is created first.
        for (fault, spared) in [
          (StorageFault.createFile, 1), (.writeFile, 0), (.syncFile, 0), (.renameFile, 0),
        ] {
          fault.arm(after: spared)
          let full = await sentence(file)
          #expect(full.contains("at \(file): No space left"), "\(fault): \(full)")
          #expect(StorageFault.disarm())
        }
        #endif
      }
    }
  }

  @Test func `what killed backups and restores have left is removed by the next one to the same place`()
    async throws
  {
    let directory = try TemporaryDirectory()
    for name in ["kennel.tar.AAAA-bbb_012.part", "kennel.tar.notes.part", "other.tar.AAAA-bbb_012.part"] {
      try directory.write(Data("incomplete".utf8), to: name)
    }
    let other = try OpenFile(creating: directory.path("kennel.tar.AAAAbbbbcccc.part"))
    try FileManager.default.createDirectory(
      at: directory.file("restored.restoring-AAAA-bbb_012/photos"), withIntermediateDirectories: true)
    try await withStore(in: directory) { store in
      _ = try await fill(store, 1)
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    }
    #expect(try await restore(directory).photos == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
    #expect(
      names == [
        "data", "kennel.tar", "kennel.tar.AAAAbbbbcccc.part", "kennel.tar.notes.part",
        "other.tar.AAAA-bbb_012.part", "restored",
      ])
    _ = try other.size()
  }

  @Test func `a restore refuses a directory that is not empty`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      _ = try await fill(store, 1)
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    }
    #expect(await code { _ = try await restore(directory, to: "data") } == .notAllowed)
    try FileCalls.makeDirectory(directory.path("empty"))
    #expect(try await restore(directory, to: "empty").photos == 1)
  }
}
