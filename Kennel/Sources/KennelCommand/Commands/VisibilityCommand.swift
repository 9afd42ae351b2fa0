import KennelModel
import TerminalProgram

enum VisibilityCommand {
  /// What an owner can decide.
  static let choices: [Visibility] = [.people, .everyone]

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    guard let text = context.arguments.operands.first else {
      let visibility = try await context.withStore { try await $0.visibility() }
      try await context.output.write("\(visibility.sentence)\n")
      return .success
    }
    guard let choice = choices.first(where: { $0.rawValue == text }) else {
      let nearest = Spelling.nearest(to: text, among: choices.map(\.rawValue))
      throw UsageError(
        "The visibility is people or everyone, not “\(text)”."
          + (nearest.map { " Did you mean \($0)?" } ?? ""))
    }
    try await context.withStore { try await $0.setVisibility(choice) }
    try await context.output.write("\(choice.sentence)\n")
    return .success
  }
}

extension Visibility {
  var sentence: String {
    switch self {
    case .people: "Only people with an account can see the photos."
    case .everyone: "Everyone who reaches the server can see the photos."
    case .undecided:
      "Everyone who reaches the server can see the photos, as before. To decide, run: kennel visibility people, or: kennel visibility everyone"
    }
  }
}
