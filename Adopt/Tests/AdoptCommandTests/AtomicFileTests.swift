import Foundation
import Glibc
import Testing

@testable import AdoptCommand

struct AtomicFileTests {
  @Test func `permissions and symbolic links are kept`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write("old", to: "real/a.swift")
    chmod(scratch.file("real/a.swift"), 0o640)
    try scratch.link("link.swift", to: "real/a.swift")
    try AtomicFile.write("new", to: scratch.file("link.swift"))
    #expect(try scratch.text("real/a.swift") == "new")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: scratch.file("link.swift")) == "real/a.swift")
    var status = stat()
    stat(scratch.file("real/a.swift"), &status)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(scratch.names == ["link.swift", "real"])
  }

  @Test func `a missing file is created`() throws {
    let scratch = try TemporaryPackage()
    try AtomicFile.write("new", to: scratch.file("a.swift"))
    #expect(try scratch.text("a.swift") == "new")
    #expect(scratch.names == ["a.swift"])
  }

  @Test func `a failed write leaves no temporary file`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write("", to: "folder/a.swift")
    #expect(throws: FileProblem.self) { try AtomicFile.write("new", to: scratch.file("folder")) }
    #expect(throws: FileProblem.self) { try AtomicFile.write("new", to: scratch.file("gone/a.swift")) }
    #expect(scratch.names == ["folder"])
  }

  @Test func `writing to a broken link creates its target`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write("", to: "folder/b.swift")
    try scratch.link("link.swift", to: "folder/a.swift")
    try AtomicFile.write("new", to: scratch.file("link.swift"))
    #expect(try scratch.text("folder/a.swift") == "new")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: scratch.file("link.swift"))
        == "folder/a.swift")
  }

  @Test func `circular links and pipes are not replaced`() throws {
    let scratch = try TemporaryPackage()
    try scratch.link("a", to: "b")
    try scratch.link("b", to: "a")
    #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
    for name in ["a", "pipe"] {
      #expect(throws: FileProblem.self) { try AtomicFile.write("new", to: scratch.file(name)) }
    }
    #expect(scratch.names == ["a", "b", "pipe"])
    var status = stat()
    #expect(lstat(scratch.file("pipe"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }
}
