import Foundation
import Glibc
import TestSupport
import Testing

@testable import RetrieverCommand

/// Tests that the first Ctrl-C ends a command that waits for input.
@Suite(.timeLimit(.minutes(5))) struct InputTests {
  private let program: Program

  init() throws {
    program = try Program()
    guard mkfifo(program.file("pipe").path, 0o600) == 0 else {
      throw TestSupportError("Could not create a named pipe")
    }
  }

  /// Whether the program has started and has opened the pipe this many times.
  private func hasOpened(_ process: pid_t, times: Int) -> Bool {
    func target(_ name: String) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/\(name)")
    }
    guard target("exe")?.hasSuffix("/retriever") == true else { return false }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
    return names.count { target("fd/\($0)")?.hasSuffix("/pipe") == true } == times
  }

  @Test(arguments: [["get", "--data-file", "pipe", "http://127.0.0.1:9/"], ["collage", "pipe"]])
  func `the first Ctrl-C ends a command that waits for a pipe`(arguments: [String]) async throws {
    let running = try program.start(arguments)
    #expect(await eventually(within: .seconds(20)) { hasOpened(running.child.identifier, times: 1) })
    running.interrupt()
    #expect(try await running.end().status == 130)
    #expect(program.files == ["pipe"])
  }

  @Test(arguments: [["get", "--data-file", "-", "http://127.0.0.1:9/"], ["collage", "-"]])
  func `the first Ctrl-C ends a command that waits for standard input`(arguments: [String]) async throws {
    let path = program.file("pipe").path
    // A pipe that this process has opened for reading and writing never ends.
    let writer = open(path, O_RDWR | O_CLOEXEC)
    defer { close(writer) }
    let running = try program.start(arguments, input: path)
    // The program reads from a copy of its standard input.
    #expect(await eventually(within: .seconds(20)) { hasOpened(running.child.identifier, times: 2) })
    running.interrupt()
    #expect(try await running.end().status == 130)
  }

  @Test func `a body comes from a pipe or standard input, but not from a directory`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.text) }
    try Data("woof".utf8).write(to: program.file("file"))
    let writer = try ChildProcess(
      ["/bin/sh", "-c", "printf woof >\"$1\"", "sh", program.file("pipe").path])
    let piped = try await program.run("get", "--data-file", "pipe", server.address())
    #expect(piped.status == 0 && piped.text == "woof", "\(piped.errors)")
    #expect(await runOnThread { writer.waitForEnd(within: .seconds(40)) } == .exited(0))
    let input = try await program.run(
      "get", "--data-file", "-", server.address(), input: program.file("file").path)
    #expect(input.status == 0 && input.text == "woof", "\(input.errors)")
    let directory = try await program.run("get", "--data-file", ".", server.address())
    #expect(directory.status == 8 && directory.errors.contains("Could not read .: Is a directory"))
    let missing = try await program.run("get", "--data-file", "missing", server.address())
    #expect(missing.status == 8 && missing.errors.contains("Could not read missing: No such file"))
  }
}
