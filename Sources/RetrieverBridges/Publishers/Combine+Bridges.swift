// Combine and OpenCombine have the same interface, so this file belongs to two packages: to RetrieverBridges, for
// Combine, and through a symbolic link to Bridges/OpenCombine, which defines BRIDGES_OPENCOMBINE.
#if BRIDGES_OPENCOMBINE || canImport(Combine)

#if BRIDGES_OPENCOMBINE
import OpenCombine
import RetrieverBridges
#else
import Combine
#endif

extension Publisher where Output: Sendable {
  /// Returns the publisher's first value; see ``ValuePublisher/singleResult(isolation:fileID:line:)``.
  public func singleResult(
    isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, line: Int = #line
  ) async throws -> Output {
    try await CombineValues(publisher: self).singleResult(fileID: fileID, line: line)
  }

  /// Returns all values of the publisher as an async sequence; see
  /// ``ValuePublisher/values(prefetch:fileID:line:)``.
  ///
  /// Unlike Combine's own `values`, this sequence can read ahead, and throws if the task is cancelled.
  public func values(
    prefetch: Int, fileID: String = #fileID, line: Int = #line
  ) -> PublisherValues<CombineValues<Self>> {
    CombineValues(publisher: self).values(prefetch: prefetch, fileID: fileID, line: line)
  }
}

/// A publisher of Combine or OpenCombine as a ``ValuePublisher``.
public struct CombineValues<Upstream: Publisher>: ValuePublisher where Upstream.Output: Sendable {
  /// The type of the publisher's values.
  public typealias Output = Upstream.Output
  /// The type of the publisher's failure.
  public typealias Failure = Upstream.Failure

  private let publisher: Upstream

  /// Wraps a publisher.
  public init(publisher: Upstream) {
    self.publisher = publisher
  }

  /// Subscribes to the publisher.
  public func subscribe(_ subscriber: some ValueSubscriber<Upstream.Output, Upstream.Failure>) {
    publisher.subscribe(CombineSubscriber(subscriber))
  }
}

private final class CombineSubscriber<Target: ValueSubscriber>: Subscriber {
  typealias Input = Target.Input
  typealias Failure = Target.Failure

  private let target: Target

  init(_ target: Target) {
    self.target = target
  }

  func receive(subscription: any Subscription) {
    target.receive(subscription: CombineSubscription(subscription))
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    target.receive(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: target.receive(completion: .success(()))
    case .failure(let error): target.receive(completion: .failure(error))
    }
  }
}

/// Safe to share: the subscription never changes, and Combine requires that both methods of a subscription are
/// thread-safe.
private final class CombineSubscription: ValueSubscription, @unchecked Sendable {
  private let subscription: any Subscription

  init(_ subscription: any Subscription) {
    self.subscription = subscription
  }

  func request(_ count: Int) { subscription.request(count == .max ? .unlimited : .max(count)) }
  func cancel() { subscription.cancel() }
}

#endif
