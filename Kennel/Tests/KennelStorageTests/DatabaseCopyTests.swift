import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct DatabaseCopyTests {
  fileprivate func open(_ path: String, versions: Int = Migration.all.count) async throws {
    let database = try Database(path: path, migrations: Array(Migration.all.prefix(versions)))
    await database.close()
  }

  @Test func `a database is copied once before a later version changes it`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("kennel.sqlite")
    let copy = DatabaseCopy.path(of: path, before: Migration.all.count)
    try FileCalls.makeFile(path)
    try await open(path, versions: 3)
    #expect(FileCalls.size(of: copy) == nil, "A new database has nothing to copy")
    // A process was killed while it copied.
    try directory.write(Data("half of it".utf8), to: "kennel.sqlite.before-\(Migration.all.count).part")
    try await open(path)
    let size = try #require(FileCalls.size(of: copy))
    let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let old = try Connection(path: copy, access: .reading, busyTimeout: .zero)
    #expect(try old.first("PRAGMA user_version") { $0.integer(0) } == 3)
    try await open(path)
    #expect(FileCalls.size(of: copy) == size)
    #expect(FileCalls.size(of: copy + ".part") == nil)
  }

  #if DEBUG
  // A fault affects the next call in the complete process, so each of these tests runs in a separate one.
  @Test(arguments: [StorageFault.createFile, .syncFile, .renameFile, .syncDirectory])
  func `a database that cannot be copied is not changed`(fault: StorageFault) async {
    await #expect(processExitsWith: .success) { [name = fault.rawValue as String] in
      let fault = try #require(StorageFault(rawValue: name))
      let tests = DatabaseCopyTests()
      let directory = try TemporaryDirectory()
      let path = directory.path("kennel.sqlite")
      try FileCalls.makeFile(path)
      try await tests.open(path, versions: 3)
      fault.arm()
      let code = await code { try await tests.open(path) }
      #expect(StorageFault.disarm())
      #expect(code == .diskFull)
      let database = try Connection(path: path, access: .reading, busyTimeout: .zero)
      #expect(try database.first("PRAGMA user_version") { $0.integer(0) } == 3)
      try await tests.open(path)
    }
  }
  #endif
}
