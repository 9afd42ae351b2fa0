#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The tasks that a session lists: those that have not ended.
@Suite(.timeLimit(.minutes(5))) struct TaskListTests {
  private func listed(in session: URLSession) async -> [Int] {
    let (data, upload, download) = await session.tasks
    let (all, byKind) = (Log<Int>(), Log<Int>())
    let done = Gate()
    session.getAllTasks { all.add($0.count) }
    session.getTasksWithCompletionHandler {
      byKind.add($0.count + $1.count + $2.count)
      done.open()
    }
    #expect(await done.wait(within: .seconds(90)))
    return [await session.allTasks.count, data.count + upload.count + download.count] + all.all + byKind.all
  }

  @Test(arguments: [false, true])
  func `no task is listed once its session was cancelled`(hasDelegate: Bool) async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    let session = URLSession.forTest(delegate: hasDelegate ? SilentDelegate() : nil)
    for _ in 0..<50 {
      session.dataTask(with: server.url()).resume()
      session.uploadTask(with: URLRequest(url: server.url()), from: Data("x".utf8)).resume()
      session.downloadTask(with: server.url()).resume()
      _ = session.dataTask(with: server.url())
    }
    #expect(await session.allTasks.count == 200)
    session.invalidateAndCancel()
    #expect(await session.allTasks.isEmpty)
    #expect(await listed(in: session) == [0, 0, 0, 0])
  }

  @Test func `a task whose completion handler is still to be called is not listed`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    let queue = OperationQueue()
    queue.isSuspended = true
    let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    let called = Gate()
    let task = session.dataTask(with: server.url()) { _, _, _ in called.open() }
    task.resume()
    #expect(await eventually { task.state == .completed })
    #expect(!called.isOpen)
    #expect(await session.allTasks.isEmpty)
    queue.isSuspended = false
    #expect(await called.wait(within: .seconds(90)))
  }

  @Test func `tasks that run or are suspended are listed`() async throws {
    let reached = Gate()
    let server = try ScriptedServer([.readRequest, .open(reached), .hold])
    let session = URLSession.forTest()
    let running = session.dataTask(with: server.url()) { _, _, _ in }
    let idle = session.dataTask(with: server.url()) { _, _, _ in }
    let held = session.dataTask(with: server.url()) { _, _, _ in }
    running.resume()
    held.resume()
    held.suspend()
    #expect(await reached.wait(within: .seconds(90)))
    #expect(await session.allTasks == [running, idle, held])
    #expect(await listed(in: session) == [3, 3, 3, 3])
    session.invalidateAndCancel()
  }
}
#endif
