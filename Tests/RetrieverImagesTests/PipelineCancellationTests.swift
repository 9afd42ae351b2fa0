import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct PipelineCancellationTests {
  @Test func `cancelling the last load ends the fetch`() async throws {
    let asked = Gate()
    let left = Gate()
    let server = try ScriptedServer([.readRequest, .open(asked), .readUntilClosed, .open(left)])
    let test = PipelineUnderTest()
    let loads = (0..<3).map { _ in test.pipeline.load(.fit(100, server.url())) }
    #expect(await asked.wait())
    for load in loads { load.cancel() }
    #expect(await left.wait())
    for load in loads {
      #expect((await failure { try await load.value } as? ImageError)?.code == .cancelled)
    }
    #expect(test.core.state.withLock { $0.works.isEmpty && $0.loads.isEmpty })
  }

  @Test func `cancelling the last load ends the decode`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(factory: FakeWorkerFactory(feeding: Gate()))
    let load = test.pipeline.load(.fit(100, server.url()))
    #expect(await test.factory.hasBegun.wait())
    load.cancel()
    #expect(await test.factory.wasCancelled.wait())
    #expect(test.factory.counts.finished == 0)
  }

  @Test func `cancelling a request does not affect other requests`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(factory: FakeWorkerFactory(feeding: Gate()))
    let task = Task { try await test.pipeline.thumbnail(for: .fit(100, server.url())) }
    #expect(await test.factory.hasBegun.wait())
    let other = test.pipeline.load(.fit(100, server.url()))
    task.cancel()
    #expect((await failure { try await task.value } as? ImageError)?.code == .cancelled)
    test.factory.feeding?.open()
    #expect(try await other.value.isMade(of: Data("image".utf8)))
    #expect(server.requests.count == 1)
  }

  @Test func `a task that was cancelled before its request sends nothing`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest()
    let gate = Gate()
    let task = Task {
      await gate.wait()
      return try await test.pipeline.thumbnail(for: .fit(100, server.url()))
    }
    task.cancel()
    gate.open()
    #expect((await failure { try await task.value } as? ImageError)?.code == .cancelled)
    #expect(server.requests.isEmpty)
  }

  @Test func `cancelling a waiting task does not cancel the load`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(factory: FakeWorkerFactory(feeding: Gate()))
    let load = test.pipeline.load(.fit(100, server.url()))
    let task = Task { try await load.value }
    #expect(await test.factory.hasBegun.wait())
    task.cancel()
    #expect((await failure { try await task.value } as? ImageError)?.code == .cancelled)
    test.factory.feeding?.open()
    _ = try await load.value
  }

  @Test func `releasing a load cancels it`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(factory: FakeWorkerFactory(feeding: Gate()))
    do {
      let load = test.pipeline.load(.fit(100, server.url()))
      #expect(await test.factory.hasBegun.wait())
      withExtendedLifetime(load) {}
    }
    #expect(await test.factory.wasCancelled.wait())
  }

  @Test func `cancelling a load ends its pause before a retry`() async throws {
    let server = try ScriptedServer.http { _ in Reply(503) }
    let test = PipelineUnderTest()
    let load = test.pipeline.load(.fit(100, server.url()))
    await test.clock.waitForSleepers()
    load.cancel()
    #expect(await eventually { test.clock.sleeperCount == 0 })
    #expect(server.requests.count == 1)
  }

  @Test func `every request is answered, whenever it is cancelled`() async throws {
    let server = try ScriptedServer.http { _ in Reply(body: Data(count: 5_000)) }
    let test = PipelineUnderTest()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask {
          let task = Task {
            try await test.pipeline.thumbnail(for: .fit(100, server.url("/\(number % 40)")))
          }
          for _ in 0..<number % 7 { await Task.yield() }
          if number % 3 > 0 { task.cancel() }
          do {
            _ = try await task.value
          } catch {
            #expect((error as? ImageError)?.code == .cancelled)
          }
        }
      }
    }
    // Waiters are answered before the rest is cleaned up.
    #expect(
      await eventually {
        test.core.state.withLock {
          $0.loads.isEmpty && $0.works.isEmpty && $0.tasks.isEmpty && $0.machine.jobs.isEmpty
            && $0.machine.waiters.isEmpty
        }
      })
  }
}
