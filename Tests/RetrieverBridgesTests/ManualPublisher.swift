import RetrieverBridges
import Synchronization

/// A publisher that a test controls. It records the requests that it receives.
final class ManualPublisher<Failing: Error>: ValuePublisher, Sendable {
  typealias Output = Int
  typealias Failure = Failing

  private struct State {
    var subscribers: [any ValueSubscriber<Int, Failing>] = []
    var demand = 0
    var requests: [Int] = []
    var cancelCount = 0
  }

  private final class Subscription: ValueSubscription {
    private let publisher: ManualPublisher

    init(_ publisher: ManualPublisher) { self.publisher = publisher }

    func request(_ count: Int) { publisher.requested(count) }
    func cancel() { publisher.cancelled() }
  }

  private let state = Mutex(State())
  private let subscribesAtOnce: Bool
  private let onRequest: (@Sendable (ManualPublisher, Int) -> Void)?

  /// - Parameter onRequest: A closure that is called with each demand, on the thread of the request.
  init(subscribesAtOnce: Bool = true, onRequest: (@Sendable (ManualPublisher, Int) -> Void)? = nil) {
    self.subscribesAtOnce = subscribesAtOnce
    self.onRequest = onRequest
  }

  var requests: [Int] { state.withLock { $0.requests } }
  var demand: Int { state.withLock { $0.demand } }
  var cancelCount: Int { state.withLock { $0.cancelCount } }
  var subscriberCount: Int { state.withLock { $0.subscribers.count } }
  private var subscribers: [any ValueSubscriber<Int, Failing>] { state.withLock { $0.subscribers } }

  func subscribe(_ subscriber: some ValueSubscriber<Int, Failing>) {
    state.withLock { $0.subscribers.append(subscriber) }
    if subscribesAtOnce { giveSubscription() }
  }

  func giveSubscription() {
    for subscriber in subscribers { subscriber.receive(subscription: Subscription(self)) }
  }

  func send(_ value: Int) {
    state.withLock { $0.demand -= 1 }
    for subscriber in subscribers { subscriber.receive(value) }
  }

  func complete(_ completion: Result<Void, Failing>) {
    for subscriber in subscribers { subscriber.receive(completion: completion) }
  }

  /// Releases the subscribers without completing.
  func forget() {
    let gone = state.withLock { state in
      defer { state.subscribers = [] }
      return state.subscribers
    }
    _ = gone
  }

  private func requested(_ count: Int) {
    state.withLock { state in
      state.requests.append(count)
      state.demand += count
    }
    onRequest?(self, count)
  }

  private func cancelled() {
    state.withLock { $0.cancelCount += 1 }
    forget()
  }
}
