import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(
  .enabled(if: TestWorld.hasFiles, "it is about SQLite's file on a full disk"), .timeLimit(.minutes(5)))
struct DiskFailureTests {
  @Test func `a full database reports a full disk and keeps its data`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let first = try await store.addPost(1, by: ada)
      try await store.database.write { transaction throws(KennelError) in
        _ = try transaction.connection.first("PRAGMA max_page_count = 1") { $0.integer(0) }
      }
      let error = await #expect(throws: KennelError.self) {
        for number in 2..<200 {
          try await store.addPost(number, by: ada, caption: String(repeating: "x", count: 2000))
        }
      }
      #expect(error?.code == .diskFull)
      #expect(error?.description.contains("Free some") == true)
      try await store.database.write { transaction throws(KennelError) in
        _ = try transaction.connection.first("PRAGMA max_page_count = 1000000") { $0.integer(0) }
      }
      _ = try await store.addPost(300, by: ada)
      #expect(try await store.posts.post(first.id) == first)
      #expect(try await store.check(readsPhotos: true).problems == [])
    }
  }

  @Test func `a directory that cannot be created gives an error with its path`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Data("a file".utf8), to: "data")
    let error = await #expect(throws: KennelError.self) {
      _ = try await KennelStore.open(directory.path("data"))
    }
    #expect(error?.code == .cannotOpen)
    #expect(error?.description.contains(directory.path("data")) == true)
  }

  @Test func `no file of the store is readable by other users`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada)
      let root = directory.path("data")
      for name in try FileManager.default.subpathsOfDirectory(atPath: root) + [""] {
        let attributes = try FileManager.default.attributesOfItem(atPath: root + "/" + name)
        let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
        let mode = attributes[.posixPermissions] as? Int
        #expect(mode == (isDirectory ? 0o700 : 0o600), "\(name)")
      }
    }
  }

  #if DEBUG
  // A fault affects the next call in the complete process, so each of these tests runs in a separate one.
  @Test func `a failure to write a photo leaves no post and no file`() async {
    await #expect(processExitsWith: .success) {
      try await withStore { store in
        let ada = try await store.addUser()
        let faults: [StorageFault] = [
          .createFile, .writeFile, .syncFile, .renameFile, .syncDirectory,
        ]
        for (number, fault) in faults.enumerated() {
          fault.arm()
          let error = await #expect(throws: KennelError.self) {
            try await store.addPost(number, by: ada)
          }
          #expect(error?.code == .diskFull, "\(fault)")
          #expect(StorageFault.disarm(), "\(fault)")
          #expect(try await store.posts.page().isEmpty)
          // The cleanup was requested before this write.
          try await store.database.write { _ in }
        }
        try await store.addPost(100, by: ada)
        #expect(try await store.check(readsPhotos: true).problems == [])
        #expect(try store.photoFiles().count == 1)
      }
    }
  }

  @Test func `a failed SQL statement rolls back only its own post`() async {
    await #expect(processExitsWith: .success) {
      try await withStore { store in
        let ada = try await store.addUser()
        try await store.addPost(0, by: ada)
        var kept = 1
        for spared in 0..<40 {
          StorageFault.step.arm(after: spared)
          if (try? await store.addPost(spared + 1, by: ada)) != nil { kept += 1 }
          StorageFault.disarm()
          try await store.database.write { _ in }
          #expect(try await store.posts.page(limit: 200).count == kept)
        }
        #expect(kept > 1 && kept < 41)
        #expect(try await store.check(readsPhotos: true).problems == [])
      }
    }
  }
  #endif
}
