#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

/// Programs that are killed while they transfer, and run again.
@Suite(.timeLimit(.minutes(10))) final class BackgroundProcessTests: Sendable {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func run(_ arguments: String..., stopAt point: String = "") throws -> ChildProcess {
    try ChildProcess(
      [ChildProcess.path(ofProgram: "transferring"), directory.url.path, "photos"] + arguments,
      environment: ["STOP_AT": point], isConversing: true)
  }

  /// Reads the program's lines up to one that begins with a word. Returns nil if there is none.
  private func lines(_ child: ChildProcess, upTo word: String) -> [String]? {
    var lines: [String] = []
    while let line = child.readLine(within: .seconds(60)) {
      lines.append(line)
      if line.hasPrefix(word) { return lines }
    }
    Issue.record("no \(word) after \(lines)")
    return nil
  }

  /// Ends a program as the system does when there is no memory.
  private func end(_ child: ChildProcess) {
    child.send(signal: SIGKILL)
    #expect(child.waitForEnd(within: .seconds(60)) == .signalled(SIGKILL))
  }

  private func result(_ identifier: Int = 1) throws -> Data {
    try Data(contentsOf: directory.file("result-\(identifier)"))
  }

  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path("background/photos"))) ?? [])
      .sorted()
  }

  /// The length of the only file of a download.
  private var fileLength: Int {
    let file = files.first { $0.hasSuffix(".tmp") }.map { directory.file("background/photos/\($0)") }
    let size = file.flatMap { try? FileManager.default.attributesOfItem(atPath: $0.path)[.size] } as? NSNumber
    return size?.intValue ?? 0
  }

  /// Runs the program until it has delivered the events of the earlier run. Returns its lines, without the progress.
  private func continueToEnd() throws -> [String] {
    let child = try run("continue")
    let all = try #require(lines(child, upTo: "events"))
    #expect(child.waitForEnd(within: .seconds(60)) == .exited(0))
    return all.filter { !$0.hasPrefix("written") }
  }

  // MARK: Downloads

  @Test func `a download continues after its program was killed`() throws {
    let server = try PortionServer(.pattern(count: 3_000_000), allowances: [2_000_000])
    let first = try run("download", server.url.absoluteString)
    while let line = first.readLine(), line != "written 2000000" {}
    end(first)
    let lines = try continueToEnd()
    #expect(lines.dropFirst(2) == ["file 1 206", "completed 1 0 task 1", "events"])
    #expect(lines.contains { $0.hasPrefix("resumed 1") } && lines.contains("tasks 1"))
    #expect(try result() == server.body)
    #expect(server.server.requests.map { $0["Authorization"] } == ["Bearer secret", "Bearer secret"])
    #expect(files == ["journal", "lock"])
    let journal = try String(contentsOfFile: directory.path("background/photos/journal"), encoding: .utf8)
    #expect(!journal.contains("secret"))
  }

  @Test(arguments: [1, 2, 3, 4])
  func `a download has the same bytes after its program was killed many times`(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let body = Data.pattern(count: 6_000_000)
    let allowances = (0..<6).map { _ in Int.random(in: 0..<1_500_000, using: &random) }
    let server = try PortionServer(body, allowances: allowances, hasLength: seed % 2 == 0)
    var child = try run("download", server.url.absoluteString)
    for run in 1...allowances.count {
      // The server has sent its part. The program may have received none of it, some, or all.
      while server.heldCount < run { usleep(500) }
      let enough = Int.random(in: 0..<1_000_000, using: &random)
      let deadline = ContinuousClock.now + .milliseconds(Int.random(in: 0..<400, using: &random))
      while fileLength < enough, .now < deadline { usleep(500) }
      end(child)
      if run < allowances.count { child = try self.run("continue") }
    }
    let lines = try continueToEnd()
    #expect(lines.last == "events" && lines.contains("completed 1 0 task 1"))
    #expect(try result() == body)
    #expect(server.ranges.contains { $0 != nil })
    #expect(files == ["journal", "lock"])
  }

  @Test func `a task that was created and not resumed is listed in the next run, suspended`() throws {
    let server = try PortionServer(.pattern(count: 1000), allowances: [])
    let first = try run("download", server.url.absoluteString, stopAt: "created")
    _ = lines(first, upTo: "stopped")
    end(first)
    let second = try run("continue")
    #expect(lines(second, upTo: "tasks") == ["tasks 1"])
    #expect(server.ranges.isEmpty)
    end(second)
  }

  @Test(arguments: ["file", "moved", "completed"])
  func `the end of a download is delivered again if the program was killed meanwhile`(point: String) throws {
    let server = try PortionServer(.pattern(count: 100_000), allowances: [])
    let first = try run("download", server.url.absoluteString, stopAt: point)
    _ = lines(first, upTo: "stopped")
    end(first)
    let lines = try continueToEnd().filter { !$0.hasPrefix("tasks") }
    let end = ["completed 1 0 task 1", "events"]
    // The file is delivered again only while it is there.
    #expect(lines == (point == "file" ? ["file 1 200"] + end : end))
    #expect(try result() == server.body)
    #expect(server.ranges.count == 1)
    #expect(files == ["journal", "lock"])
  }

  @Test func `a program without tasks gets no events`() throws {
    let child = try run("continue")
    #expect(lines(child, upTo: "tasks") == ["tasks "])
    end(child)
  }

  // MARK: Uploads

  private func heldUploads(_ received: Gate) throws -> ScriptedServer {
    try ScriptedServer { connection in
      if connection.index == 0 {
        // Takes a part of the body, and does not respond.
        _ = try connection.readHead()
        received.open()
        return try connection.readUntilClosed()
      }
      while let request = try connection.nextRequest() {
        try connection.send(Reply(text: "\(request.body.count)").bytes)
      }
    }
  }

  @Test(arguments: [("POST", -1005), ("PATCH", -1005), ("PUT", 0)])
  func `an upload that was under way is sent again only if that is safe`(method: String, code: Int) throws {
    let received = Gate()
    let server = try heldUploads(received)
    let (file, data) = try directory.file(ofSize: 4_000_000)
    let first = try run("upload", method, server.address("/upload"), file.path)
    #expect(received.waitBlocking())
    end(first)
    let lines = try continueToEnd().filter { !$0.hasPrefix("tasks") }
    #expect(lines == ["completed 1 \(code) task 1", "events"])
    #expect(server.connectionCount == (code == 0 ? 2 : 1))
    if code == 0 { #expect(server.requests.last?.body == data) }
    // It is reported once.
    let again = try run("continue")
    #expect(self.lines(again, upTo: "tasks") == ["tasks "])
    end(again)
  }

  @Test func `a POST that waited for its turn is sent in the next run`() throws {
    let held = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.method == "GET", connection.index == 0 {
          held.open()
          return try connection.readUntilClosed()
        }
        try connection.send(Reply(text: "\(request.body.count)").bytes)
      }
    }
    let (file, data) = try directory.file(ofSize: 100_000)
    let first = try run("queue", server.address("/a"), "POST", server.address("/b"), file.path)
    #expect(held.waitBlocking())
    // The second task was resumed when its record says so.
    let journal = directory.file("background/photos/journal")
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let entries = BackgroundLine.entries(in: [UInt8]((try? Data(contentsOf: journal)) ?? Data()))
      if BackgroundJournal(entries).tasks[2]?.isSuspended == false { break }
      usleep(1000)
    }
    end(first)
    let lines = try continueToEnd()
    #expect(lines.contains("completed 1 0 task 1") && lines.contains("completed 2 0 task 2"))
    #expect(server.requests.filter { $0.method == "POST" }.map(\.body) == [data])
  }

  @Test func `an upload whose file is gone fails`() throws {
    let received = Gate()
    let server = try heldUploads(received)
    let (file, _) = try directory.file(ofSize: 1000)
    let first = try run("upload", "PUT", server.address("/upload"), file.path)
    #expect(received.waitBlocking())
    end(first)
    try FileManager.default.removeItem(at: file)
    #expect(try continueToEnd().contains("completed 1 \(URLError.Code.fileDoesNotExist.rawValue) task 1"))
  }

  // MARK: Two processes

  @Test func `two processes do not use one background session at the same time`() throws {
    let server = try PortionServer(.pattern(count: 2_000_000), allowances: [1_000_000])
    let first = try run("download", server.url.absoluteString)
    while let line = first.readLine(), line != "written 1000000" {}
    let second = try run("download", server.url.absoluteString)
    let code = URLError.Code.backgroundSessionInUseByAnotherProcess.rawValue
    #expect(try #require(lines(second, upTo: "completed")).last?.hasPrefix("completed 1 \(code) ") == true)
    #expect(second.waitForEnd(within: .seconds(60)) == .exited(0))
    #expect(server.ranges.count == 1)
    end(first)
    #expect(try continueToEnd().contains("completed 1 0 task 1"))
    #expect(try result() == server.body)
  }
}
#endif
