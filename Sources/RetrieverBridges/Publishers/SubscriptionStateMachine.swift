import Synchronization

/// The state machine of a subscription that may arrive late, twice, or when it is not needed any more. It contains no
/// locks and calls no callbacks.
///
/// `Subscription` is a publisher's subscription in ``SubscriptionHolder``, a number in the tests.
struct SubscriptionStateMachine<Subscription> {
  enum Action {
    case none
    case request(Subscription, Int)
    case cancel(Subscription)
    /// The publisher has completed. Release the subscription.
    case release(Subscription)
  }

  private enum Phase {
    /// The subscription has not arrived yet. `demand` is the number of values to request when it does.
    case awaited(demand: Int)
    case held(Subscription)
    /// Cancelled or completed. A subscription that arrives now is cancelled.
    case over
  }

  private var phase = Phase.awaited(demand: 0)

  init() {}

  /// Whether further values are accepted.
  var isOpen: Bool { if case .over = phase { false } else { true } }

  /// Handles the arrival of the subscription.
  mutating func receive(_ subscription: Subscription) -> Action {
    guard case .awaited(let demand) = phase else { return .cancel(subscription) }
    phase = .held(subscription)
    return demand > 0 ? .request(subscription, demand) : .none
  }

  /// Requests more values.
  mutating func request(_ count: Int) -> Action {
    switch phase {
    case .awaited(let demand):
      let (sum, isTooMuch) = demand.addingReportingOverflow(count)
      phase = .awaited(demand: isTooMuch ? .max : sum)
      return .none
    case .held(let subscription):
      return .request(subscription, count)
    case .over:
      return .none
    }
  }

  /// Cancels the subscription.
  mutating func cancel() -> Action {
    defer { phase = .over }
    if case .held(let subscription) = phase { return .cancel(subscription) }
    return .none
  }

  /// Handles the completion of the publisher.
  mutating func complete() -> Action {
    defer { phase = .over }
    if case .held(let subscription) = phase { return .release(subscription) }
    return .none
  }
}

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
