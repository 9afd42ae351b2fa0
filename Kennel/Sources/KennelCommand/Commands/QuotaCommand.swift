import KennelModel
import TerminalProgram

enum QuotaCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.arguments.operands
    let isDefault = context.arguments.has("default")
    // With the option, there is no name.
    let size = isDefault ? operands.first : operands.dropFirst().first
    guard operands.count <= (isDefault ? 1 : 2) else {
      throw UsageError("With --default, give only a size or none.")
    }
    try await context.withStore { store in
      if isDefault {
        if let size { try await store.quotas.setDefault(try quota(size)) }
        try await context.output.write(sentence(try await store.quotas.defaultQuota()) + "\n")
      } else if let name = operands.first {
        let user = try await UserCommand.user(name, store)
        if let size {
          let quota = size.lowercased() == "default" ? nil : try quota(size)
          try await store.quotas.set(quota, of: user.id)
        }
        try await write(user, try await store.quotas.usage(of: user.id), context)
      } else {
        let usages = try await store.quotas.usages()
        for user in try await store.accounts.users() {
          if let usage = usages[user.id] { try await write(user, usage, context) }
        }
      }
    }
    return .success
  }

  /// Prints a line: the name, what the photos take, and what they may take.
  private static func write(_ user: User, _ usage: QuotaUsage, _ context: CommandContext) async throws {
    try await context.output.write(
      "\(DisplayText.safe(user.name))\t\(ByteSize(bytes: usage.used).words)\t\(words(usage.quota))\n")
  }

  private static func quota(_ text: String) throws(UsageError) -> Quota {
    guard let quota = Quota(text) else {
      throw UsageError(
        "The quota “\(DisplayText.safe(text))” is not valid. Use a size with a unit, such as 20GB or 500MB, or none."
      )
    }
    return quota
  }

  private static func words(_ quota: Quota) -> String {
    if case .bytes(let bytes) = quota { ByteSize(bytes: bytes).words } else { "no limit" }
  }

  private static func sentence(_ quota: Quota) -> String {
    "The default for each person: \(words(quota))."
  }
}
