import Foundation
import Glibc
import RetrieverImages
import TerminalProgram
import TestSupport
import Testing

@testable import RetrieverCommand

/// Tests outputs that are not plain files: links, pipes and open descriptors.
@Suite(.timeLimit(.minutes(5))) struct OutputPlaceTests {
  private let program: Program
  private let server: ScriptedServer

  init() throws {
    program = try Program()
    let pixels = Array(repeating: ImagePixels.Pixel(red: 255, green: 0, blue: 0), count: 24)
    let picture = try #require(UIImage(width: 6, height: 4, pixels: pixels)?.pngData())
    try picture.write(to: program.file("dog.png"))
    try Data("dog.png\n".utf8).write(to: program.file("list"))
    server = try ScriptedServer.http { _ in Reply(text: "dog") }
  }

  /// Every command that writes a file, without the path.
  private static let writers: [[String]] = [
    ["get", "URL", "--output"], ["get", "URL", "--har"], ["download", "URL", "--output"],
    ["upload", "list", "URL", "--output"], ["lines", "URL", "--output"],
    ["thumbnail", "--size", "3", "dog.png", "--output"], ["collage", "list", "--output"],
    ["strip", "dog.png", "--output"],
  ]

  private func arguments(_ writer: [String], _ output: String) -> [String] {
    ["--quiet"] + writer.map { $0 == "URL" ? server.address("/dog.txt") : $0 } + [output]
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: program.file(name).path, withDestinationPath: target)
  }

  private func target(of name: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: program.file(name).path)
  }

  private func isPipe(_ name: String) -> Bool {
    var status = stat()
    return lstat(program.file(name).path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  private func run(_ arguments: [String]) async throws -> Program.Result {
    for name in ["output", "errors"] { try? FileManager.default.removeItem(at: program.directory.file(name)) }
    return try await program.start([arguments[1], arguments[0]] + arguments[2...]).end()
  }

  @Test(arguments: writers) func aLinkToAFileIsFollowedAndStays(_ writer: [String]) async throws {
    try FileManager.default.createDirectory(at: program.file("there"), withIntermediateDirectories: false)
    try Data("old".utf8).write(to: program.file("there/file"))
    try link("first", to: "second")
    try link("second", to: "there/file")
    let options = writer.last == "--har" ? [] : ["--force"]
    let result = try await run(arguments([writer[0]] + options + writer[1...], "first"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(target(of: "first") == "second" && target(of: "second") == "there/file")
    let contents = try #require(program.contents("there/file"))
    #expect(!contents.isEmpty && contents != Data("old".utf8))
    #expect(program.files == ["dog.png", "first", "list", "second", "there"])
  }

  @Test(arguments: writers) func aLinkToNothingMakesTheFileItLeadsTo(_ writer: [String]) async throws {
    try link("link", to: program.directory.path("home") + "/file")
    let result = try await run(arguments(writer, "link"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(target(of: "link") != nil)
    let made = program.directory.file("home").appendingPathComponent("file")
    #expect(try !Data(contentsOf: made).isEmpty)
  }

  @Test(arguments: writers) func aPipeIsWrittenInto(_ writer: [String]) async throws {
    #expect(mkfifo(program.file("pipe").path, 0o600) == 0)
    let reader = try ChildProcess(
      ["/bin/sh", "-c", "cat \"$1\" >\"$2\"", "sh", program.file("pipe").path, program.file("read").path])
    let result = try await run(arguments(writer, "pipe"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(await runOnThread { reader.waitForEnd(within: .seconds(90)) } == .exited(0))
    #expect(isPipe("pipe"))
    #expect(program.contents("read")?.isEmpty == false)
    #expect(program.files == ["dog.png", "list", "pipe", "read"])
  }

  /// Standard output is a file here. It must neither be truncated nor overwritten.
  @Test(arguments: writers) func standardOutputByItsNameGoesOnWhereItStands(_ writer: [String]) async throws {
    // These two paths cannot be replaced, even if a test fails. /dev/stdout could be.
    for name in ["/dev/fd/1", "/proc/self/fd/1"] {
      let result = try await run(arguments(writer, name))
      #expect(result.status == 0, "\(result.errors)")
      #expect(!result.output.isEmpty)
      if writer.last == "--har" { #expect(result.text.hasPrefix("dog{")) }
    }
    #expect(program.files == ["dog.png", "list"])
  }

  @Test func `several downloads may go to standard output`() throws {
    #expect(try Destination("/dev/stdout", count: 2, usual: .directory(".")) == .standardOutput)
  }

  @Test func nobodyWhoReadsAPipeIsNoReasonNotToEnd() async throws {
    #expect(mkfifo(program.file("pipe").path, 0o600) == 0)
    let running = try program.start(["get", "--output", "pipe", server.address()])
    #expect(await eventually { !server.requests.isEmpty })
    running.interrupt()
    #expect(try await running.end().status == 130)
    #expect(isPipe("pipe"))
  }

  /// A server that sends the first part of a body and then nothing.
  private func stalledServer() throws -> ScriptedServer {
    try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nwoof")
      try connection.hold()
    }
  }

  @Test(arguments: [false, true])
  func `after Ctrl-C, the archive is still written to a pipe`(isStandardOutput: Bool) async throws {
    let stalled = try stalledServer()
    let pipe = program.file("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = try ChildProcess(["/bin/sh", "-c", "exec cat '\(pipe)' >'\(pipe).read'"])
    let running = try program.start(
      ["get", "--quiet", "--output", "dog.txt", "--har", isStandardOutput ? "/dev/stdout" : "pipe"]
        + [stalled.address("/dog")], output: isStandardOutput ? pipe : nil)
    #expect(await eventually { !stalled.requests.isEmpty })
    running.interrupt()
    #expect(try await running.end().status == 130)
    let ending = await runOnThread { reader.waitForEnd(within: .seconds(40)) }
    #expect(ending == .exited(0))
    let text = String(decoding: try #require(program.contents("pipe.read")), as: UTF8.self)
    #expect(text.contains("\"log\""))
    #expect(text.hasSuffix("}\n") || text.hasSuffix("}"))
  }

  @Test func `after Ctrl-C, an archive for a pipe without a reader is an error`() async throws {
    let stalled = try stalledServer()
    #expect(mkfifo(program.file("pipe").path, 0o600) == 0)
    let running = try program.start(["get", "--har", "pipe", "--output", "dog.txt", stalled.address()])
    #expect(await eventually { !stalled.requests.isEmpty })
    running.interrupt()
    let result = try await running.end()
    #expect(result.status == 130)
    #expect(result.errors.contains("no process reads from it"))
    #expect(isPipe("pipe"))
  }

  @Test func aLinkUnderANameThatIsProposedIsNotFollowed() async throws {
    try link("dog.txt", to: program.directory.path("home") + "/profile")
    try link("dog-3x3.jpg", to: program.directory.path("home") + "/profile")
    #expect(try await program.run("download", server.address("/dog.txt")).status == 8)
    #expect(try await program.run("thumbnail", "--size", "3", "dog.png").status == 8)
    #expect(target(of: "dog.txt") != nil && target(of: "dog-3x3.jpg") != nil)
    #expect(try await program.run("download", "--force", server.address("/dog.txt")).status == 0)
    #expect(try await program.run("thumbnail", "--force", "--size", "3", "dog.png").status == 0)
    #expect(target(of: "dog.txt") == nil && target(of: "dog-3x3.jpg") == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: program.directory.path("home")).isEmpty)
  }

  @Test func aLinkToAPipeUnderANameThatIsProposedIsNotFollowedEither() async throws {
    #expect(mkfifo(program.file("pipe").path, 0o600) == 0)
    try link("dog.txt", to: "pipe")
    try link("dog-3x3.jpg", to: "pipe")
    // The pipe has no reader. If it were opened, these commands would not end.
    #expect(try await program.run("download", server.address("/dog.txt")).status == 8)
    #expect(try await program.run("thumbnail", "--size", "3", "dog.png").status == 8)
    #expect(target(of: "dog.txt") == "pipe" && target(of: "dog-3x3.jpg") == "pipe")
    #expect(try await program.run("download", "--force", server.address("/dog.txt")).status == 0)
    #expect(target(of: "dog.txt") == nil && isPipe("pipe"))
  }

  @Test func linksThatLeadToEachOtherAreToldOf() async throws {
    try link("a", to: "b")
    try link("b", to: "a")
    let result = try await program.run("get", "--force", "--output", "a", server.address())
    #expect(result.status == 8 && result.errors.contains("Too many levels of symbolic links"))
    #expect(target(of: "a") == "b" && target(of: "b") == "a")
  }
}
