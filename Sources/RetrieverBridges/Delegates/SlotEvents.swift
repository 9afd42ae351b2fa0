/// The events of a ``ContinuationSlot`` from the moment this sequence was made, with a bounded buffer.
///
/// It is read once, by one task at a time; a second that reads meanwhile throws
/// ``BridgeError/Code/concurrentIteration``. It ends when the slot is finished, and throws the error the slot
/// is finished with, or ``BridgeError/Code/delegateWentAway`` when the slot is let go of. Cancelling the
/// reading task drops what is buffered and throws `CancellationError`. Letting go of the sequence and its
/// iterators ends its subscription.
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

  /// How many events were lost because the buffer was full.
  public var droppedCount: Int { subscription.buffer.droppedCount }

  /// The reader of the sequence; further ones share its place in it.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// Reads the events in order.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription

    fileprivate init(subscription: Subscription) {
      self.subscription = subscription
    }

    /// The next event, nil at the end.
    ///
    /// - Throws: What the slot was finished with; `CancellationError`; ``BridgeError``.
    public mutating func next() async throws -> Event? {
      try await next(isolation: nil)
    }

    /// The next event, nil at the end, without leaving the caller's actor for it.
    ///
    /// - Throws: What the slot was finished with; `CancellationError`; ``BridgeError``.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Event? {
      try await subscription.buffer.next(isolation: isolation)
    }
  }
}
