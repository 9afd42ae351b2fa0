/// How many tasks may wait for the same event of a ``ContinuationSlot``.
public enum SlotWaiters: Sendable {
  /// One: a second throws ``BridgeError/Code/alreadyWaiting``.
  case one
  /// Any number: all of them get the event.
  case many
}
