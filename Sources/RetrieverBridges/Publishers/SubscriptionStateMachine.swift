/// The rules of holding a subscription that may come late, twice, or after nobody wants it any more. No lock,
/// no callback.
///
/// `Subscription` is a publisher's subscription in the driver, a plain number in the tests.
struct SubscriptionStateMachine<Subscription> {
  enum Action {
    case none
    case request(Subscription, Int)
    case cancel(Subscription)
    /// The publisher is done with it: let go of it.
    case release(Subscription)
  }

  private enum Phase {
    /// Not there yet; how many values will be asked for when it is.
    case awaited(demand: Int)
    case held(Subscription)
    /// Cancelled or completed: also the mark for a subscription that comes only now.
    case over
  }

  private var phase = Phase.awaited(demand: 0)

  init() {}

  /// Whether values still count.
  var isOpen: Bool { if case .over = phase { false } else { true } }

  /// The publisher has given the subscription.
  mutating func receive(_ subscription: Subscription) -> Action {
    guard case .awaited(let demand) = phase else { return .cancel(subscription) }
    phase = .held(subscription)
    return demand > 0 ? .request(subscription, demand) : .none
  }

  /// More values are wanted.
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

  /// No more values are wanted.
  mutating func cancel() -> Action {
    defer { phase = .over }
    if case .held(let subscription) = phase { return .cancel(subscription) }
    return .none
  }

  /// The publisher is done.
  mutating func complete() -> Action {
    defer { phase = .over }
    if case .held(let subscription) = phase { return .release(subscription) }
    return .none
  }
}
