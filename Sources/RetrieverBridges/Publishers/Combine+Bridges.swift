#if canImport(Combine) || (OpenCombine && canImport(OpenCombine))

  // The two have the same interface. `OpenCombine` is the package trait that brings in the latter, for
  // platforms that have no Combine.
  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  extension Publisher where Output: Sendable {
    /// The publisher's first value; see ``ValuePublisher/singleResult(isolation:fileID:line:)``.
    public func singleResult(
      isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, line: Int = #line
    ) async throws -> Output {
      try await CombineValues(publisher: self).singleResult(fileID: fileID, line: line)
    }

    /// All values of the publisher, asked for as they are read; see
    /// ``ValuePublisher/values(prefetch:fileID:line:)``. Unlike Combine's own `values` it can read ahead, and
    /// throws when the task is cancelled.
    public func values(
      prefetch: Int, fileID: String = #fileID, line: Int = #line
    ) -> PublisherValues<CombineValues<Self>> {
      CombineValues(publisher: self).values(prefetch: prefetch, fileID: fileID, line: line)
    }
  }

  /// A publisher of Combine, or of OpenCombine, as a ``ValuePublisher``.
  public struct CombineValues<Upstream: Publisher>: ValuePublisher where Upstream.Output: Sendable {
    /// What the publisher gives.
    public typealias Output = Upstream.Output
    /// How the publisher fails.
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

  /// Safe to share: the subscription is set once, and Combine asks of every subscription that its two calls
  /// may come from any thread.
  private final class CombineSubscription: ValueSubscription, @unchecked Sendable {
    private let subscription: any Subscription

    init(_ subscription: any Subscription) {
      self.subscription = subscription
    }

    func request(_ count: Int) { subscription.request(count == .max ? .unlimited : .max(count)) }
    func cancel() { subscription.cancel() }
  }

#endif
