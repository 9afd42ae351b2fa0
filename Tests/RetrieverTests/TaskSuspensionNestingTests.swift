#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Suspensions are counted: a task continues after the same number of resumes.
@Suite(.timeLimit(.minutes(5))) struct TaskSuspensionNestingTests {
  private let session = URLSession.forTest()

  @Test func `a task suspended twice needs two resumes`() async throws {
    let (reached, gate) = (Gate(), Gate())
    let server = try ScriptedServer([
      .readRequest, .open(reached), .waitFor(gate), .send(Reply(text: "body")), .hold,
    ])
    let done = Gate()
    let task = session.dataTask(with: server.url()) { data, _, _ in
      if data == Data("body".utf8) { done.open() }
    }
    task.resume()
    #expect(await reached.wait(within: .seconds(90)))
    task.suspend()
    task.suspend()
    gate.open()
    #expect(await eventually { task.response != nil })
    task.resume()
    #expect(task.state == .suspended)
    try await session.expectUsable()
    #expect(task.countOfBytesReceived == 0)
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
  }

  @Test func `a task that was suspended before it began needs one more resume`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    let done = Gate()
    let task = session.dataTask(with: server.url()) { _, _, _ in done.open() }
    task.suspend()
    task.resume()
    #expect(task.state == .suspended)
    try await session.expectUsable()
    #expect(server.connectionCount == 0)
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
  }

  @Test func `resuming a running task does not count`() async throws {
    let (reached, gate) = (Gate(), Gate())
    let server = try ScriptedServer([
      .readRequest, .open(reached), .waitFor(gate), .send(Reply(text: "x")),
    ])
    let done = Gate()
    let task = session.dataTask(with: server.url()) { _, _, _ in done.open() }
    for _ in 0..<3 { task.resume() }
    #expect(await reached.wait(within: .seconds(90)))
    task.suspend()
    #expect(task.state == .suspended)
    task.resume()
    #expect(task.state == .running)
    gate.open()
    #expect(await done.wait(within: .seconds(90)))
    task.suspend()
    #expect(task.state == .completed)
  }
}
#endif
