/// How many events a sequence keeps for a slow reader, and what becomes of those that are too many.
///
/// A limit below 1 counts as 1.
public enum EventBuffering: Sendable, Hashable {
  /// Keeps the newest events: the oldest one makes room.
  case droppingOldest(limit: Int)
  /// Keeps the oldest events: what comes while the buffer is full is dropped.
  case droppingNewest(limit: Int)
  /// Loses nothing unseen: after the events kept, the sequence throws ``BridgeError/Code/bufferOverflow``.
  case failing(limit: Int)

  var limit: Int {
    switch self {
    case .droppingOldest(let limit), .droppingNewest(let limit), .failing(let limit): max(limit, 1)
    }
  }
}
