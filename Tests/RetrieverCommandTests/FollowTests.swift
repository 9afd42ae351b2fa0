import Foundation
import Glibc
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct FollowTests {
  private let program: Program

  init() throws { program = try Program() }

  /// Starts the program so that its output can be read line by line.
  private func follow(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      [Program.path] + arguments, environment: program.environment, output: program.directory.path("errors"),
      isConversing: true)
  }

  private var errors: String {
    (try? String(contentsOf: program.directory.file("errors"), encoding: .utf8)) ?? ""
  }

  @Test func aLineIsWrittenAsSoonAsItIsThere() async throws {
    let gate = Gate()
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none\n\ntw"), .waitFor(gate),
      .send("o\nthree"), .close,
    ])
    let child = try follow("lines", server.address())
    #expect(await runOnThread { child.readLine() } == "one")
    #expect(await runOnThread { child.readLine() } == "")
    gate.open()
    #expect(await runOnThread { child.readLine() } == "two")
    #expect(await runOnThread { child.readLine() } == "three")
    #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(0))
  }

  @Test func aLostConnectionIsTakenUpAgain() async throws {
    let server = try ScriptedServer(
      [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\none\n"), .close],
      [.readRequest, .send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), .close],
      [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntwo\n"), .close])
    let child = try follow("lines", "--json", "--reconnect-delay", "0.01", server.address())
    #expect(await runOnThread { child.readLine() }?.contains("\"line\":\"one\"") == true)
    #expect(await runOnThread { child.readLine() }?.contains("\"line\":\"two\"") == true)
    #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(0))
    #expect(errors.contains("Reconnecting in 0.01 s"))
    #expect(server.connectionCount == 3)
  }

  @Test func withoutReconnectingALostConnectionIsAFailure() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\none\n"), .close,
    ])
    let result = try await program.run("lines", "--no-reconnect", server.address())
    #expect(result.status == 4 && result.text == "one\n")
  }

  @Test func whatNeverWorkedIsNotTriedAgain() async throws {
    #expect(try await program.run("events", "http://no-such-host.invalid/").status == 3)
    let server = try ScriptedServer.http { _ in Reply(headers: [("Content-Type", "text/html")], text: "hi") }
    let result = try await program.run("events", server.address())
    #expect(result.status == 6 && result.errors.contains("not an event stream"))
  }

  @Test func eventsGoOnBehindTheLastOne() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    let server = try ScriptedServer(
      [
        .readRequest, .send(head + "retry: 10\nid: 7\ndata: woof\n\nevent: nap\ndata: a\ndata: b\n\n"),
        .close,
      ],
      [.readRequest, .send(head + "data: again\n\n"), .close],
      [.readRequest, .send("HTTP/1.1 204 No Content\r\n\r\n"), .close])
    let result = try await program.run("events", server.address())
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text == "woof\nnap: a\n  b\nagain\n")
    #expect(server.requests.map { $0["Last-Event-ID"] } == [nil, "7", "7"])
    #expect(server.requests.first?["Accept"] == "text/event-stream")
  }

  @Test func eventsAreObjectsInJSON() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(
        headers: [("Content-Type", "text/event-stream; charset=utf-8")], text: "id: 1\nevent: e\ndata: x\n\n")
    }
    let result = try await program.run(
      "events", "--json", "--no-reconnect", "--last-event-id", "0", server.address("/"))
    #expect(
      result.text == "{\"data\":\"x\",\"event\":\"e\",\"id\":\"1\",\"url\":\"\(server.address("/"))\"}\n")
    #expect(server.requests.first?["Last-Event-ID"] == "0")
  }

  @Test func ctrlCEndsAStreamAndAWaitForTheNext() async throws {
    let server = try ScriptedServer(
      [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\none\n"), .close],
      [.readRequest, .hold])
    let holding = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\none\n"), .hold,
    ])
    for (address, waits) in [(holding.address(), false), (server.address(), true)] {
      let child = try follow("lines", "--reconnect-delay", "1000", address)
      #expect(await runOnThread { child.readLine() } == "one")
      if waits {
        #expect(await eventually(within: .seconds(20)) { errors.contains("Reconnecting") })
      }
      child.send(signal: SIGINT)
      #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(130))
    }
  }
}
