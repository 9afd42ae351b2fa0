import Foundation
import Retriever
import RetrieverBridges

/// The link's delegate, and the bridge from it to async/await: whoever waits for news is resumed once, with news, with
/// the link's end, or with their own cancellation.
final class PeerListener: PeerLinkDelegate {
  /// The link is over.
  struct Ending: Error, Sendable {
    var error: KennelError
    /// Whether another try may do.
    var isPassing: Bool
  }

  let slot = ContinuationSlot<PeerNews>()

  /// News from now on; only the latest is kept for who is busy, for all of it means to ask what there is.
  var news: SlotEvents<PeerNews> { slot.events(buffering: .droppingOldest(limit: 1)) }

  /// The next news; `start` is called when none can be missed any more.
  func next(after start: () -> Void = {}) async throws -> PeerNews { try await slot.next(after: start) }

  func peerLink(_ link: PeerLink, didReceive news: PeerNews) { slot.send(news) }

  func peerLink(_ link: PeerLink, didCloseWith error: KennelError, isPassing: Bool) {
    slot.finish(throwing: Ending(error: error, isPassing: isPassing))
  }
}

extension PeerSync {
  /// Takes what is new, and goes on to do so whenever the peer tells of a post, until it is cancelled.
  ///
  /// A link that breaks is made again, after pauses that grow; so it does not end because the peer is away.
  ///
  /// - Parameters:
  ///   - progress: called often, one call after the other.
  ///   - finished: called after each sync.
  /// - Throws: `cancelled`; or what would be the same again, such as `badPeer`.
  package func follow(
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    finished: @Sendable (SyncReport) -> Void = { _ in }
  ) async throws(KennelError) {
    var patience = PeerPatience(firstPause: limits.firstPause, limit: .max)
    while true {
      let listener = PeerListener()
      let link = PeerLink(to: peer, session: transport.session, delegate: listener)
      defer { link.close() }
      let news = listener.news
      link.open()
      do {
        for try await _ in news {
          let report = try await run(progress: progress)
          patience.reset()
          finished(report)
        }
      } catch let ending as PeerListener.Ending where ending.isPassing {
      } catch let ending as PeerListener.Ending {
        throw ending.error
      } catch let error as KennelError where error.code == .unreachable || error.code == .busy {
      } catch {
        throw PeerFailure(error).error
      }
      // Never at its end: but Kennel asks no more often than once in a while.
      let pause = patience.pause(afterProgress: false, retryAfter: nil) ?? patience.longestPause
      do { try await clock.sleep(for: pause) } catch { throw .cancelled }
    }
  }
}
