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

  @Test func `incomplete copies of killed processes are removed, and do not count as copies`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("kennel.sqlite")
    try FileCalls.makeFile(path)
    try await open(path, versions: 3)
    for month in 1...3 {
      try directory.write(Data("copy".utf8), to: "kennel.sqlite.v\(month)-2026-0\(month)-01T000000Z")
      try directory.write(Data(), to: "kennel.sqlite.v3-2026-05-0\(month)T000000Z.AAAAbbbb-_\(month)9.part")
    }
    // Another process is writing this one.
    let other = try OpenFile(creating: path + ".v3-2026-05-04T000000Z.AAAAbbbbcccc.part")
    try await open(path)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    #expect(
      names.filter { $0.hasSuffix(".part") } == ["kennel.sqlite.v3-2026-05-04T000000Z.AAAAbbbbcccc.part"])
    let copies = names.filter { $0.hasPrefix("kennel.sqlite.v") && !$0.hasSuffix(".part") }
    #expect(
      copies.count == MigrationCopy.maximumCount && !copies.contains { $0.hasPrefix("kennel.sqlite.v1-") })
    _ = try other.size()
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
