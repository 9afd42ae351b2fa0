import Foundation
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct UploadCommandTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test func filesArePutUnderTheirNames() async throws {
    let server = try ScriptedServer.http { _ in Reply(201, text: "thanks\n") }
    try Data("woof".utf8).write(to: program.file("rex.txt"))
    try Data(repeating: 1, count: 500_000).write(to: program.file("big dog"))
    let result = try await program.run("upload", "rex.txt", "big dog", server.address("/dogs/"))
    #expect(result.status == 0 && result.text == "thanks\nthanks\n")
    let byPath = Dictionary(uniqueKeysWithValues: server.requests.map { ($0.target, $0) })
    #expect(byPath["/dogs/rex.txt"]?.method == "PUT")
    #expect(byPath["/dogs/rex.txt"]?.text == "woof")
    #expect(byPath["/dogs/big%20dog"]?.body.count == 500_000)
    #expect(result.errors.contains("rex.txt: 4 B sent to \(server.address("/dogs/rex.txt")) in "))
  }

  @Test func standardInputIsSentAsItComes() async throws {
    let server = try ScriptedServer.http { _ in Reply(201) }
    try Data("from a pipe".utf8).write(to: program.file("input"))
    let result = try await program.run(
      "upload", "--method", "POST", "-", server.address("/x"), input: program.file("input").path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(server.requests.first?.text == "from a pipe" && server.requests.first?.method == "POST")
  }

  @Test func `standard input is sent from where it is`() async throws {
    let server = try ScriptedServer.http { _ in Reply(201) }
    try Data("first\nsecond\nthird\n".utf8).write(to: program.file("input"))
    let script = "{ read -r first; \"$1\" upload - \"$2\"; } <\"$3\""
    let child = try ChildProcess(
      ["/bin/sh", "-c", script, "sh", Program.path, server.address("/x"), program.file("input").path],
      environment: program.environment)
    #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(0))
    #expect(server.requests.map(\.text) == ["second\nthird\n"])
  }

  @Test func `standard input has the length that a header field states`() async throws {
    let server = try ScriptedServer.http { _ in Reply(201) }
    let script = "printf 12345 | \"$1\" upload -H 'Content-Length: 5' - \"$2\""
    let child = try ChildProcess(
      ["/bin/sh", "-c", script, "sh", Program.path, server.address("/x")], environment: program.environment)
    #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(0))
    #expect(server.requests.map { $0["Content-Length"] } == ["5"])
    #expect(server.requests.map(\.text) == ["12345"])
  }

  @Test func `standard input may be a socket`() async throws {
    let received = Gate()
    let server = try ScriptedServer { connection in
      guard let head = try connection.readHead() else { return }
      try connection.readBody(of: head, upTo: 5) { piece in
        if piece.contains(UInt8(ascii: "\n")) { received.open() }
      }
      try connection.hold()
    }
    let child = try ChildProcess(
      [Program.path, "upload", "-", server.address("/x")], environment: program.environment,
      output: program.directory.path("errors"), isConversing: true)
    try child.send(line: "woof")
    #expect(await received.wait(within: .seconds(90)))
    child.stop()
  }

  @Test func theContentTypeGoesByTheNameOfTheFileUnlessAFieldSaysIt() async throws {
    let server = try ScriptedServer.http { _ in Reply(201) }
    let types = [
      "dog.JPG": "image/jpeg", "dogs.json": "application/json", "old.tar.gz": "application/gzip",
      "page.htm": "text/html", "rex.txt": "text/plain", "report.pdf": "application/pdf",
      ".png": "application/octet-stream", "README": "application/octet-stream",
      "rex.dog": "application/octet-stream",
    ]
    for name in types.keys { try Data("woof".utf8).write(to: program.file(name)) }
    let result = try await program.start(["upload", "-q"] + types.keys + [server.address("/")]).end()
    #expect(result.status == 0, "\(result.errors)")
    let sent = Dictionary(
      uniqueKeysWithValues: server.requests.map { ($0.target.dropFirst().description, $0["Content-Type"]) })
    #expect(sent == types)
    _ = try await program.run(
      "upload", "-H", "Content-Type: image/x-dog", "rex.txt", server.address("/last"))
    #expect(server.requests.last?["Content-Type"] == "image/x-dog")
  }

  @Test func `a response of more than 64 MiB is an error`() async throws {
    let piece = Data("100000\r\n".utf8) + Data(repeating: 7, count: 1 << 20) + Data("\r\n".utf8)
    let server = try ScriptedServer { connection in
      guard try connection.nextRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<65 { try connection.send(piece) }
      try connection.send("0\r\n\r\n")
    }
    try Data("woof".utf8).write(to: program.file("rex.txt"))
    let result = try await program.run("upload", "rex.txt", server.address("/x"))
    #expect(result.status == 11 && result.output.isEmpty, "\(result.errors)")
  }

  @Test func whatIsMissingOrRefusedIsTold() async throws {
    let server = try ScriptedServer.http { _ in Reply(507) }
    try Data("woof".utf8).write(to: program.file("rex.txt"))
    let missing = try await program.run("upload", "nothing", server.address("/x"))
    #expect(missing.status == 8 && missing.errors.contains("nothing"))
    #expect(try await program.run("upload", "rex.txt", server.address("/x")).status == 6)
    #expect(try await program.run("upload", "a", "b", server.address("/x")).status == 2)
  }
}
