import Foundation
import Glibc
import TerminalProgram
import TestSupport
import Testing

@Suite struct OutputPlaceTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory.path(name), withDestinationPath: target)
  }

  @Test func `an open descriptor has several names`() throws {
    #expect(try OutputPlace("/dev/stdout") == .descriptor(STDOUT_FILENO))
    #expect(try OutputPlace("/dev/stderr") == .descriptor(STDERR_FILENO))
    #expect(try OutputPlace("/dev/fd/3") == .descriptor(3))
    #expect(try OutputPlace("/proc/self/fd/4") == .descriptor(4))
  }

  @Test func `devices and pipes are streams, and everything else is a file`() throws {
    #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
    #expect(try OutputPlace("/dev/null") == .stream)
    #expect(try OutputPlace(directory.path("pipe")) == .stream)
    #expect(try OutputPlace("no/such/file") == .file("no/such/file"))
    #expect(try OutputPlace("/") == .file("/"))
  }

  @Test func `a link leads to its target only if it may be followed`() throws {
    try link("first", to: "second")
    try link("second", to: directory.path("third"))
    let first = directory.path("first")
    #expect(try OutputPlace(first) == .file(directory.path("third")))
    #expect(try OutputPlace(first, followsLinks: false) == .file(first))
    try link("null", to: "/dev/null")
    #expect(try OutputPlace(directory.path("null")) == .stream)
    #expect(try OutputPlace(directory.path("null"), followsLinks: false) == .file(directory.path("null")))
  }

  @Test func `links that lead to each other are an error`() throws {
    try link("a", to: "b")
    try link("b", to: "a")
    let failure = #expect(throws: Failure.self) { try OutputPlace(directory.path("a")) }
    #expect(failure?.status == .fileSystem)
    #expect(failure?.message.hasSuffix(": Too many levels of symbolic links.") == true)
  }
}
