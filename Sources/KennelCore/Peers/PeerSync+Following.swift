import Foundation
import Retriever
import RetrieverBridges

extension PeerSync {
  /// Takes what is new, and goes on to do so whenever the peer tells of a post, until it is cancelled.
  ///
  /// A link that breaks is made again, after pauses that grow; so it does not end because the peer is away. Only where
  /// nobody ever was it ends soon: then the address is wrong.
  ///
  /// - Parameters:
  ///   - progress: called often, one call after the other; it begins anew, with nothing, with each sync.
  ///   - retrying: called before each pause, but for the first one after a link that did its work.
  ///   - replaced: called when another kennel is at the address than before; it is read from its beginning, or from
  ///     where it was the last time.
  ///   - finished: called after each sync; the first one comes when the link is open. What it throws ends the following.
  /// - Throws: `cancelled`; or what would be the same again, such as `badPeer`.
  package func follow(
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    retrying: @escaping @Sendable (SyncRetry) -> Void = { _ in },
    replaced: @escaping @Sendable () -> Void = {},
    finished: @Sendable (SyncReport) async throws -> Void = { _ in }
  ) async throws {
    var patience = PeerPatience(
      firstPause: limits.firstPause, limit: .max,
      hasAnswered: try await store.posts.memory(at: peer.name).isKnown)
    while true {
      let listener = PeerListener()
      let link = PeerLink(to: peer, session: transport.session, delegate: listener)
      defer { link.close() }
      let news = listener.news
      let opened = ContinuousClock.now
      var isWorking = false
      var refusal: (any Error)?
      var failure = PeerFailure.passing(KennelError(.unreachable, "The other kennel has ended the link."))
      link.open()
      do {
        listening: for try await _ in news {
          var isLimited = true
          while isLimited {
            let report = try await run(progress: progress, retrying: retrying, replaced: replaced)
            isWorking = true
            isLimited = report.isLimited
            do {
              try await finished(report)
            } catch {
              refusal = error
              break listening
            }
          }
        }
      } catch let ending as PeerFailure {
        failure = ending
      } catch let error as KennelError where error.code == .unreachable || error.code == .busy {
        failure = .passing(error)
      } catch {
        throw PeerFailure(error).error
      }
      link.close()
      if let refusal { throw refusal }
      if Task.isCancelled { throw KennelError.cancelled }
      guard failure.mayPass else { throw failure.error }
      let worked = isWorking ? opened.duration(to: .now) : nil
      guard let pause = patience.pause(afterLink: failure, worked: worked) else { throw failure.error }
      if !isWorking { retrying(SyncRetry(error: failure.error, pause: pause)) }
      do { try await clock.sleep(for: pause) } catch { throw KennelError.cancelled }
    }
  }
}
