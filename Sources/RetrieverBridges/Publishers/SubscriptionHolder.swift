import Synchronization

/// Drives a ``SubscriptionStateMachine``.
final class SubscriptionHolder: Sendable {
  private typealias Machine = SubscriptionStateMachine<any ValueSubscription>

  private let state = Mutex(Machine())

  var isOpen: Bool { state.withLock { $0.isOpen } }

  func receive(_ subscription: any ValueSubscription) { perform(state.withLock { $0.receive(subscription) }) }
  func request(_ count: Int) { perform(state.withLock { $0.request(count) }) }
  func cancel() { perform(state.withLock { $0.cancel() }) }
  func complete() { perform(state.withLock { $0.complete() }) }

  private func perform(_ action: Machine.Action) {
    switch action {
    case .none, .release: break
    case .request(let subscription, let count): subscription.request(count)
    case .cancel(let subscription): subscription.cancel()
    }
  }
}
