/// The number of tasks that may wait for the same event of a ``ContinuationSlot``.
public enum SlotWaiters: Sendable {
  /// One task. A second one throws ``BridgeError/Code/alreadyWaiting``.
  case one
  /// Any number of tasks. All of them receive the event.
  case many
}
