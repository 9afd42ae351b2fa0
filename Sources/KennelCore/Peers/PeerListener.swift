import Foundation
import Retriever
import RetrieverBridges

/// The link's delegate, and the bridge from it to async/await: whoever waits for news is resumed once, with news, with
/// the link's end (a ``PeerFailure``), or with their own cancellation.
final class PeerListener: PeerLinkDelegate {
  let slot = ContinuationSlot<PeerNews>()

  /// News from now on; only the latest is kept for who is busy, for all of it means to ask what there is.
  var news: SlotEvents<PeerNews> { slot.events(buffering: .droppingOldest(limit: 1)) }

  /// The next news; `start` is called when none can be missed any more.
  func next(after start: () -> Void = {}) async throws -> PeerNews { try await slot.next(after: start) }

  func peerLink(_ link: PeerLink, didReceive news: PeerNews) { slot.send(news) }

  func peerLink(_ link: PeerLink, didCloseWith failure: PeerFailure) { slot.finish(throwing: failure) }
}
