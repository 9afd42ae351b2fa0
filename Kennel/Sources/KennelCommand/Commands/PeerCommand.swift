import Foundation
import KennelModel
import TerminalProgram

/// Gives other kennels tokens with which they may take posts, lists these kennels, and withdraws tokens.
enum PeerCommand {
  static let actions = ["add", "list", "remove"]

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.arguments.operands
    let action = operands.first ?? ""
    switch (action, operands.count) {
    case ("list", 1): try await list(context)
    case ("list", _): throw UsageError("The command peer list takes no name.")
    case ("add", 2): try await add(operands[1], context)
    case ("remove", 2): try await remove(operands[1], context)
    case ("add", _), ("remove", _): throw UsageError("The command peer \(action) needs one NAME.")
    default: throw UsageError.unknownAction(action, of: "peer", among: actions)
    }
    return .success
  }

  private static func add(_ name: String, _ context: CommandContext) async throws {
    let token = try await context.withStore { try await $0.accounts.addPeer(name) }
    // The standard output contains only the token, so that it can be redirected to a file.
    context.screen.say(
      "This token is shown only now. Give it to the owner of \(DisplayText.safe(name)), who saves it in a file and runs: kennel sync URL --token-file FILE"
    )
    try await context.output.write("\(token.text)\n")
  }

  private static func list(_ context: CommandContext) async throws {
    let peers = try await context.withStore { try await $0.accounts.peers() }
    if peers.isEmpty {
      context.screen.say("No kennel has a token. To give one to another kennel, run: kennel peer add NAME")
    }
    let width = peers.map { DisplayText.width($0.name) }.max() ?? 0
    for peer in peers {
      let name = DisplayText.fitted(DisplayText.safe(peer.name), to: width)
      let use = peer.lastUse.map { "last here \(day($0))" } ?? "not here yet"
      try await context.output.write("\(name)  since \(day(peer.created))  \(use)\n")
    }
  }

  private static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }

  private static func remove(_ name: String, _ context: CommandContext) async throws {
    let names = try await context.withStore { store in
      try await store.accounts.removePeer(name) ? nil : store.accounts.peers().map(\.name)
    }
    if let names {
      let nearest = Spelling.nearest(to: name, among: names)
      throw Failure(
        .failure, "There is no kennel \(name)." + (nearest.map { " Did you mean \($0)?" } ?? ""))
    }
    try await context.output.write("The token of \(name) does not work any more.\n")
  }
}
