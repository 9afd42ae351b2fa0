import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(1))) struct PipelineCancellationTests {
  @Test func theLastOneToLeaveEndsTheFetch() async throws {
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

  @Test func theLastOneToLeaveEndsTheDecodeToo() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(makers: FakeMakers(feeding: Gate()))
    let load = test.pipeline.load(.fit(100, server.url()))
    #expect(await test.makers.hasBegun.wait())
    load.cancel()
    #expect(await test.makers.wasCancelled.wait())
    #expect(test.makers.counts.finished == 0)
  }

  @Test func whoLeavesDisturbsNobodyElse() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(makers: FakeMakers(feeding: Gate()))
    let task = Task { try await test.pipeline.thumbnail(for: .fit(100, server.url())) }
    #expect(await test.makers.hasBegun.wait())
    let other = test.pipeline.load(.fit(100, server.url()))
    task.cancel()
    #expect((await failure { try await task.value } as? ImageError)?.code == .cancelled)
    test.makers.feeding?.open()
    #expect(try await other.value.isMade(of: Data("image".utf8)))
    #expect(server.requests.count == 1)
  }

  @Test func whoWasCancelledBeforeAskingIsNotHeard() async throws {
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

  @Test func aTaskThatStopsWaitingLeavesTheLoadGoing() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(makers: FakeMakers(feeding: Gate()))
    let load = test.pipeline.load(.fit(100, server.url()))
    let task = Task { try await load.value }
    #expect(await test.makers.hasBegun.wait())
    task.cancel()
    #expect((await failure { try await task.value } as? ImageError)?.code == .cancelled)
    test.makers.feeding?.open()
    _ = try await load.value
  }

  @Test func aLoadThatIsDroppedIsGivenUp() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(makers: FakeMakers(feeding: Gate()))
    do {
      let load = test.pipeline.load(.fit(100, server.url()))
      #expect(await test.makers.hasBegun.wait())
      withExtendedLifetime(load) {}
    }
    #expect(await test.makers.wasCancelled.wait())
  }

  @Test func aWaitIsCancelledDuringTheBackOff() async throws {
    let server = try ScriptedServer.http { _ in Reply(503) }
    let test = PipelineUnderTest()
    let load = test.pipeline.load(.fit(100, server.url()))
    await test.clock.waitForSleepers()
    load.cancel()
    #expect(await eventually { test.clock.sleeperCount == 0 })
    #expect(server.requests.count == 1)
  }

  @Test func whateverTheMomentOfCancellingEverybodyIsAnswered() async throws {
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
    // Who waits is answered before the rest is cleared away.
    #expect(
      await eventually {
        test.core.state.withLock {
          $0.loads.isEmpty && $0.works.isEmpty && $0.tickets.isEmpty && $0.machine.jobs.isEmpty
            && $0.machine.waiters.isEmpty
        }
      })
  }
}
