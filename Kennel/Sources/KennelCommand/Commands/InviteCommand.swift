import KennelModel
import TerminalProgram

enum InviteCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let role = context.arguments.value("role").flatMap(User.Role.init(rawValue:)) ?? .member
    let days = try context.arguments.integer(
      "days", in: Accounts.invitationDays, default: Accounts.defaultInvitationDays)
    let address = try address(context)
    try await context.withStore { store in
      try await invite(role, days: days, address: address, store, context)
    }
    return .success
  }

  /// Makes an invitation and prints its link. Not inlined, because the optimizer of Swift 6.3 crashes on it in `run`.
  @inline(never)
  private static func invite(
    _ role: User.Role, days: Int, address: String?, _ store: KennelStore, _ context: CommandContext
  ) async throws {
    guard try await store.accounts.hasUsers() else {
      throw Failure(
        .failure,
        "There are no accounts yet. Create the owner's account with kennel user add NAME, or with the link that kennel serve prints."
      )
    }
    let link = try await store.accounts.invite(role, days: days)
    context.screen.say(
      "With this link, one person can create \(role.withArticle)'s account until \(link.link.expires.formatted(.iso8601.year().month().day())):"
    )
    try await write(link, address: address, store, context)
  }

  /// Prints a link, and explains where its address comes from if it may be wrong.
  static func write(
    _ link: NewAccountLink, address: String?, _ store: KennelStore, _ context: CommandContext
  ) async throws {
    let known: String?
    if let address { known = address } else { known = try await store.linkAddress() }
    try await PrintedLink(link, address: known ?? "http://localhost:\(ServerSettings.defaultPort)").write(
      context)
    if known == nil {
      context.screen.say(
        "No server has run yet, so the address of this kennel is not known. Use --url for another address.")
    }
  }

  /// Returns the address of `--url` without a slash at its end, or nil if there is none.
  static func address(_ context: CommandContext) throws -> String? {
    guard let text = context.arguments.value("url") else { return nil }
    guard text.hasPrefix("http://") || text.hasPrefix("https://"),
      text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      !text.contains("?"), !text.contains("#")
    else {
      throw UsageError("--url must be an address such as https://dogs.example, not “\(text)”.")
    }
    return String(text.reversed().drop { $0 == "/" }.reversed())
  }
}

extension User.Role {
  /// The role in a sentence, such as “an owner”.
  var withArticle: String { self == .owner ? "an owner" : "a \(rawValue)" }
}
