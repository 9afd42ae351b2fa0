import Foundation
import Glibc
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
  private let program: Program
  private let photo = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })

  init() throws { program = try Program() }

  /// Serves the photo completely or from an offset on. The first request receives only its beginning until the gate
  /// opens.
  ///
  /// - Parameters:
  ///   - laterTag: The entity tag of the responses after the first one; nil for the same.
  ///   - maximumRange: The maximum number of bytes in a response with status 206.
  private func photoServer(
    tag: String = "\"v1\"", laterTag: String? = nil, maximumRange: Int = .max, beginning: Int, gate: Gate,
    then: Script.Step
  ) throws -> ScriptedServer {
    let photo = photo
    return try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if connection.index == 0 {
          let head =
            "HTTP/1.1 200 OK\r\nContent-Length: \(photo.count)\r\nETag: \(tag)\r\nAccept-Ranges: bytes\r\n\r\n"
          try Script([.send(head), .send(photo.prefix(beginning)), .waitFor(gate), then]).run(on: connection)
          return
        }
        let tag = laterTag ?? tag
        if let range = request["Range"], request["If-Range"] == "\"v1\"",
          let offset = Int(range.dropFirst("bytes=".count).dropLast())
        {
          let part = photo.dropFirst(offset).prefix(maximumRange)
          let field = ("Content-Range", "bytes \(offset)-\(offset + part.count - 1)/\(photo.count)")
          try connection.send(Reply(206, headers: [field, ("ETag", tag)], body: part))
        } else {
          try connection.send(Reply(headers: [("ETag", tag)], body: photo))
        }
      }
    }
  }

  private func size(_ name: String) -> Int64 { FileSystem.size(program.file(name).path) ?? 0 }

  @Test func aFileGetsTheNameThatTheServerProposes() async throws {
    let server = try ScriptedServer.http { [photo] request in
      request.path == "/dogs/rex.jpg"
        ? Reply(body: photo)
        : Reply(headers: [("Content-Disposition", "attachment; filename=\"../.profile\"")], text: "x")
    }
    let result = try await program.run("download", server.address("/dogs/rex.jpg"), server.address("/evil"))
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(program.files == ["_.profile", "rex.jpg"])
    #expect(program.contents("rex.jpg") == photo)
    #expect(result.errors.contains("rex.jpg: 300 kB, in "))
    #expect(!result.errors.contains("\u{1B}"), "a file is not a terminal")
  }

  @Test func nothingIsReplacedUnlessThatIsAskedFor() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "new") }
    try Data("old".utf8).write(to: program.file("a"))
    let refused = try await program.run("download", server.address("/a"))
    #expect(refused.status == 8 && refused.errors.contains("a already exists. Use --force to replace it."))
    #expect(program.contents("a") == Data("old".utf8))
    #expect(program.files == ["a"])
    #expect(try await program.run("download", "--force", server.address("/a")).status == 0)
    #expect(program.contents("a") == Data("new".utf8))
  }

  @Test func aCutDownloadIsKeptAndGoneOnWith() async throws {
    let gate = Gate()
    let server = try photoServer(beginning: 100_000, gate: gate, then: .reset)
    gate.open()
    let cut = try await program.run("download", server.address("/photo.jpg"))
    #expect(cut.status == 4)
    #expect(cut.errors.contains("are kept in photo.jpg.part. Use --resume to continue."))
    let offset = size("photo.jpg.part")
    #expect(offset > 0)
    let result = try await program.run("download", "--resume", server.address("/photo.jpg"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(program.files == ["photo.jpg"])
    #expect(program.contents("photo.jpg") == photo)
    #expect(server.requests.last?["Range"] == "bytes=\(offset)-")
    #expect(result.errors.contains("existed already"))
  }

  @Test func ctrlCKeepsWhatIsThereAndALaterRunGoesOn() async throws {
    let server = try photoServer(beginning: 200_000, gate: Gate(), then: .close)
    let running = try program.start(["download", "-o", "dog.jpg", server.address("/photo.jpg")])
    #expect(await eventually(within: .seconds(20)) { size("dog.jpg.part") == 200_000 })
    running.interrupt()
    let cut = try await running.end()
    #expect(cut.status == 130)
    #expect(
      cut.errors
        == "dog.jpg: 200 kB of 300 kB are kept in dog.jpg.part. Use --resume to continue.\n")
    let result = try await program.run("download", "-c", "-o", "dog.jpg", server.address("/photo.jpg"))
    #expect(result.status == 0)
    #expect(program.files == ["dog.jpg"] && program.contents("dog.jpg") == photo)
    #expect(server.requests.last?["Range"] == "bytes=200000-")
  }

  @Test func evenAKilledDownloadIsGoneOnWith() async throws {
    let server = try photoServer(beginning: 200_000, gate: Gate(), then: .close)
    let running = try program.start(["download", server.address("/photo.jpg")])
    #expect(await eventually(within: .seconds(20)) { size("photo.jpg.part") == 200_000 })
    running.child.send(signal: SIGKILL)
    _ = try await running.end()
    #expect(try await program.run("download", "-c", server.address("/photo.jpg")).status == 0)
    #expect(program.contents("photo.jpg") == photo)
    #expect(server.requests.last?["Range"] == "bytes=200000-")
  }

  @Test func aFileThatHasChangedIsLoadedAnew() async throws {
    let gate = Gate()
    let server = try photoServer(tag: "\"v2\"", beginning: 100_000, gate: gate, then: .reset)
    gate.open()
    _ = try await program.run("download", server.address("/photo.jpg"))
    #expect(program.files == ["photo.jpg.part", "photo.jpg.part.resume"])
    #expect(try await program.run("download", "--resume", server.address("/photo.jpg")).status == 0)
    #expect(program.files == ["photo.jpg"] && program.contents("photo.jpg") == photo)
  }

  @Test func `a server that ignores If-Range does not mix two versions`() async throws {
    let gate = Gate()
    let server = try photoServer(laterTag: "\"v2\"", beginning: 100_000, gate: gate, then: .close)
    gate.open()
    _ = try await program.run("download", server.address("/photo.jpg"))
    let result = try await program.run("download", "--resume", server.address("/photo.jpg"))
    #expect(result.status == 0 && result.errors.contains("Starting again."), "\(result.errors)")
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=100000-", nil])
    #expect(program.files == ["photo.jpg"] && program.contents("photo.jpg") == photo)
  }

  @Test func `a part of the rest is not taken for the complete file`() async throws {
    let gate = Gate()
    let server = try photoServer(maximumRange: 100_000, beginning: 100_000, gate: gate, then: .close)
    gate.open()
    _ = try await program.run("download", server.address("/photo.jpg"))
    let partial = try await program.run("download", "--resume", server.address("/photo.jpg"))
    #expect(partial.status == 4)
    #expect(partial.errors.contains("The response ended after 200000 of 300000 bytes."), "\(partial.errors)")
    #expect(program.files == ["photo.jpg.part", "photo.jpg.part.resume"])
    #expect(size("photo.jpg.part") == 200_000)
    let rest = try await program.run("download", "--resume", server.address("/photo.jpg"))
    #expect(rest.status == 0, "\(rest.errors)")
    #expect(server.requests.map { $0["Range"] } == [nil, "bytes=100000-", "bytes=200000-"])
    #expect(program.files == ["photo.jpg"] && program.contents("photo.jpg") == photo)
  }

  @Test func `a record of an earlier version of the program is not used`() async throws {
    let server = try ScriptedServer.http { [photo] _ in Reply(headers: [("ETag", "\"v1\"")], body: photo) }
    let url = server.address("/photo.jpg")
    try Data("old".utf8).write(to: program.file("photo.jpg.part"))
    try Data(#"{"total":300000,"url":"\#(url)","validator":"\"v1\"","version":1}"#.utf8)
      .write(to: program.file("photo.jpg.part.resume"))
    #expect(try await program.run("download", "--resume", url).status == 0)
    #expect(server.requests.map { $0["Range"] } == [nil])
    #expect(program.files == ["photo.jpg"] && program.contents("photo.jpg") == photo)
  }

  @Test func whatCannotBeResumedIsRemovedAndThatIsSaid() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n"), .send(photo), .hold,
    ])
    let running = try program.start(["download", server.address("/photo.jpg")])
    #expect(await eventually(within: .seconds(20)) { size("photo.jpg.part") == 300_000 })
    running.interrupt()
    let result = try await running.end()
    #expect(result.status == 130)
    #expect(
      result.errors == "photo.jpg: Cancelled. The download cannot be resumed, so the data was removed.\n")
    #expect(program.files.isEmpty)
  }

  @Test func severalAreUnderWayAtOnceAndWhatWasDoneIsKept() async throws {
    let (first, second) = (Gate(), Gate())
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        // Each request waits for the other.
        let (mine, other) = request.path == "/a" ? (first, second) : (second, first)
        if request.path != "/missing" {
          mine.open()
          try connection.wait(for: other)
        }
        try connection.send(request.path == "/missing" ? Reply(404) : Reply(text: request.path))
      }
    }
    let urls = ["/a", "/b", "/missing"].map { server.address($0) }
    let result = try await program.start(["download", "--parallel", "2", "-o", "new/"] + urls).end()
    #expect(result.status == 10)
    #expect(program.contents("new/a") == Data("/a".utf8) && program.contents("new/b") == Data("/b".utf8))
    #expect(result.errors.contains("/missing: The server answered 404 (not found)"))
  }

  @Test func twoDownloadsOfOneNameDoNotMix() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        try connection.send(head)
        try connection.wait(for: gate)
        try connection.send(String(request.path.prefix(2)))
      }
    }
    let running = try program.start(["download", server.address("/x/same"), server.address("/y/same")])
    #expect(
      await eventually(within: .seconds(20)) {
        (try? String(contentsOf: program.directory.file("errors"), encoding: .utf8))?
          .contains("Another download is writing") == true
      })
    gate.open()
    let result = try await running.end()
    #expect(result.status == 10 && program.files == ["same"])
  }

  @Test func tooMuchIsNotKept() async throws {
    let server = try ScriptedServer.http { [photo] _ in
      Reply(headers: [("ETag", "\"1\"")], body: photo, framing: .chunked(10_000))
    }
    let result = try await program.run("download", "--max-size", "50k", server.address("/photo.jpg"))
    #expect(result.status == 11 && program.files.isEmpty)
  }

  @Test func aBodyMayGoToStandardOutput() async throws {
    let server = try ScriptedServer.http { [photo] _ in Reply(body: photo) }
    let result = try await program.run("download", "--quiet", "-o", "-", server.address("/photo.jpg"))
    let isWhole = result.output == photo
    #expect(isWhole && result.errors.isEmpty && program.files.isEmpty)
  }
}
