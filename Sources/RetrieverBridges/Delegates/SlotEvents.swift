/// The events of a ``ContinuationSlot`` from the creation of this sequence on, with a bounded buffer.
///
/// The sequence can be read once, by one task at a time. A second task that reads at the same time throws
/// ``BridgeError/Code/concurrentIteration``. The sequence ends when the slot is finished, and throws the error passed
/// to ``ContinuationSlot/finish(throwing:)``. If the slot is deallocated, it throws
/// ``BridgeError/Code/delegateWentAway``.
///
/// Cancelling the reading task drops the buffered events and throws `CancellationError`. Releasing the sequence and
/// its iterators ends the subscription.
///
/// ```swift
/// func report(_ progress: ContinuationSlot<Double>) async throws -> [Double] {
///   var seen: [Double] = []
///   for try await fraction in progress.events(buffering: .droppingOldest(limit: 1)) {
///     seen.append(fraction)
///   }
///   return seen
/// }
/// ```
public struct SlotEvents<Event: Sendable>: AsyncSequence, Sendable {
  fileprivate final class Subscription: Sendable {
    let buffer: EventBuffer<Event>
    private let core: SlotCore<Event>
    private let identifier: Int

    init(core: SlotCore<Event>, buffering: EventBuffering, site: CallSite) {
      self.core = core
      (buffer, identifier) = core.subscribe(buffering, site: site)
    }

    deinit {
      core.unsubscribe(identifier)
    }
  }

  private let subscription: Subscription

  init(core: SlotCore<Event>, buffering: EventBuffering, site: CallSite) {
    subscription = Subscription(core: core, buffering: buffering, site: site)
  }

  /// The number of events that were lost because the buffer was full.
  public var droppedCount: Int { subscription.buffer.droppedCount }

  /// Creates an iterator. All iterators share one position in the sequence.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// Reads the events in order.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription

    fileprivate init(subscription: Subscription) {
      self.subscription = subscription
    }

    /// Returns the next event; nil at the end.
    ///
    /// - Throws: The error that the slot was finished with; `CancellationError`; ``BridgeError``.
    public mutating func next() async throws -> Event? {
      try await next(isolation: nil)
    }

    /// Returns the next event; nil at the end. The call stays on the caller's actor.
    ///
    /// - Throws: The error that the slot was finished with; `CancellationError`; ``BridgeError``.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Event? {
      try await subscription.buffer.next(isolation: isolation)
    }
  }
}
