import Foundation
import RetrieverBridges
import TestSupport
import Testing

/// Tests calling async code from synchronous code, and the cases in which this is refused.
@Suite(.timeLimit(.minutes(5))) struct RunBlockingTests {
  /// Hides the call from the compiler, which does not allow it in async code.
  private func measureSynchronously() throws -> Int {
    try runBlocking { 5 }
  }

  @Test func aThreadOfItsOwnGetsTheValueOrTheError() async {
    let endings = Box<[Ending]>()
    await runOnThread {
      let value = Result {
        try runBlocking {
          await Task.yield(); return 5
        }
      }
      let error = Result { try runBlocking { () async throws -> Int in throw Failure(number: 2) } }
      endings.put([Ending(value), Ending(error)])
    }
    #expect(endings.current == [.value(5), .failure(2)])
  }

  @Test func aCallFromATaskIsRefusedAndStartsNothing() async throws {
    func call(_ starts: Counter) throws -> Int {
      try runBlocking(fileID: "here", line: 7) {
        starts.increment()
        return 0
      }
    }
    let starts = Counter()
    let error = #expect(throws: BridgeError.self) { try call(starts) }
    #expect(error?.code == .wouldBlockTask)
    #expect(error?.description.contains("here:7") == true)
    await MainActor.run { _ = #expect(throws: BridgeError.self) { try call(starts) } }
    #expect(starts.value == 0)
  }

  @Test func theOperationItselfMayNotBlockEither() async {
    let ending = Box<Ending>()
    await runOnThread {
      ending.put(Ending(Result { try runBlocking { try self.measureSynchronously() } }))
    }
    #expect(ending.current == .bridge(.wouldBlockTask))
  }

  @Test func manyThreadsMayBlockAtOnce() async {
    let sum = Counter()
    await runOnThread {
      let gate = Gate()
      let threads = (0..<32).map { _ in
        JobThread {
          _ = try? runBlocking {
            await gate.wait()
            sum.increment()
          }
        }
      }
      gate.open()
      for thread in threads { thread.join() }
    }
    #expect(sum.value == 32)
  }

  @Test func aWorkItemOfAQueueMayBlock() async {
    let ending = Box<Ending>()
    let done = Gate()
    DispatchQueue.global().async {
      ending.put(Ending(Result { try runBlocking { 3 } }))
      done.open()
    }
    await done.wait()
    #expect(ending.current == .value(3))
  }

  @Test func workOfTheMainQueueMayBlockForWhatDoesNotNeedThatQueue() async {
    let ending = Box<Ending>()
    let done = Gate()
    DispatchQueue.main.async {
      ending.put(Ending(Result { try runBlocking { 4 } }))
      done.open()
    }
    await done.wait()
    #expect(ending.current == .value(4))
  }

  @Test func theMainActorGoesOnWhileTheMainThreadBlocks() async throws {
    let folder = Bundle.main.executableURL?.deletingLastPathComponent()
    let program = try #require(folder).appending(path: "main-thread-bridge").path
    let output = Box<String>()
    await runOnThread { output.put(try? ChildProcess.run([program])) }
    #expect(output.current == "11\n100\n")
  }
}
