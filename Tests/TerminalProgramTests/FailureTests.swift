import Foundation
import Glibc
import TerminalProgram
import Testing

@Suite struct FailureTests {
  @Test func `several results have one exit status`() {
    #expect(TerminalProgram.ExitStatus.combined([]) == .success)
    #expect(TerminalProgram.ExitStatus.combined([.success, .success]) == .success)
    #expect(TerminalProgram.ExitStatus.combined([.fileSystem, .fileSystem]) == .fileSystem)
    #expect(TerminalProgram.ExitStatus.combined([.success, .fileSystem]) == .partial)
    #expect(TerminalProgram.ExitStatus.combined([.usage, .fileSystem]) == .failure)
    #expect(TerminalProgram.ExitStatus.combined([.success, .outputClosed, .usage]) == .outputClosed)
  }

  @Test func `a message cannot control the terminal`() {
    #expect(Failure(.failure, "a\u{1B}[2Jb").message == "a\u{FFFD}[2Jb")
  }

  @Test func `a failed system call has the status of its cause`() {
    #expect(
      Failure.file("Could not read x", ENOENT)
        == Failure(.fileSystem, "Could not read x: No such file or directory. Check the path."))
    #expect(Failure.file("Could not read x", EIO).message == "Could not read x: Input/output error.")
    #expect(Failure.file("x", EPIPE).status == .outputClosed)
    #expect(Failure.file("x", ECANCELED) == .cancelled)
  }

  @Test func `a general error has a status and complete sentences`() throws {
    #expect(Failure(general: UsageError("No command was given.")) == Failure(.usage, "No command was given."))
    #expect(Failure(general: CancellationError()) == .cancelled)
    #expect(Failure(general: Failure(.partial, "some")) == Failure(.partial, "some"))
    let missing = #expect(throws: CocoaError.self) {
      try FileManager.default.contentsOfDirectory(atPath: "/no/such/folder")
    }
    let failure = Failure(general: try #require(missing))
    #expect(
      failure
        == Failure(
          .fileSystem, "Could not access /no/such/folder: No such file or directory. Check the path."))
  }
}
