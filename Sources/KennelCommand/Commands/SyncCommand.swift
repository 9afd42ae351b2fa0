import KennelCore
import Retriever
import TerminalProgram

enum SyncCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    var peers: [PeerAddress] = []
    for text in context.arguments.operands { peers.append(try PeerAddress(text)) }
    return try await context.withStore { [peers] store in
      let author = try await UserCommand.author(context, store)
      let session = PeerSync.makeSession(allowsPrivateAddresses: context.arguments.has("allow-private"))
      defer { session.invalidateAndCancel() }
      var statuses: [ExitStatus] = []
      for peer in peers {
        let sync = PeerSync(from: peer, as: author.id, into: store, session: session)
        let progress = context.progress.begin(peer.name)
        do {
          let report = try await sync.run { progress.advance(to: Int64($0.bytes)) }
          progress.end()
          for refusal in report.refusals {
            context.screen.warn("kennel: \(peer.name): post \(refusal.id): \(refusal.reason)")
          }
          try await context.output.write(summary(report, of: peer) + "\n")
          statuses.append(.success)
        } catch {
          progress.end()
          let failure = Failure(error)
          if failure.status == .interrupted { throw failure }
          context.screen.warn("kennel: \(peer.name): \(failure.message)")
          statuses.append(failure.status)
        }
      }
      return .combined(statuses)
    }
  }

  static func summary(_ report: SyncReport, of peer: PeerAddress) -> String {
    var parts = ["\(report.taken) new \(report.taken == 1 ? "post" : "posts")"]
    if report.refusedCount > 0 { parts.append("\(report.refusedCount) refused") }
    if report.bytes > 0 { parts.append(ByteText.short(Int64(report.bytes))) }
    let rest = report.isLimited ? "; there are more: run it again" : ""
    return "\(peer.name): \(parts.joined(separator: ", "))\(rest)"
  }
}
