import RetrieverBridges
import TestSupport
import Testing

/// Tests reading all values of a publisher.
@Suite(.timeLimit(.minutes(5))) struct PublisherValuesTests {
  private typealias Publisher = ManualPublisher<Failure>

  /// Returns a publisher that sends as many values as requested, up to a last one.
  private func counting(to last: Int) -> Publisher {
    let next = Counter()
    return Publisher { publisher, count in
      for _ in 0..<count where next.value < last {
        next.increment()
        publisher.send(next.value)
        if next.value == last { publisher.complete(.success(())) }
      }
    }
  }

  @Test(arguments: [-1, 1, 2, 7, 1_000])
  func everyValueComesInOrder(prefetch: Int) async throws {
    let values = counting(to: 500).values(prefetch: prefetch)
    #expect(try await values.reduce(into: []) { $0.append($1) } == Array(1...500))
  }

  @Test func noMoreIsAskedForThanIsReadAndAhead() async throws {
    let publisher = Publisher()
    var iterator = publisher.values(prefetch: 3).makeAsyncIterator()
    #expect(publisher.subscriberCount == 0)
    let first = Task { publisher.send(1) }
    await first.value
    let reading = Task {
      var iterator = publisher.values(prefetch: 3).makeAsyncIterator()
      return try await (iterator.next() ?? -1, iterator.next() ?? -1)
    }
    #expect(await eventually { publisher.requests == [3] })
    publisher.send(1)
    publisher.send(2)
    let seen = try await reading.value
    #expect(seen == (1, 2))
    #expect(publisher.requests == [3, 1, 1])
    // An iterator that was never read has not subscribed.
    _ = iterator
    #expect(await eventually { publisher.cancelCount == 1 })
    iterator = publisher.values().makeAsyncIterator()
  }

  @Test func theFailureComesAfterTheValues() async {
    let publisher = Publisher { publisher, count in
      if count == 2 {
        publisher.send(1)
        publisher.send(2)
        publisher.complete(.failure(Failure(number: 8)))
      }
    }
    var seen: [Int] = []
    do {
      for try await value in publisher.values(prefetch: 2) { seen.append(value) }
      Issue.record("no error was thrown")
    } catch {
      #expect(error as? Failure == Failure(number: 8))
    }
    #expect(seen == [1, 2])
  }

  @Test func aPublisherThatGivesTooMuchIsCancelledAndTheSequenceThrows() async {
    let publisher = Publisher { publisher, _ in for number in 0..<10 { publisher.send(number) } }
    var seen: [Int] = []
    let code = await bridgeErrorCode {
      for try await value in publisher.values(prefetch: 4) { seen.append(value) }
    }
    #expect(code == .bufferOverflow)
    #expect(seen == [0, 1, 2, 3])
    #expect(publisher.cancelCount == 1)
  }

  @Test func aPublisherThatForgetsItsSubscriberThrows() async {
    let publisher = Publisher(subscribesAtOnce: false)
    let task = Task {
      var iterator = publisher.values().makeAsyncIterator()
      return try await iterator.next() ?? -1
    }
    #expect(await eventually { publisher.subscriberCount == 1 })
    publisher.forget()
    #expect(Ending(await task.result) == .bridge(.publisherWentAway))
  }

  @Test func cancellingTheTaskCancelsTheSubscriptionAndThrows() async {
    let publisher = Publisher()
    let task = Task {
      for try await _ in publisher.values() {}
      return 0
    }
    #expect(await eventually { publisher.demand == 1 })
    task.cancel()
    #expect(Ending(await task.result) == .cancelled)
    #expect(publisher.cancelCount == 1)
  }

  @Test func anIteratorThatIsKeptAfterACancellationHoldsNoSubscription() async {
    let publisher = Publisher()
    let task = Task {
      var iterator = publisher.values().makeAsyncIterator()
      let result: Result<Int, any Error>
      do {
        result = .success(try await iterator.next() ?? -1)
      } catch {
        result = .failure(error)
      }
      #expect(publisher.cancelCount == 1)
      #expect(try await iterator.next() == nil)
      return try result.get()
    }
    #expect(await eventually { publisher.demand == 1 })
    task.cancel()
    #expect(Ending(await task.result) == .cancelled)
  }

  @Test func leavingTheLoopCancelsTheSubscription() async throws {
    let publisher = Publisher { publisher, count in for _ in 0..<count { publisher.send(1) } }
    for try await value in publisher.values() where value == 1 { break }
    #expect(publisher.cancelCount == 1)
  }

  @Test func aPublisherOfTheMainActorIsReadThere() async throws {
    #expect(try await readOnMainActor() == [1, 2, 3])
  }

  @MainActor private func readOnMainActor() async throws -> [Int] {
    // Not sendable, so it must not leave the actor.
    final class Local: ValuePublisher {
      typealias Output = Int
      typealias Failure = Never
      let publisher = ManualPublisher<Never> { publisher, _ in
        for number in 1...3 { publisher.send(number) }
        publisher.complete(.success(()))
      }
      var isSubscribed = false

      func subscribe(_ subscriber: some ValueSubscriber<Int, Never>) {
        MainActor.assertIsolated()
        isSubscribed = true
        publisher.subscribe(subscriber)
      }
    }
    let local = Local()
    var seen: [Int] = []
    for try await value in local.values(prefetch: 3) { seen.append(value) }
    #expect(local.isSubscribed)
    return seen
  }
}
