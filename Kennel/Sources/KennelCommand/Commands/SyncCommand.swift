import KennelModel
import KennelPeers
import Retriever
import TerminalProgram

enum SyncCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    var peers: [PeerAddress] = []
    for text in context.arguments.operands { peers.append(try PeerAddress(text)) }
    let token = try PeerTokenFile.token(context)
    return try await context.withStore { [peers] store in
      let author = try await UserCommand.author(context, store)
      let session = PeerSync.makeSession(allowsPrivateAddresses: context.arguments.has("allow-private"))
      defer { session.invalidateAndCancel() }
      let runs = peers.map { peer in
        PeerSyncRun(
          peer: peer, sync: PeerSync(from: peer, as: author.id, into: store, session: session, token: token),
          context: context)
      }
      if context.arguments.has("follow") { return try await follow(runs) }
      var statuses: [ExitStatus] = []
      for peerRun in runs { statuses.append(try await peerRun.run()) }
      return .combined(statuses)
    }
  }

  /// Follows all kennels concurrently, each until it fails or the task is cancelled.
  private static func follow(_ runs: [PeerSyncRun]) async throws -> ExitStatus {
    try await withThrowingTaskGroup(of: ExitStatus.self) { group in
      for peerRun in runs { group.addTask { try await peerRun.follow() } }
      var statuses: [ExitStatus] = []
      for try await status in group { statuses.append(status) }
      return .combined(statuses)
    }
  }
}
