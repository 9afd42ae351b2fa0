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
