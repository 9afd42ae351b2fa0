/// The number of events that a sequence buffers for a slow reader, and the policy for further events.
///
/// A limit below 1 counts as 1.
public enum EventBuffering: Sendable, Hashable {
  /// Keeps the newest events. If the buffer is full, the oldest event is dropped.
  case droppingOldest(limit: Int)
  /// Keeps the oldest events. If the buffer is full, new events are dropped.
  case droppingNewest(limit: Int)
  /// Fails if the buffer is full: after the buffered events, the sequence throws ``BridgeError/Code/bufferOverflow``.
  case failing(limit: Int)

  var limit: Int {
    switch self {
    case .droppingOldest(let limit), .droppingNewest(let limit), .failing(let limit): max(limit, 1)
    }
  }
}
