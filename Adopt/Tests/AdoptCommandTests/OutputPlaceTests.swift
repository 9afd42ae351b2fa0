import Foundation
import Glibc
import Testing

@testable import AdoptCommand

/// Outputs that are not regular files: links, pipes, and open file descriptors.
@Suite(.timeLimit(.minutes(5))) struct OutputPlaceTests {
  private static let source = """
    func count(completion: @escaping (Int) -> Void) {
      guard isOpen else { return }
      completion(1)
    }

    """

  /// The options of `check` that write a file.
  private static let writers: [[String]] = [["--output"], ["--write-baseline", "--baseline"]]

  private let scratch: TemporaryPackage

  init() throws {
    scratch = try TemporaryPackage()
    try scratch.write(Self.source, to: "a.swift")
  }

  private func check(_ writer: [String], _ output: String) async throws -> TemporaryPackage.Result {
    try await scratch.run([TemporaryPackage.program.path, "check", "--quiet", "a.swift"] + writer + [output])
  }

  @Test(arguments: writers) func `a link is followed and kept`(_ writer: [String]) async throws {
    try scratch.link("link", to: "file")
    // The first time, the target of the link does not exist.
    for _ in 0..<2 {
      let result = try await check(writer, "link")
      #expect(result.status == (writer.count == 1 ? 1 : 0), "\(result.errors)")
      #expect(try scratch.text("file").contains("a.swift"))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch.file("link")) == "file")
    }
    #expect(scratch.names == ["a.swift", "file", "link"])
  }

  @Test(arguments: writers) func `a pipe is written to`(_ writer: [String]) async throws {
    #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
    async let read = scratch.run(["/bin/cat", scratch.file("pipe")])
    let result = try await check(writer, "pipe")
    #expect(result.status == (writer.count == 1 ? 1 : 0), "\(result.errors)")
    #expect(try await read.output.contains("a.swift"))
    var status = stat()
    #expect(lstat(scratch.file("pipe"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test(arguments: writers) func `standard output can be named`(_ writer: [String]) async throws {
    // This file cannot be replaced.
    let result = try await check(writer, "/dev/fd/1")
    #expect(result.status == (writer.count == 1 ? 1 : 0), "\(result.errors)")
    #expect(result.output.contains("a.swift"))
    #expect(scratch.names == ["a.swift"])
  }

  @Test func `alternatives are written to the target of a link`() async throws {
    try scratch.write("struct Store { \(Self.source) }", to: "a.swift")
    try scratch.link("link.swift", to: "twins.swift")
    let result = try await scratch.adopt(
      "alternatives", "--verify", "off", "--into", "link.swift", "a.swift")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try scratch.text("twins.swift").contains("async"))
    #expect(scratch.names == ["a.swift", "link.swift", "twins.swift"])
  }
}
