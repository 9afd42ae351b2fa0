import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct MigrationCopyTests {
  fileprivate func open(_ path: String, versions: Int = Migration.all.count) async throws {
    let database = try Database(path: path, migrations: Array(Migration.all.prefix(versions)))
    await database.close()
  }

  #if DEBUG
  // A fault affects the next call in the complete process, so each of these tests runs in a separate one.
  @Test(arguments: [StorageFault.createFile, .syncFile, .renameFile, .syncDirectory])
  func `a database that cannot be copied is not changed`(fault: StorageFault) async {
    await #expect(processExitsWith: .success) { [name = fault.rawValue as String] in
      let fault = try #require(StorageFault(rawValue: name))
      let tests = MigrationCopyTests()
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
