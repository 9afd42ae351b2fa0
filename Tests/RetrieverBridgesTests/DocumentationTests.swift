import Foundation
import RetrieverBridges
import TestSupport
import Testing

/// Checks that the documentation's examples work, and that they are identical to the code in this target.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
  private let examples = DocumentationExamples()

  @Test func aThumbnailIsLoadedAndItsLoadCancelledWithTheTask() async throws {
    #expect(
      try await examples.thumbnail(for: Photo(name: "Rex"), from: PhotoLoader()) == Thumbnail(name: "Rex"))
    let loader = PhotoLoader(answers: false)
    let task = Task { try await examples.thumbnail(for: Photo(name: "Rex"), from: loader) }
    #expect(await eventually { loader.kept.current != nil })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await eventually { loader.cancelCount.value == 1 })
  }

  @Test func threeValuesAreLoaded() async throws {
    let url = URL(filePath: "/photo")
    let answer = try await examples.load(url, with: OldClient(data: Data([1])))
    #expect(answer == (Data([1]), 200))
    #expect(
      await bridgeErrorCode { try await examples.load(url, with: OldClient()) } == .neitherValueNorError)
  }

  @Test func aDelegateGivesItsNextEventOrError() async throws {
    let here = Location(name: "here")
    #expect(try await LocationFinder().currentLocation(from: LocationSource(location: here)) == here)
    await #expect(throws: Failure(number: 5)) {
      try await LocationFinder().currentLocation(from: LocationSource())
    }
  }

  @Test func progressIsReported() async throws {
    let progress = ContinuationSlot<Double>()
    let task = Task { try await examples.report(progress) }
    #expect(await eventually { progress.send(0.5) > 0 })
    progress.finish()
    #expect(try await task.value == [0.5])
  }

  @Test func theFirstHeadlineOrNoneIsFetched() async throws {
    #expect(try await examples.firstHeadline(of: Values<String, any Error>(["Woof", "Bow"])) == "Woof")
    #expect(try await examples.firstHeadline(of: Values<String, any Error>([])) == "No news")
  }

  @Test func pricesAreAddedUp() async throws {
    #expect(try await examples.total(of: Values<Int, Never>(Array(1...100))) == 5_050)
  }

  @Test func aCallbackFromCIsAnswered() async {
    let sizes = Box<[Int32]>()
    await runOnThread { sizes.put([examples.sizeForC(of: "Rex"), examples.sizeForC(of: "")]) }
    #expect(sizes.current == [3, -1])
  }

  @Test func anUploadIsWaitedForAndANameLoaded() async throws {
    #expect(try await examples.waitForUpload(Upload()).path == "/uploaded")
    let name = try await withCancellableContinuation(of: String.self) { continuation in
      let handle = examples.loadName(completion: continuation.resultHandler)
      return { handle.cancel() }
    }
    #expect(name == "Rex")
  }
}

/// A publisher of existing values.
private final class Values<Output: Sendable, Failure: Error>: ValuePublisher {
  private final class Subscription: ValueSubscription {
    private let rest: Box<ArraySlice<Output>>
    private let subscriber: Box<any ValueSubscriber<Output, Failure>>

    init(_ values: [Output], _ subscriber: any ValueSubscriber<Output, Failure>) {
      rest = Box(values[...])
      self.subscriber = Box(subscriber)
    }

    func request(_ count: Int) {
      guard let subscriber = subscriber.current, let values = rest.current else { return }
      rest.put(values.dropFirst(count))
      for value in values.prefix(count) { subscriber.receive(value) }
      if values.count <= count { subscriber.receive(completion: .success(())) }
    }

    func cancel() { subscriber.put(nil) }
  }

  private let values: [Output]

  init(_ values: [Output]) { self.values = values }

  func subscribe(_ subscriber: some ValueSubscriber<Output, Failure>) {
    subscriber.receive(subscription: Subscription(values, subscriber))
    if values.isEmpty { subscriber.receive(completion: .success(())) }
  }
}
