import Foundation
import Retriever
import RetrieverBridges

/// The delegate of a link and the bridge to async/await. A waiting caller is resumed once: with an event, with the end
/// of the link (a ``PeerFailure``), or by cancellation.
final class PeerLinkContinuation: PeerLinkDelegate {
  let slot = ContinuationSlot<PeerEvent>()

  /// The events from now on. Only the latest one is kept for a busy consumer, because every event means the same: ask
  /// the peer for its posts.
  var events: SlotEvents<PeerEvent> { slot.events(buffering: .droppingOldest(limit: 1)) }

  /// Returns the next event. `start` is called when no event can be missed any more.
  func next(after start: () -> Void = {}) async throws -> PeerEvent { try await slot.next(after: start) }

  func peerLink(_ link: PeerLink, didReceive event: PeerEvent) { slot.send(event) }

  func peerLink(_ link: PeerLink, didCloseWith failure: PeerFailure) { slot.finish(throwing: failure) }
}
