import Foundation
import KennelModel
import TerminalProgram

/// Lists and revokes the secret links to photos and albums.
enum LinksCommand {
  static let actions = ["list", "revoke"]

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.arguments.operands
    switch (operands.first ?? "list", operands.count) {
    case ("list", 0...1): try await list(context)
    case ("list", _): throw UsageError("The command links list takes no argument.")
    case ("revoke", 2...): try await revoke(operands.dropFirst(), context)
    case ("revoke", _): throw UsageError("The command links revoke needs the NUMBER of a link.")
    case (let action, _): throw UsageError.unknownAction(action, of: "links", among: actions)
    }
    return .success
  }

  private static func list(_ context: CommandContext) async throws {
    let links = try await context.withStore { try await $0.posts.allLinks() }
    if links.isEmpty { context.screen.say("There are no links.") }
    let now = Date()
    for link in links {
      let end =
        switch link.expires {
        case nil: "works until it is revoked"
        case let date? where link.isExpired(at: now): "expired \(date.formatted(.iso8601))"
        case let date?: "works until \(date.formatted(.iso8601))"
        }
      let target =
        switch link.target {
        case .post(let id): "photo \(id)"
        case .album(let id): "album \(id)"
        }
      try await context.output.write(
        "\(link.id)  \(target)  by \(DisplayText.safe(link.maker))  made \(link.created.formatted(.iso8601))  \(end)\n"
      )
    }
  }

  private static func revoke(_ texts: ArraySlice<String>, _ context: CommandContext) async throws {
    var numbers: [SecretLink.ID] = []
    for text in texts {
      guard let number = Int64(text), number > 0 else {
        throw UsageError("“\(text)” is not the number of a link. kennel links shows the numbers.")
      }
      numbers.append(number)
    }
    try await context.withStore { [numbers] store in
      for number in numbers { try await store.posts.revokeLink(number) }
    }
    let what = numbers.count == 1 ? "The link was revoked." : "\(numbers.count) links were revoked."
    try await context.output.write("\(what)\n")
  }
}

extension UsageError {
  /// The error for a word that is none of the actions of a command.
  static func unknownAction(_ action: String, of command: String, among actions: [String]) -> UsageError {
    let nearest = Spelling.nearest(to: action, among: actions)
    return UsageError(
      "The command \(command) needs one of \(actions.joined(separator: ", ")), not “\(action)”."
        + (nearest.map { " Did you mean \($0)?" } ?? ""))
  }
}
