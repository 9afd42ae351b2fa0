import Foundation
import KennelModel
import KennelStorage
import Retriever
import RetrieverBridges

extension PeerSync {
  /// Takes new posts, and repeats this each time the peer announces a post, until it is cancelled.
  ///
  /// A broken link is opened again after increasing pauses, so an unreachable peer does not end it. It gives up soon
  /// only if the server never answered, because then the address is probably wrong.
  ///
  /// - Parameters:
  ///   - progress: called often, never concurrently. Each sync starts with zero progress.
  ///   - retrying: called before each pause, except the first one after a link that worked.
  ///   - replaced: called when a different kennel is at the address than before. It is read from its beginning, or from
  ///     its last read position.
  ///   - finished: called after each sync. The first call comes when the link is open. If it throws, following ends.
  /// - Throws: `cancelled`, or a permanent error such as `badPeer`.
  package func follow(
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    retrying: @escaping @Sendable (SyncRetry) -> Void = { _ in },
    replaced: @escaping @Sendable () -> Void = {},
    finished: @Sendable (SyncReport) async throws -> Void = { _ in }
  ) async throws {
    var retryPolicy = RetryPolicy(
      firstPause: limits.firstPause, limit: .max,
      hasAnswered: try await store.posts.readState(at: peer.name).isKnown)
    while true {
      let continuation = PeerLinkContinuation()
      let link = PeerLink(
        to: peer, session: transport.session, token: transport.token, delegate: continuation)
      defer { link.close() }
      let events = continuation.events
      let opened = ContinuousClock.now
      var isWorking = false
      var refusal: (any Error)?
      var failure = PeerFailure.temporary(
        KennelError(.unreachable, "The other kennel has closed the connection."))
      link.open()
      do {
        listening: for try await _ in events {
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
        failure = .temporary(error)
      } catch {
        throw PeerFailure(error).error
      }
      link.close()
      if let refusal { throw refusal }
      if Task.isCancelled { throw KennelError.cancelled }
      guard failure.isRetryable else { throw failure.error }
      let worked = isWorking ? opened.duration(to: .now) : nil
      guard let pause = retryPolicy.pause(afterLink: failure, worked: worked) else { throw failure.error }
      if !isWorking { retrying(SyncRetry(error: failure.error, pause: pause)) }
      do { try await clock.sleep(for: pause) } catch { throw KennelError.cancelled }
    }
  }
}
