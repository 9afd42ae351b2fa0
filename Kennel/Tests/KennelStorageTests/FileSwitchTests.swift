import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelStorage

@Suite struct FileSwitchTests {
  private static let steps: [FileSwitch.Step] = [
    .rename("new", to: "current"), .rename("old", to: "old.left"), .remove("mark"),
  ]

  private static func makeDirectory() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for name in ["new", "old", "mark"] { try directory.write(Data(name.utf8), to: name) }
    return directory
  }

  private static func names(_ directory: TemporaryDirectory) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: directory.url.path))
  }

  @Test func `all names change`() throws {
    let directory = try Self.makeDirectory()
    try FileSwitch.make(Self.steps, in: directory.url.path)
    #expect(try Self.names(directory) == ["current", "old.left"])
    #expect(!FileSwitch.isPending(in: directory.url.path))
  }

  #if DEBUG
  // A fault affects the next call in the complete process, so this test runs in a separate one.
  @Test func `after a failure, no name has changed, or all change with the next use`() async {
    await #expect(processExitsWith: .success) {
      for fault in [StorageFault.renameFile, .removeFile, .syncDirectory, .writeFile, .syncFile] {
        for spared in 0..<6 {
          let directory = try Self.makeDirectory()
          fault.arm(after: spared)
          try? FileSwitch.make(Self.steps, in: directory.url.path)
          StorageFault.disarm()
          let isPending = FileSwitch.isPending(in: directory.url.path)
          try FileSwitch.complete(in: directory.url.path)
          let found = try Self.names(directory).subtracting(["kennel.switch.new"])
          if isPending { #expect(found == ["current", "old.left"]) }
          #expect(found == ["current", "old.left"] || found == ["new", "old", "mark"])
        }
      }
    }
  }
  #endif

  @Test func `names outside of the directory are refused`() throws {
    let directory = try Self.makeDirectory()
    try directory.write(Data("remove\t../elsewhere\n".utf8), to: "kennel.switch")
    let error = #expect(throws: KennelError.self) { try FileSwitch.complete(in: directory.url.path) }
    #expect(error?.code == .damaged)
  }
}
