import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RetrieverBridges

/// Tests a slot and the tasks that wait on it.
@Suite(.timeLimit(.minutes(5))) struct ContinuationSlotTests {
  @Test func everyWaiterGetsTheNextEvent() async throws {
    let slot = ContinuationSlot<Int>()
    let tasks = (0..<3).map { _ in Task { try await slot.next() } }
    #expect(await eventually { slot.waiterCount == 3 })
    #expect(slot.send(7) == 3)
    #expect(slot.send(8) == 0)
    for task in tasks { #expect(try await task.value == 7) }
  }

  @Test func everyWaiterGetsTheNextError() async {
    let slot = ContinuationSlot<Int>()
    let task = Task { try await slot.next() }
    #expect(await eventually { slot.waiterCount == 1 })
    #expect(slot.send(throwing: Failure(number: 2)) == 1)
    #expect(Ending(await task.result) == .failure(2))
  }

  @Test func theEventThatTheStartCausesIsNotMissed() async throws {
    let slot = ContinuationSlot<Int>()
    #expect(try await slot.next { slot.send(1) } == 1)
    #expect(try await slot.receiver.next { slot.send(2) } == 2)
  }

  @Test func aStartThatThrowsEndsTheWait() async {
    let slot = ContinuationSlot<Int>()
    await #expect(throws: Failure(number: 1)) { try await slot.next { throw Failure(number: 1) } }
    #expect(slot.core.entryCount == 0)
  }

  @Test func aSlotForOneRefusesASecond() async throws {
    let line = #line + 1
    let slot = ContinuationSlot<Int>(waiters: .one)
    let task = Task { try await slot.next() }
    #expect(await eventually { slot.waiterCount == 1 })
    let starts = Counter()
    do {
      _ = try await slot.next { starts.increment() }
      Issue.record("a second waiter was admitted")
    } catch let error as BridgeError {
      #expect(error.code == .alreadyWaiting && error.site?.line == line && starts.value == 0)
    }
    slot.send(3)
    #expect(try await task.value == 3)
  }

  @Test func cancellingOneWaiterLeavesTheOthers() async throws {
    let slot = ContinuationSlot<Int>()
    let (first, second) = (Task { try await slot.next() }, Task { try await slot.next() })
    #expect(await eventually { slot.waiterCount == 2 })
    first.cancel()
    #expect(Ending(await first.result) == .cancelled)
    #expect(slot.send(1) == 1)
    #expect(try await second.value == 1)
  }

  @Test func aTaskThatIsCancelledBeforehandDoesNotWaitAndStartsNothing() async {
    let (slot, starts) = (ContinuationSlot<Int>(), Counter())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await slot.next { starts.increment() }
    }
    #expect(Ending(await task.result) == .cancelled)
    #expect(starts.value == 0 && slot.core.entryCount == 0)
  }

  @Test func lettingGoOfTheSlotTellsThoseWhoWaitOnItsReceiver() async throws {
    let slot = Box(ContinuationSlot<Int>())
    let core = try #require(slot.current).core
    let receiver = SlotReceiver(core: core)
    let task = Task { try await receiver.next() }
    let events = receiver.events()
    #expect(await eventually { core.waiterCount == 1 })
    slot.put(nil)
    #expect(Ending(await task.result) == .bridge(.delegateWentAway))
    #expect(await bridgeErrorCode { try await receiver.next() } == .delegateWentAway)
    var iterator = events.makeAsyncIterator()
    await #expect(throws: BridgeError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func finishingEndsSequencesAfterTheirEvents() async throws {
    let slot = ContinuationSlot<Int>()
    let events = slot.events()
    for number in 1...3 { slot.send(number) }
    slot.finish()
    slot.finish(throwing: Failure())
    var seen: [Int] = []
    for try await number in events { seen.append(number) }
    #expect(seen == [1, 2, 3])
    for try await _ in slot.events() { Issue.record("an event after the end") }
    #expect(await bridgeErrorCode { try await slot.next() } == .delegateWentAway)
  }

  @Test func finishingWithAnErrorGivesItToAll() async {
    let slot = ContinuationSlot<Int>()
    let events = slot.events()
    let task = Task { try await slot.next() }
    #expect(await eventually { slot.waiterCount == 1 })
    slot.finish(throwing: Failure(number: 4))
    #expect(Ending(await task.result) == .failure(4))
    await #expect(throws: Failure(number: 4)) { for try await _ in events {} }
    await #expect(throws: Failure(number: 4)) { try await slot.next() }
  }

  @Test func aSlowReaderLosesWhatThePolicySays() async throws {
    let slot = ContinuationSlot<Int>()
    let newest = slot.events(buffering: .droppingOldest(limit: 2))
    let oldest = slot.events(buffering: .droppingNewest(limit: 2))
    let strict = slot.events(buffering: .failing(limit: 2))
    for number in 1...5 { #expect(slot.send(number) == 3) }
    slot.finish()
    #expect(try await newest.reduce(into: []) { $0.append($1) } == [4, 5])
    #expect(try await oldest.reduce(into: []) { $0.append($1) } == [1, 2])
    #expect(newest.droppedCount == 3 && oldest.droppedCount == 3)
    #expect(await bridgeErrorCode { for try await _ in strict {} } == .bufferOverflow)
  }

  @Test func cancellingTheReaderThrowsAndLettingGoEndsTheSubscription() async {
    let slot = ContinuationSlot<Int>()
    let reading = Gate()
    let task = Task {
      let events = slot.events()
      reading.open()
      for try await _ in events {}
      return 0
    }
    await reading.wait()
    task.cancel()
    #expect(Ending(await task.result) == .cancelled)
    #expect(await eventually { slot.core.subscriptionCount == 0 })
  }

  @Test func aSecondReaderOfOneSequenceIsRefused() async throws {
    let executor = ManualExecutor()
    await runOnThread {
      let slot = ContinuationSlot<Int>()
      let events = slot.events()
      @Sendable func read() async throws -> Int {
        var iterator = events.makeAsyncIterator()
        return try await iterator.next() ?? -1
      }
      let (_, first) = executor.start(read)
      let (_, second) = executor.start(read)
      executor.run()
      #expect(second.current == .bridge(.concurrentIteration))
      slot.send(1)
      executor.run()
      #expect(first.current == .value(1))
    }
  }
}
