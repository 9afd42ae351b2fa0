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
      let works = peers.map { peer in
        PeerWork(
          peer: peer, sync: PeerSync(from: peer, as: author.id, into: store, session: session),
          context: context)
      }
      if context.arguments.has("follow") { return try await follow(works) }
      var statuses: [ExitStatus] = []
      for work in works { statuses.append(try await work.run()) }
      return .combined(statuses)
    }
  }

  /// All at once, each for as long as it can be.
  private static func follow(_ works: [PeerWork]) async throws -> ExitStatus {
    try await withThrowingTaskGroup(of: ExitStatus.self) { group in
      for work in works { group.addTask { try await work.follow() } }
      var statuses: [ExitStatus] = []
      for try await status in group { statuses.append(status) }
      return .combined(statuses)
    }
  }
}
