import KennelPeers
import TerminalProgram

/// The sync with one other kennel, and its messages.
struct PeerSyncRun: Sendable {
  let peer: PeerAddress
  let sync: PeerSync
  let context: CommandContext

  /// Copies the existing posts.
  ///
  /// - Throws: errors that also end the sync with other kennels.
  func run() async throws -> ExitStatus {
    let reporter = SyncReporter(peer.name, context)
    do {
      let result = try await sync.run(
        progress: reporter.advance, retrying: reporter.retry, replaced: reporter.replaced)
      reporter.end()
      try await report(result)
      return .success
    } catch {
      reporter.end()
      return try reportFailure(error)
    }
  }

  /// Copies the existing posts, and new posts as they appear, until the task is cancelled.
  ///
  /// Cancellation counts as success.
  ///
  /// - Throws: errors that also end the sync with other kennels.
  func follow() async throws -> ExitStatus {
    let reporter = SyncReporter(peer.name, context)
    do {
      try await sync.follow(
        progress: reporter.advance, retrying: reporter.retry, replaced: reporter.replaced
      ) { result in
        if reporter.finished(result) { try await report(result, isFollowing: true) }
      }
      return .success
    } catch {
      reporter.end()
      let isAskedFor = Task.isCancelled
      reporter.reportTotal()
      return isAskedFor ? .success : try reportFailure(error)
    }
  }

  private func report(_ result: SyncReport, isFollowing: Bool = false) async throws {
    for refusal in result.refusals {
      context.screen.warn("kennel: \(peer.name): post \(refusal.id): \(refusal.reason)")
    }
    let rest = result.isLimited && !isFollowing ? ". There are more posts. Run the command again." : ""
    try await context.output.write("\(peer.name): \(result.summary)\(rest)\n")
  }

  private func reportFailure(_ error: any Error) throws -> ExitStatus {
    let failure = Failure(error)
    if [.interrupted, .outputClosed].contains(failure.status) { throw failure }
    context.screen.warn("kennel: \(peer.name): \(failure.message)")
    return failure.status
  }
}

extension SyncReport {
  /// A short summary for people.
  var summary: String {
    var parts = ["\(taken) new \(taken == 1 ? "post" : "posts")"]
    if refusedCount > 0 { parts.append("\(refusedCount) refused") }
    if bytes > 0 { parts.append(ByteText.short(Int64(bytes))) }
    return parts.joined(separator: ", ")
  }

  /// Returns the sum of two reports.
  static func + (one: SyncReport, other: SyncReport) -> SyncReport {
    var sum = one
    sum.taken += other.taken
    sum.known += other.known
    sum.refusedCount += other.refusedCount
    sum.bytes += other.bytes
    return sum
  }
}
