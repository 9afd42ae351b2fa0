import Foundation
import RetrieverBridges
import TestSupport
import Testing

/// Tests a publisher's first value, and the errors if there is none.
@Suite(.timeLimit(.minutes(5))) struct SingleResultTests {
  private typealias Publisher = ManualPublisher<Failure>

  @Test func theFirstValueIsReturnedAndTheSubscriptionCancelled() async throws {
    let publisher = Publisher { publisher, _ in
      publisher.send(1)
      publisher.send(2)
    }
    #expect(try await publisher.singleResult() == 1)
    #expect(publisher.requests == [1])
    #expect(publisher.cancelCount == 1)
  }

  @Test func aPublisherThatFinishesEmptyThrows() async {
    let publisher = Publisher { publisher, _ in publisher.complete(.success(())) }
    await #expect(throws: MissingOutputError()) { try await publisher.singleResult() }
    #expect(publisher.cancelCount == 0)
  }

  @Test func theFailureIsThrownAsItIs() async {
    let publisher = Publisher { publisher, _ in publisher.complete(.failure(Failure(number: 3))) }
    await #expect(throws: Failure(number: 3)) { try await publisher.singleResult() }
  }

  @Test func aCompletionAfterTheValueChangesNothing() async throws {
    let publisher = Publisher { publisher, _ in
      publisher.send(1)
      publisher.complete(.failure(Failure()))
    }
    #expect(try await publisher.singleResult() == 1)
  }

  @Test func aPublisherThatForgetsItsSubscriberThrows() async {
    let publisher = Publisher(subscribesAtOnce: false)
    let task = Task { try await publisher.singleResult() }
    #expect(await eventually { publisher.subscriberCount == 1 })
    publisher.forget()
    #expect(Ending(await task.result) == .bridge(.publisherWentAway))
  }

  @Test func cancellingTheTaskCancelsTheSubscription() async {
    let publisher = Publisher()
    let task = Task { try await publisher.singleResult() }
    #expect(await eventually { publisher.demand == 1 })
    task.cancel()
    #expect(Ending(await task.result) == .cancelled)
    #expect(publisher.cancelCount == 1)
  }

  @Test func aSubscriptionThatComesAfterTheCancellationIsCancelled() async {
    let publisher = Publisher(subscribesAtOnce: false)
    let task = Task { try await publisher.singleResult() }
    #expect(await eventually { publisher.subscriberCount == 1 })
    task.cancel()
    #expect(Ending(await task.result) == .cancelled)
    publisher.giveSubscription()
    #expect(publisher.cancelCount == 1 && publisher.requests.isEmpty)
  }

  @Test func fiveThousandOrdersEndAsTheirFirstWordSays() async {
    await runOnThread {
      for seed in 0..<5_000 as Range<UInt64> { self.play(seed) }
    }
  }

  private func play(_ seed: UInt64) {
    let executor = ManualExecutor()
    let publisher = Publisher(subscribesAtOnce: false)
    let (task, ending) = executor.start { try await publisher.singleResult() }
    executor.run()
    var (expected, isSubscribed) = (Ending?.none, false)
    SeededRandom.draw(6, eventsOf: 6, seed: seed) { kind, _ in
      let first: Ending
      switch kind {
      case 0 where !isSubscribed:
        isSubscribed = true
        publisher.giveSubscription()
        return
      case 1 where isSubscribed:
        publisher.send(5)
        first = .value(5)
      case 2:
        publisher.complete(.failure(Failure(number: 6)))
        first = .failure(6)
      case 3:
        task.cancel()
        first = .cancelled
      case 4 where kind == Int(seed % 5):
        publisher.forget()
        first = .bridge(.publisherWentAway)
      default:
        return
      }
      // A released subscriber receives nothing more.
      if expected == nil { expected = first }
    }
    executor.run()
    #expect(ending.current == expected, "seed \(seed)")
    if expected == nil { task.cancel() }
    executor.run()
    #expect(ending.current != nil, "seed \(seed)")
  }

  @Test func threadsThatSendCompleteAndCancelResumeOnce() async throws {
    let rounds = 500
    let tasks = Box<[Task<Int, any Error>]>([])
    await runOnThread {
      var all: [Task<Int, any Error>] = []
      for _ in 0..<rounds {
        let isSubscribed = DispatchSemaphore(value: 0)
        let publisher = Publisher { _, _ in isSubscribed.signal() }
        let task = Task { try await publisher.singleResult() }
        isSubscribed.wait()
        // Calls of a publisher do not overlap: one thread publishes, the others cancel.
        DispatchQueue.concurrentPerform(iterations: 2) { index in
          if index == 0 {
            publisher.send(1)
            publisher.complete(.success(()))
          } else {
            task.cancel()
          }
        }
        all.append(task)
      }
      tasks.put(all)
    }
    for task in try #require(tasks.take()) {
      let ending = Ending(await task.result)
      #expect(ending == .value(1) || ending == .cancelled)
    }
  }
}
