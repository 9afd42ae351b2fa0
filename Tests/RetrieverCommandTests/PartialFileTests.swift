import Foundation
import Glibc
import TerminalProgram
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite struct PartialFileTests {
  private let directory: TemporaryDirectory
  private let target: String

  init() throws {
    directory = try TemporaryDirectory()
    target = directory.path("photo")
    try directory.write(Data("photo".utf8), to: "photo.part")
    try directory.write(Data("record".utf8), to: "photo.part.resume")
  }

  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.url.path)) ?? []).sorted()
  }

  private func contents(_ name: String) -> String? {
    try? String(contentsOf: directory.file(name), encoding: .utf8)
  }

  @Test func `a file that starts again has no record of its earlier contents`() async throws {
    let file = try PartialFile(for: target, keeping: 0)
    #expect(files == ["photo.part"] && contents("photo.part") == "")
    await file.keep()
  }

  @Test func `a file that is continued keeps its record`() async throws {
    let file = try PartialFile(for: target, keeping: 3)
    #expect(files == ["photo.part", "photo.part.resume"] && contents("photo.part") == "pho")
    await file.keep()
  }

  @Test func `a file that is missing or shorter cannot be continued`() throws {
    let shorter = #expect(throws: Failure.self) { _ = try PartialFile(for: target, keeping: 6) }
    #expect(shorter?.status == .fileSystem && contents("photo.part") == "photo")
    try FileManager.default.removeItem(at: directory.file("photo.part"))
    #expect(throws: Failure.self) { _ = try PartialFile(for: target, keeping: 3) }
    #expect(files == ["photo.part.resume"])
  }

  @Test func `a file that another process renames before it is locked is not changed`() throws {
    let path = PartialFile.path(for: target)
    var count = 0
    let (descriptor, status) = try PartialFile.openLocked(path, creates: true) {
      count += 1
      if count == 1 { rename(path, target) }
    }
    defer { close(descriptor) }
    #expect(count == 2 && status.st_size == 0)
    #expect(contents("photo") == "photo" && contents("photo.part") == "")
  }
}
