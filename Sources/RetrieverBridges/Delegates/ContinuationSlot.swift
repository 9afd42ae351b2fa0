/// Delivers the events of a delegate to the tasks that wait for them.
///
/// A delegate object owns a slot and calls ``send(_:)`` from its methods, on any thread. Tasks wait for the next
/// event with ``next(isolation:after:)``, or read all events with ``events(buffering:fileID:line:)``.
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
/// Each waiting task is resumed exactly once: with the next event, with the next error, or with `CancellationError`
/// if it is cancelled. If the slot is finished or deallocated, waiting tasks throw
/// ``BridgeError/Code/delegateWentAway``. An event is dropped if no task waits for it and no sequence receives it.
///
/// A task that calls `next` on the slot keeps the slot alive, and so cannot notice that the owner is deallocated.
/// Tasks that do not belong to the owner should wait on ``receiver`` instead, which does not keep the slot alive.
public final class ContinuationSlot<Event: Sendable>: Sendable {
  let core: SlotCore<Event>

  /// Creates a slot.
  ///
  /// - Parameters:
  ///   - waiters: Whether one task at a time may wait, or any number of tasks for the same event.
  ///   - fileID: The file that errors report (default: the caller's file).
  ///   - line: The line that errors report (default: the caller's line).
  public init(waiters: SlotWaiters = .many, fileID: String = #fileID, line: Int = #line) {
    core = SlotCore(waiters: waiters, site: CallSite(fileID: fileID, line: line))
  }

  deinit {
    core.finish(throwing: core.wentAway, toSequences: core.wentAway)
  }

  /// The receiving side of the slot. It does not keep the slot alive.
  public var receiver: SlotReceiver<Event> { SlotReceiver(core: core) }

  /// The number of tasks that wait for the next event.
  public var waiterCount: Int { core.waiterCount }

  // MARK: The delegate's side

  /// Sends an event to all waiting tasks and to all sequences.
  ///
  /// - Returns: The number of receivers. If it is 0, the event is lost.
  @discardableResult public func send(_ event: Event) -> Int { core.send(event) }

  /// Makes all waiting tasks throw an error. Sequences continue; to end them, call ``finish(throwing:)``.
  ///
  /// - Returns: The number of tasks that receive the error.
  @discardableResult public func send(throwing error: any Error) -> Int { core.send(throwing: error) }

  /// Ends the slot. No further events are delivered. Only the first call has an effect.
  ///
  /// - Parameter error: The error that waiting tasks and sequences throw. Without an error, tasks throw
  ///   ``BridgeError/Code/delegateWentAway`` and sequences end. Sequences deliver their buffered events first.
  public func finish(throwing error: (any Error)? = nil) {
    core.finish(throwing: error ?? core.wentAway, toSequences: error)
  }

  // MARK: The waiting side

  /// Waits for the next event. Calls `start` first, at a point where no event can be missed.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which `start` runs (default: the caller's actor).
  ///   - start: A function that causes the event, called when the task is ready to receive. It is not called if the
  ///     task is cancelled, or if the slot is finished or does not allow another waiter. An error that it throws is
  ///     thrown by the call.
  /// - Returns: The event.
  /// - Throws: The error that was sent; `CancellationError`; ``BridgeError``.
  public func next(
    isolation: isolated (any Actor)? = #isolation, after start: () throws -> Void = {}
  ) async throws -> Event {
    try await core.next(isolation: isolation, after: start)
  }

  /// Returns a sequence of all events from now on, until the slot is finished.
  ///
  /// - Parameters:
  ///   - buffering: The number of events to buffer for a slow reader, and the policy for further events. The default
  ///     keeps the newest 16 events.
  ///   - fileID: The file that errors report (default: the caller's file).
  ///   - line: The line that errors report (default: the caller's line).
  public func events(
    buffering: EventBuffering = .droppingOldest(limit: 16), fileID: String = #fileID, line: Int = #line
  ) -> SlotEvents<Event> {
    SlotEvents(core: core, buffering: buffering, site: CallSite(fileID: fileID, line: line))
  }
}

/// The number of tasks that may wait for the same event of a ``ContinuationSlot``.
public enum SlotWaiters: Sendable {
  /// One task. A second one throws ``BridgeError/Code/alreadyWaiting``.
  case one
  /// Any number of tasks. All of them receive the event.
  case many
}

/// The receiving side of a ``ContinuationSlot``, for tasks that must not keep the slot's owner alive. Waiting tasks
/// throw an error when the owner is deallocated.
public struct SlotReceiver<Event: Sendable>: Sendable {
  let core: SlotCore<Event>

  /// Calls `start` and waits for the next event; see ``ContinuationSlot/next(isolation:after:)``.
  ///
  /// - Throws: The error that was sent; `CancellationError`; ``BridgeError``, also if the slot is deallocated.
  public func next(
    isolation: isolated (any Actor)? = #isolation, after start: () throws -> Void = {}
  ) async throws -> Event {
    try await core.next(isolation: isolation, after: start)
  }

  /// Returns a sequence of all events from now on; see ``ContinuationSlot/events(buffering:fileID:line:)``.
  public func events(
    buffering: EventBuffering = .droppingOldest(limit: 16), fileID: String = #fileID, line: Int = #line
  ) -> SlotEvents<Event> {
    SlotEvents(core: core, buffering: buffering, site: CallSite(fileID: fileID, line: line))
  }
}
