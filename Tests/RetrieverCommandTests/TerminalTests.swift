import Foundation
import Glibc
import Synchronization
import TerminalProgram
import TestSupport
import Testing

@testable import RetrieverCommand

/// A pseudo-terminal for a test, whose output can be read.
final class PseudoTerminal: Sendable {
  let path: String
  private let master: Int32
  private let slave: Int32
  private let seen = Mutex<[UInt8]>([])

  init(columns: UInt16, rows: UInt16) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, nil, nil, &size) == 0, let name = ttyname(slave) else {
      throw TestSupportError("A pseudo-terminal could not be created")
    }
    (self.master, self.slave) = (master, slave)
    path = String(cString: name)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(master)
    close(slave)
  }

  /// The output so far.
  var text: String {
    seen.withLock { seen in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(master, &buffer, buffer.count)
        guard count > 0 else { break }
        seen += buffer[..<count]
      }
      return String(decoding: seen, as: UTF8.self)
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct TerminalTests {
  @Test func aTerminalSeesTheBarMoveAndThenWhatWasDone() async throws {
    let gate = Gate()
    let half = Data(repeating: 7, count: 500_000)
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"), .send(half), .waitFor(gate),
      .send(half), .close,
    ])
    let terminal = try PseudoTerminal(columns: 90, rows: 20)
    let program = try Program()
    let child = try ChildProcess(
      [Program.path, "download", "-o", program.file("photo.jpg").path, server.address("/photo.jpg")],
      environment: program.environment.merging(["TERM": "xterm"]) { $1 }, output: terminal.path)
    #expect(
      await eventually(within: .seconds(20)) {
        let text = terminal.text
        return text.contains("photo.jpg   50%  [━") && text.contains("500 kB of 1.00 MB")
      }, "\(terminal.text)")
    gate.open()
    #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(0))
    let text = terminal.text
    #expect(text.contains("\r\u{1B}[J"), "the bar is overwritten")
    #expect(text.contains("photo.jpg: 1.00 MB, in "))
    for line in text.replacingOccurrences(of: "\u{1B}[J", with: "\n").split(whereSeparator: \.isNewline)
    where line.contains("━") { #expect(DisplayText.width(String(line)) < 90) }
  }

  @Test func aTerminalThatCannotMoveSeesNoBar() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "dog") }
    let terminal = try PseudoTerminal(columns: 90, rows: 20)
    let program = try Program()
    let child = try ChildProcess(
      [Program.path, "download", "-o", program.file("dog").path, server.address()],
      environment: program.environment.merging(["TERM": "dumb"]) { $1 }, output: terminal.path)
    #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(0))
    #expect(!terminal.text.contains("\u{1B}"))
  }

  @Test func whatIsNoTextIsKeptFromTheTerminal() async throws {
    let server = try ScriptedServer.http { _ in Reply(body: Data([1, 0, 2])) }
    let terminal = try PseudoTerminal(columns: 90, rows: 20)
    let program = try Program()
    let result = try await program.run("get", server.address(), output: terminal.path)
    #expect(result.status == 2 && result.errors.contains("Use --output FILE"))
    #expect(!terminal.text.contains("\u{1}"))
  }

  @Test func aPasswordIsAskedForAtTheTerminalAndNotShown() async throws {
    let expected = "Basic " + Data("rex:bone".utf8).base64EncodedString()
    let server = try ScriptedServer.http { request in
      request["Authorization"] == expected
        ? Reply(text: "welcome") : Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"k\"")])
    }
    let program = try Program()
    // `script` runs its program on a controlling terminal, and types what it receives on standard input.
    let child = try ChildProcess(
      [
        "script", "-qfec", "'\(Program.path)' get --user rex '\(server.address())'",
        program.directory.path("typescript"),
      ],
      environment: program.environment, output: program.directory.path("errors"), isConversing: true)
    let typescript = program.directory.file("typescript")
    @Sendable func shown() -> String { (try? String(contentsOf: typescript, encoding: .utf8)) ?? "" }
    #expect(await eventually(within: .seconds(20)) { shown().contains("Password for rex: ") })
    try child.send(line: "bone")
    #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(0))
    #expect(shown().contains("welcome") && !shown().contains("bone"))
  }
}
