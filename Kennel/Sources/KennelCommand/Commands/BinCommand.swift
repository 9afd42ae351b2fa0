import Foundation
import KennelModel
import TerminalProgram

enum BinCommand {
  static let actions = ["list", "restore", "empty"]

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.arguments.operands
    let action = operands.first ?? ""
    switch action {
    case "list", "empty":
      guard operands.count == 1 else { throw UsageError("The command bin \(action) takes no numbers.") }
      try await context.withStore { store in
        if action == "list" { try await list(store, context) } else { try await empty(store, context) }
      }
    case "restore":
      let ids = try operands.dropFirst().map(number)
      guard !ids.isEmpty else {
        throw UsageError("Give the numbers of the posts to restore. kennel bin list shows them.")
      }
      try await context.withStore { store in
        for id in ids {
          let post = try await store.posts.restore(id, by: nil)
          try await context.output.write(
            "Post \(post.id) by \(DisplayText.safe(post.authorName)) is restored.\n")
        }
      }
    default:
      let nearest = Spelling.nearest(to: action, among: actions)
      throw UsageError(
        "There is no command bin \(action). Use list, restore or empty."
          + (nearest.map { " Did you mean \($0)?" } ?? ""))
    }
    return .success
  }

  private static func number(_ text: String) throws(UsageError) -> Int64 {
    guard let id = Int64(text), id > 0 else {
      throw UsageError("The number of a post is expected, not “\(text)”. kennel bin list shows them.")
    }
    return id
  }

  /// Prints a line for each post: its number, the day until which it is kept, its author and its caption.
  private static func list(_ store: KennelStore, _ context: CommandContext) async throws {
    for binned in try await store.posts.bin(for: nil) {
      let day = binned.end.formatted(.iso8601.year().month().day())
      let caption = DisplayText.safe(binned.post.caption.split(separator: "\n").first.map(String.init) ?? "")
      let line = "\(binned.post.id)\t\(day)\t\(DisplayText.safe(binned.post.authorName))\t\(caption)"
      try await context.output.write(line + "\n")
    }
  }

  private static func empty(_ store: KennelStore, _ context: CommandContext) async throws {
    if !context.arguments.has("yes"), try await !store.posts.bin(for: nil, limit: 1).isEmpty {
      guard Confirmation.isPossible else {
        throw UsageError("There is no terminal for the confirmation. Use --yes to empty the bin.")
      }
      guard await Confirmation.ask("Delete all posts in the bin forever?") else {
        try Task.checkCancellation()
        throw Failure(.failure, "The bin was not emptied.")
      }
    }
    let count = try await store.posts.emptyBin(completely: true)
    try await context.output.write(count == 1 ? "1 post was deleted.\n" : "\(count) posts were deleted.\n")
  }
}
