import Foundation
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct GetTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test func bodiesGoToStandardOutputInTheOrderOfTheURLs() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.path) }
    let result = try await program.run("get", server.address("/a"), server.address("/b"))
    #expect(result.text == "/a/b")
    #expect(result.status == 0 && result.errors.isEmpty)
  }

  @Test func headerFieldsMethodAndBodyAreSent() async throws {
    let server = try ScriptedServer.http { _ in Reply(201) }
    try Data("X-From-File: 1\nX-Other: 2\n".utf8).write(to: program.file("fields"))
    _ = try await program.run(
      "get", "-H", "X-Dog: rex", "--header=@fields", "--data", "woof", server.address("/"))
    _ = try await program.run("get", "--method", "PATCH", "--data-file", "fields", server.address("/"))
    let (first, second) = (server.requests[0], server.requests[1])
    #expect(first.method == "POST" && first.text == "woof")
    #expect(first["X-Dog"] == "rex" && first["X-From-File"] == "1" && first["X-Other"] == "2")
    #expect(second.method == "PATCH" && second.text == "X-From-File: 1\nX-Other: 2\n")
    #expect(second["Content-Type"] == "application/octet-stream")
  }

  @Test func `a header field that is given twice is sent twice`() async throws {
    let server = try ScriptedServer.http { _ in Reply(201) }
    try Data("woof".utf8).write(to: program.file("rex.txt"))
    let fields = ["-H", "X-Dog: rex", "-H", "Content-Type: image/x-dog", "-H", "x-dog: momo"]
    _ = try await program.start(["get", "--data-file", "rex.txt"] + fields + [server.address()]).end()
    _ = try await program.start(["upload"] + fields + ["rex.txt", server.address("/x")]).end()
    _ = try await program.start(["thumbnail", "--size", "9"] + fields + [server.address("/y")]).end()
    #expect(Set(server.requests.map(\.path)) == ["/", "/x", "/y"])
    for request in server.requests {
      func values(_ name: String) -> [String] {
        request.fields.filter { $0.name.lowercased() == name }.map(\.value)
      }
      #expect(values("x-dog") == ["rex", "momo"], "\(request.path)")
      #expect(values("content-type") == ["image/x-dog"], "\(request.path)")
    }
  }

  @Test func aStatusThatSaysNoShowsItsBodyAndFails() async throws {
    let server = try ScriptedServer.http { _ in Reply(404, text: "no such dog") }
    let shown = try await program.run("get", server.address("/rex"))
    #expect(shown.status == 6 && shown.text == "no such dog")
    #expect(shown.errors == "retriever: \(server.address("/rex")): The server answered 404 (not found).\n")
    let filed = try await program.run("get", "-o", "rex", server.address("/rex"))
    #expect(filed.status == 6 && program.files.isEmpty)
  }

  @Test func someThatFailMakeAPartialSuccess() async throws {
    let server = try ScriptedServer.http { $0.path == "/a" ? Reply(text: "a") : Reply(500) }
    let result = try await program.run("get", server.address("/a"), server.address("/b"))
    #expect(result.status == 10 && result.text == "a")
  }

  @Test func everyKindOfFailureHasItsStatusAndOneLine() async throws {
    let closed = try ClosedPort()
    let silent = try ScriptedServer([.readRequest, .hold])
    let broken = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close,
    ])
    let long = try ScriptedServer.http { _ in Reply(text: "0123456789") }
    let cases: [([String], Int32)] = [
      (["http://no-such-host.invalid/"], 3), ([closed.address()], 4), ([broken.address()], 4),
      (["--timeout", "0.2", silent.address()], 7), (["--max-size", "5", long.address()], 11),
      (["--output", "/proc/self/nothing", long.address()], 8), (["-o", "/dev/full", long.address()], 8),
    ]
    for (arguments, status) in cases {
      let result = try await program.start(["get"] + arguments).end()
      #expect(result.status == status, "\(arguments): \(result.errors)")
      try? FileManager.default.removeItem(at: program.directory.file("errors"))
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].hasPrefix("retriever: "), "\(result.errors)")
    }
  }

  @Test func aFullDiskIsToldOfStandardOutput() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "0123456789") }
    let result = try await program.run("get", server.address(), output: "/dev/full")
    #expect(result.status == 8)
    #expect(result.errors.contains("Could not write standard output: No space left on device"))
  }

  @Test func mistakesOnTheCommandLineAreToldBeforeAnythingIsFetched() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    for arguments in [
      ["get"], ["get", "--nonsense", server.address()], ["gte", server.address()], [], ["get", "ftp://a/"],
      ["get", "--max-size", "x", server.address()], ["get", "-H", "x", server.address()],
      ["get", "-o", "file", server.address(), server.address()],
    ] {
      let result = try await program.start(arguments).end()
      #expect(result.status == 2, "\(arguments)")
      #expect(result.errors.hasPrefix("retriever: "))
    }
    #expect(server.requests.isEmpty)
  }

  @Test func aReaderWhoGoesAwayEndsItWithoutAWord() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
      .sendForever(Data(repeating: 10, count: 4096)),
    ])
    let file = program.directory.path("statuses")
    let script =
      "set -o pipefail; '\(Program.path)' get '\(server.address())' 2>&1 | head -c 5 >'\(file)'; exit ${PIPESTATUS[0]}"
    let child = try ChildProcess(["bash", "-c", script], environment: program.environment)
    let ending = await runOnThread { child.waitForEnd(within: .seconds(90)) }
    #expect(ending == .exited(141))
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(repeating: 10, count: 5))
  }

  @Test func jsonTellsWhatWasDone() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/old" ? .redirect(to: "/new") : Reply(text: "dog")
    }
    let result = try await program.run("get", "--json", "-o", "dog.txt", server.address("/old"))
    let report = try #require(
      try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(report["status"] as? Int == 200 && report["bytes"] as? Int == 3)
    #expect(report["finalURL"] as? String == server.address("/new"))
    #expect(report["file"] as? String == "dog.txt")
    #expect(program.contents("dog.txt") == Data("dog".utf8))
    let failed = try await program.run("get", "--json", "-o", "x", "http://no-such-host.invalid/")
    #expect(failed.text.contains("\"kind\":\"hostNotFound\""))
  }

  @Test func helpAndVersionGoToStandardOutput() async throws {
    for arguments in [["--help"], ["get", "--help"], ["help", "download"], ["--version"]] {
      let result = try await program.start(arguments).end()
      #expect(result.status == 0 && !result.output.isEmpty && result.errors.isEmpty, "\(arguments)")
    }
  }

  @Test func anArchiveHasWhatWentOverTheWireWithoutSecrets() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [("Set-Cookie", "sid=geheim")], text: "dog") }
    let result = try await program.run(
      "get", "-q", "--har", "all.har", "-H", "Authorization: Bearer geheim", server.address("/x?token=geheim")
    )
    #expect(result.status == 0)
    let archive = String(decoding: program.contents("all.har") ?? Data(), as: UTF8.self)
    #expect(archive.contains("\"version\" : \"1.2\""))
    #expect(!archive.contains("geheim"))
    #expect(server.requests[0]["Authorization"] == "Bearer geheim")
  }

  @Test func verboseTellsEachHopWithoutSecrets() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/old"
        ? .redirect(to: "/new?token=geheim") : Reply(headers: [("Set-Cookie", "sid=geheim")], text: "dog")
    }
    let result = try await program.run("get", "--verbose", server.address("/old"))
    #expect(result.errors.contains("> GET \(server.address("/old"))"))
    #expect(result.errors.contains("< 200 OK, HTTP/1.1 from 127.0.0.1:\(server.port)"))
    #expect(!result.errors.contains("geheim"))
  }
}
