import Foundation
import Glibc
import Testing

@testable import AdoptCommand

/// Outputs that are no plain files: links, pipes, and what the process has open already.
@Suite(.timeLimit(.minutes(2))) struct OutputPlaceTests {
  private static let source = """
    func count(completion: @escaping (Int) -> Void) {
      guard isOpen else { return }
      completion(1)
    }

    """

  /// Every way to have `check` write a file, and how what is written begins.
  private static let writers: [[String]] = [["--output"], ["--write-baseline", "--baseline"]]

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.write(Self.source, to: "a.swift")
  }

  private func check(_ writer: [String], _ output: String) async throws -> Scratch.Result {
    try await scratch.run([Scratch.program.path, "check", "--quiet", "a.swift"] + writer + [output])
  }

  @Test(arguments: writers) func aLinkIsFollowedAndStays(_ writer: [String]) async throws {
    try scratch.link("link", to: "file")
    // The first time there is nothing behind the link.
    for _ in 0..<2 {
      let result = try await check(writer, "link")
      #expect(result.status == (writer.count == 1 ? 1 : 0), "\(result.errors)")
      #expect(try scratch.text("file").contains("a.swift"))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch.file("link")) == "file")
    }
    #expect(scratch.names == ["a.swift", "file", "link"])
  }

  @Test(arguments: writers) func aPipeIsWrittenInto(_ writer: [String]) async throws {
    #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
    async let read = scratch.run(["/bin/cat", scratch.file("pipe")])
    let result = try await check(writer, "pipe")
    #expect(result.status == (writer.count == 1 ? 1 : 0), "\(result.errors)")
    #expect(try await read.output.contains("a.swift"))
    var status = stat()
    #expect(lstat(scratch.file("pipe"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test(arguments: writers) func standardOutputMayBeNamed(_ writer: [String]) async throws {
    // Nothing can be put into the place of this one, whatever goes wrong.
    let result = try await check(writer, "/dev/fd/1")
    #expect(result.status == (writer.count == 1 ? 1 : 0), "\(result.errors)")
    #expect(result.output.contains("a.swift"))
    #expect(scratch.names == ["a.swift"])
  }

  @Test func alternativesGoIntoTheFileThatALinkLeadsTo() async throws {
    try scratch.write("struct Store { \(Self.source) }", to: "a.swift")
    try scratch.link("link.swift", to: "twins.swift")
    let result = try await scratch.adopt(
      "alternatives", "--verify", "off", "--into", "link.swift", "a.swift")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try scratch.text("twins.swift").contains("async"))
    #expect(scratch.names == ["a.swift", "link.swift", "twins.swift"])
  }
}
