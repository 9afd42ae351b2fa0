/// Where a delegate leaves its events for the tasks that wait for them.
///
/// A delegate object owns a slot and calls ``send(_:)`` from its methods, on whichever thread those are
/// called. Tasks wait for the next event with ``next(isolation:after:)``, or read all that come from
/// ``events(buffering:fileID:line:)``.
///
/// ```swift
/// final class LocationFinder: LocationSourceDelegate, Sendable {
///   private let locations = ContinuationSlot<Location>()
///
///   func currentLocation(from source: LocationSource) async throws -> Location {
///     try await locations.next { source.requestLocation(for: self) }
///   }
///
///   func sourceDidFind(_ location: Location) { locations.send(location) }
///   func sourceDidFail(_ error: any Error) { locations.send(throwing: error) }
/// }
/// ```
///
/// Every task that waits is resumed exactly once: with the next event, with the next error, with
/// `CancellationError` when it is cancelled, or, when the slot is finished or its owner lets go of it, with
/// ``BridgeError/Code/delegateWentAway``. An event that nobody waits for, and no sequence takes, is dropped.
///
/// A task that calls `next` on the slot keeps the slot, and so never sees its owner go away. Tasks that are
/// not the owner's should wait on its ``receiver``, which does not keep the slot.
public final class ContinuationSlot<Event: Sendable>: Sendable {
  let core: SlotCore<Event>

  /// A slot that nobody waits on.
  ///
  /// - Parameters:
  ///   - waiters: Whether one task may wait at a time, or any number for the same event.
  ///   - fileID: The file that errors name: the caller's.
  ///   - line: The line that errors name: the caller's.
  public init(waiters: SlotWaiters = .many, fileID: String = #fileID, line: Int = #line) {
    core = SlotCore(waiters: waiters, site: CallSite(fileID: fileID, line: line))
  }

  deinit {
    core.finish(throwing: core.wentAway, toSequences: core.wentAway)
  }

  /// The waiting side alone: it does not keep the slot.
  public var receiver: SlotReceiver<Event> { SlotReceiver(core: core) }

  /// How many tasks wait for the next event.
  public var waiterCount: Int { core.waiterCount }

  // MARK: The delegate's side

  /// Gives an event to every task that waits and to every sequence.
  ///
  /// - Returns: How many got it; with 0 it is lost.
  @discardableResult public func send(_ event: Event) -> Int { core.send(event) }

  /// Has every waiting task throw an error. Sequences go on: end them with ``finish(throwing:)``.
  ///
  /// - Returns: How many tasks got it.
  @discardableResult public func send(throwing error: any Error) -> Int { core.send(throwing: error) }

  /// Says that no event will come any more. Only the first call counts.
  ///
  /// - Parameter error: What waiting tasks and sequences throw. Without one, tasks throw
  ///   ``BridgeError/Code/delegateWentAway`` and sequences end, both after the events that they have still to
  ///   read.
  public func finish(throwing error: (any Error)? = nil) {
    core.finish(throwing: error ?? core.wentAway, toSequences: error)
  }

  // MARK: The waiting side

  /// Waits for the next event, having started what causes it once nothing can be missed.
  ///
  /// - Parameters:
  ///   - isolation: The actor that `start` runs on: the caller's.
  ///   - start: Is called when the task is in its place; not when the task is cancelled, the slot finished or
  ///     taken. When it throws, the call throws that.
  /// - Returns: The event.
  /// - Throws: The error that was sent; `CancellationError`; ``BridgeError``.
  public func next(
    isolation: isolated (any Actor)? = #isolation, after start: () throws -> Void = {}
  ) async throws -> Event {
    try await core.next(isolation: isolation, after: start)
  }

  /// All events from now on, up to the end of the slot.
  ///
  /// - Parameters:
  ///   - buffering: How many events are kept for a slow reader, and what becomes of more: by default
  ///     the newest 16, the oldest being dropped.
  ///   - fileID: The file that errors name: the caller's.
  ///   - line: The line that errors name: the caller's.
  public func events(
    buffering: EventBuffering = .droppingOldest(limit: 16), fileID: String = #fileID, line: Int = #line
  ) -> SlotEvents<Event> {
    SlotEvents(core: core, buffering: buffering, site: CallSite(fileID: fileID, line: line))
  }
}
