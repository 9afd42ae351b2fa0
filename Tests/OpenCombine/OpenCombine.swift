// The part of OpenCombine's interface that the bridges use, and two publishers. scripts/check-opencombine builds the
// bridges with this module, because the tests do not download packages.

/// Sends values to its subscribers.
public protocol Publisher<Output, Failure> {
  /// The type of its values.
  associatedtype Output
  /// The type of its failure.
  associatedtype Failure: Error
  /// Sends a subscription to the subscriber.
  func receive<Target: Subscriber>(subscriber: Target) where Target.Input == Output, Target.Failure == Failure
}

extension Publisher {
  /// Connects the subscriber.
  public func subscribe<Target: Subscriber>(_ subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure {
    receive(subscriber: subscriber)
  }
}

/// Receives the values of a publisher.
public protocol Subscriber<Input, Failure>: AnyObject {
  /// The type of the values.
  associatedtype Input
  /// The type of the failure.
  associatedtype Failure: Error
  /// Receives the subscription.
  func receive(subscription: any Subscription)
  /// Receives a value.
  func receive(_ input: Input) -> Subscribers.Demand
  /// Receives the completion.
  func receive(completion: Subscribers.Completion<Failure>)
}

/// Can be cancelled.
public protocol Cancellable {
  /// Ends the subscription.
  func cancel()
}

/// A subscriber's connection to its publisher.
public protocol Subscription: Cancellable, AnyObject {
  /// Requests more values.
  func request(_ demand: Subscribers.Demand)
}

/// The namespace of the types that subscribers use.
public enum Subscribers {
  /// The number of values that a subscriber requests.
  public struct Demand: Equatable, Sendable {
    /// All values.
    public static let unlimited = Demand(count: nil)
    /// No further values.
    public static let none = Demand(count: 0)
    /// Nil if it is unlimited.
    public let count: Int?
    /// A number of further values.
    public static func max(_ count: Int) -> Demand { Demand(count: count) }
  }

  /// How a publisher completes.
  public enum Completion<Failure: Error> {
    /// All values were sent.
    case finished
    /// It failed.
    case failure(Failure)
  }
}

/// Sends values as they are requested, and then a completion.
public struct Values<Output, Failure: Error>: Publisher {
  private let values: [Output]
  private let completion: Subscribers.Completion<Failure>

  /// Creates a publisher of these values.
  public init(_ values: [Output], then completion: Subscribers.Completion<Failure>) {
    self.values = values
    self.completion = completion
  }

  /// Sends a subscription to the subscriber.
  public func receive<Target: Subscriber>(subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure {
    subscriber.receive(subscription: Delivery(values[...], completion, to: subscriber))
  }

  private final class Delivery<Target: Subscriber>: Subscription
  where Target.Input == Output, Target.Failure == Failure {
    private var rest: ArraySlice<Output>
    private let completion: Subscribers.Completion<Failure>
    private var target: Target?

    init(_ values: ArraySlice<Output>, _ completion: Subscribers.Completion<Failure>, to target: Target) {
      rest = values
      self.completion = completion
      self.target = target
      if rest.isEmpty { finish() }
    }

    func request(_ demand: Subscribers.Demand) {
      for _ in 0..<(demand.count ?? .max) {
        guard let target, let value = rest.popFirst() else { break }
        _ = target.receive(value)
      }
      if rest.isEmpty { finish() }
    }

    private func finish() {
      guard let target = target.take() else { return }
      target.receive(completion: completion)
    }

    func cancel() { target = nil }
  }
}

/// Never sends anything, and reports that its subscription was cancelled.
public final class Silence<Output, Failure: Error>: Publisher {
  private final class Waiting: Subscription {
    private var target: AnyObject?
    private let cancelled: () -> Void
    init(_ target: AnyObject, _ cancelled: @escaping () -> Void) {
      self.target = target
      self.cancelled = cancelled
    }
    func request(_ demand: Subscribers.Demand) {}
    func cancel() {
      target = nil
      cancelled()
    }
  }

  private let subscribed: @Sendable () -> Void
  private let cancelled: @Sendable () -> Void

  /// Creates a publisher that calls these functions.
  public init(subscribed: @escaping @Sendable () -> Void, cancelled: @escaping @Sendable () -> Void) {
    self.subscribed = subscribed
    self.cancelled = cancelled
  }

  /// Sends a subscription to the subscriber.
  public func receive<Target: Subscriber>(subscriber: Target)
  where Target.Input == Output, Target.Failure == Failure {
    subscriber.receive(subscription: Waiting(subscriber, cancelled))
    subscribed()
  }
}
