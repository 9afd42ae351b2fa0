import KennelCore
import TerminalProgram

/// What is to be had from one other kennel, and what is told of it.
struct PeerWork: Sendable {
  let peer: PeerAddress
  let sync: PeerSync
  let context: CommandContext

  /// Takes what there is.
  ///
  /// - Throws: what ends the work on other kennels too.
  func run() async throws -> ExitStatus {
    let notes = SyncTelling(peer.name, context)
    do {
      let report = try await sync.run(
        progress: notes.advance, retrying: notes.retry, replaced: notes.replaced)
      notes.end()
      try await tell(report)
      return .success
    } catch {
      notes.end()
      return try told(error)
    }
  }

  /// Takes what there is and what comes, until the task is cancelled: that is how it ends well.
  ///
  /// - Throws: what ends the work on other kennels too.
  func follow() async throws -> ExitStatus {
    let notes = SyncTelling(peer.name, context)
    do {
      try await sync.follow(
        progress: notes.advance, retrying: notes.retry, replaced: notes.replaced
      ) { report in
        if notes.finished(report) { try await tell(report, isFollowing: true) }
      }
      return .success
    } catch {
      notes.end()
      let isAskedFor = Task.isCancelled
      notes.tellTotal()
      return isAskedFor ? .success : try told(error)
    }
  }

  private func tell(_ report: SyncReport, isFollowing: Bool = false) async throws {
    for refusal in report.refusals {
      context.screen.warn("kennel: \(peer.name): post \(refusal.id): \(refusal.reason)")
    }
    let rest = report.isLimited && !isFollowing ? "; there are more: run it again" : ""
    try await context.output.write("\(peer.name): \(report.summary)\(rest)\n")
  }

  private func told(_ error: any Error) throws -> ExitStatus {
    let failure = Failure(error)
    if [.interrupted, .outputClosed].contains(failure.status) { throw failure }
    context.screen.warn("kennel: \(peer.name): \(failure.message)")
    return failure.status
  }
}

extension SyncReport {
  /// What a person wants to know of it.
  var summary: String {
    var parts = ["\(taken) new \(taken == 1 ? "post" : "posts")"]
    if refusedCount > 0 { parts.append("\(refusedCount) refused") }
    if bytes > 0 { parts.append(ByteText.short(Int64(bytes))) }
    return parts.joined(separator: ", ")
  }

  /// Both together.
  static func + (one: SyncReport, other: SyncReport) -> SyncReport {
    var sum = one
    sum.taken += other.taken
    sum.known += other.known
    sum.refusedCount += other.refusedCount
    sum.bytes += other.bytes
    return sum
  }
}
