import Dispatch
import Foundation
import Glibc
import KennelModel
import TerminalProgram

enum UserCommand {
  static let actions = ["add", "list", "password", "reset", "role", "remove"]

  /// The actions that accept each option.
  private static let options = [
    "role": ["add", "role"], "password-stdin": ["add", "password"], "hand-to": ["remove"],
    "with-posts": ["remove"], "yes": ["remove"], "url": ["reset"],
  ]

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.arguments.operands
    let action = operands.first ?? ""
    guard actions.contains(action) else {
      throw UsageError.unknownAction(action, of: "user", among: actions)
    }
    for (option, takers) in options.sorted(by: { $0.key < $1.key })
    where context.arguments.has(option) && !takers.contains(action) {
      throw UsageError(
        "The command user \(action) takes no --\(option). Only user \(takers.joined(separator: " and ")) can use it."
      )
    }
    if action == "list" {
      guard operands.count == 1 else { throw UsageError("The command user list takes no name.") }
      return try await list(context)
    }
    guard operands.count > 1 else { throw UsageError("The command user \(action) needs a NAME.") }
    let hasRole = action == "role" && operands.count == 3 && !context.arguments.has("role")
    guard operands.count == 2 || hasRole && User.Role(rawValue: operands[2]) != nil else {
      throw excess(action, operands[1], operands[2])
    }
    let name = operands[1]
    switch action {
    case "add": try await add(name, context)
    case "password": try await changePassword(name, context)
    case "reset": try await resetPassword(name, context)
    case "role":
      try await changeRole(
        name, to: hasRole ? User.Role(rawValue: operands[2]) : role(context.arguments), context)
    default: try await remove(name, context)
    }
    return .success
  }

  private static func excess(_ action: String, _ name: String, _ word: String) -> UsageError {
    if User.Role(rawValue: word) != nil, action == "add" {
      return UsageError("Unexpected argument “\(word)”. Use --role \(word).")
    }
    if action == "role" {
      let nearest = Spelling.nearest(to: word, among: User.Role.allCases.map(\.rawValue))
      return UsageError(
        "The role is owner, member or viewer, not “\(word)”." + (nearest.map { " Did you mean \($0)?" } ?? "")
      )
    }
    return UsageError(
      "Unexpected argument “\(word)”. The command user \(action) takes only one NAME. "
        + "Put a name of several words in quotes: '\(name) \(word)'.")
  }

  private static func list(_ context: CommandContext) async throws -> ExitStatus {
    let users = try await context.withStore { try await $0.accounts.users() }
    if users.isEmpty {
      context.screen.say(
        "There are no accounts yet. To create the owner's account, run: kennel user add NAME")
    }
    let width = users.map { DisplayText.width($0.name) }.max() ?? 0
    let roleWidth = User.Role.allCases.map { $0.rawValue.utf8.count }.max() ?? 0
    // The store sorts names by code point, which would put É after Z.
    let sorted = users.sorted {
      $0.name.compare($1.name, options: [.caseInsensitive, .diacriticInsensitive, .numeric])
        == .orderedAscending
    }
    for user in sorted {
      let name = DisplayText.fitted(DisplayText.safe(user.name), to: width)
      let role = DisplayText.fitted(user.role.rawValue, to: roleWidth)
      let date = user.created.formatted(.iso8601.year().month().day())
      try await context.output.write("\(name)  \(role)  since \(date)\n")
    }
    return .success
  }

  private static func add(_ name: String, _ context: CommandContext) async throws {
    // Check the name before asking for a password.
    _ = try UserName(name)
    let explicitRole = try role(context.arguments)
    // Get the password before creating a kennel.
    var password: String?
    if !CommandContext.isKennel(context.settings.dataDirectory) {
      try checkFirst(explicitRole)
      password = try await Self.password(for: name, context)
    }
    try await context.withStore(isNew: true) { [password] store in
      let isFirst = try await store.accounts.users().isEmpty
      if isFirst { try checkFirst(explicitRole) }
      if try await store.accounts.user(named: name) != nil {
        throw Failure(.failure, "The name \(name) is already taken. Choose another name.")
      }
      let chosen: String
      if let password { chosen = password } else { chosen = try await Self.password(for: name, context) }
      let user = try await store.accounts.addUser(
        name, password: chosen, role: explicitRole ?? (isFirst ? .owner : .member))
      try await context.output.write("\(user.name) is \(user.role.withArticle) and can sign in.\n")
    }
  }

  /// Uses an untyped throw, because the optimizer of Swift 6.3 crashes on a typed throw here.
  private static func checkFirst(_ role: User.Role?) throws {
    if let role, role != .owner {
      throw UsageError("The first account must be an owner. Omit --role \(role.rawValue).")
    }
  }

  private static func changePassword(_ name: String, _ context: CommandContext) async throws {
    try await context.withStore { store in
      let user = try await user(name, store)
      let password = try await password(for: user.name, context)
      try await store.accounts.setPassword(password, of: user.id)
      try await context.output.write(
        "The password of \(user.name) was changed, and all sessions of \(user.name) were ended.\n")
    }
  }

  private static func resetPassword(_ name: String, _ context: CommandContext) async throws {
    let address = try InviteCommand.address(context)
    try await context.withStore { store in
      let user = try await user(name, store)
      let link = try await store.accounts.makePasswordLink(for: user.id)
      context.screen.say(
        "With this link, a new password for \(user.name) can be set within 24 hours. It works once:")
      try await InviteCommand.write(link, address: address, store, context)
    }
  }

  private static func changeRole(
    _ name: String, to role: User.Role?, _ context: CommandContext
  ) async throws {
    guard let role else {
      throw UsageError(
        "The command user role needs a role: owner, member or viewer, as in kennel user role NAME viewer.")
    }
    try await context.withStore { store in
      let user = try await user(name, store)
      try await store.accounts.setRole(role, of: user.id)
      try await context.output.write("\(user.name) is now \(role.withArticle).\n")
    }
  }

  private static func remove(_ name: String, _ context: CommandContext) async throws {
    try await context.withStore { store in
      let user = try await user(name, store)
      var contentPolicy = Accounts.ContentPolicy.removed
      if let heir = context.arguments.value("hand-to") {
        contentPolicy = .transferred(to: try await Self.user(heir, store).id)
      } else {
        try await confirmRemoval(of: user, store, context)
      }
      let gone = try await store.accounts.removeUser(user.id, contentPolicy: contentPolicy)
      let verb = contentPolicy == .removed ? "together with" : "after transferring"
      try await context.output.write(
        "\(user.name) was removed \(verb) \(counted(gone.posts, "post")) and \(counted(gone.comments, "comment")).\n"
      )
    }
  }

  /// Asks for confirmation to remove the posts and comments of a user.
  ///
  /// - Throws: an error unless the removal is confirmed.
  private static func confirmRemoval(
    of user: User, _ store: KennelStore, _ context: CommandContext
  ) async throws {
    let own = try await store.accounts.belongings(of: user.id)
    if own.posts == 0, own.comments == 0 { return }
    let what = "\(counted(own.posts, "post")) and \(counted(own.comments, "comment"))"
    guard context.arguments.has("with-posts") else {
      throw UsageError(
        "The user \(user.name) has \(what). Use --with-posts to remove them too, or --hand-to NAME to transfer them."
      )
    }
    if context.arguments.has("yes") { return }
    guard Confirmation.isPossible else {
      throw UsageError(
        "The user \(user.name) has \(what), and there is no terminal for the confirmation. Use --yes to remove them."
      )
    }
    guard await Confirmation.ask("Remove \(user.name) with \(what)? This cannot be undone.") else {
      try Task.checkCancellation()
      throw Failure(.failure, "The user \(user.name) was not removed.")
    }
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  static func user(_ name: String, _ store: KennelStore) async throws -> User {
    if let user = try await store.accounts.user(named: name) { return user }
    let names = try await store.accounts.users().map(\.name)
    let nearest = Spelling.nearest(to: name, among: names)
    throw Failure(.failure, "There is no user \(name)." + (nearest.map { " Did you mean \($0)?" } ?? ""))
  }

  /// Returns the author of new posts: the user given with `--as`, or the only owner.
  static func author(_ context: CommandContext, _ store: KennelStore) async throws -> User {
    if let name = context.arguments.value("as") { return try await user(name, store) }
    let owners = try await store.accounts.users().filter { $0.role == .owner }
    guard let owner = owners.first else {
      throw Failure(
        .failure, "There are no accounts yet. Create the owner's account with kennel user add NAME.")
    }
    guard owners.count == 1 else {
      throw UsageError("There are several owners. Use --as NAME to choose one.")
    }
    return owner
  }

  private static func role(_ arguments: ParsedArguments) throws -> User.Role? {
    arguments.value("role").flatMap(User.Role.init(rawValue:))
  }

  // MARK: Passwords

  private static func password(for name: String, _ context: CommandContext) async throws -> String {
    if context.arguments.has("password-stdin") {
      let password = try await StandardInput.line()
      try Accounts.check(password)
      return password
    }
    let first = try await answer("Password for \(name): ")
    // Check the password before asking for it again.
    try Accounts.check(first)
    guard try await answer("Repeat the password: ") == first else {
      throw Failure(.failure, "The two passwords differ. Try again.")
    }
    return first
  }

  private static func answer(_ question: String) async throws -> String {
    if let answer = await PasswordPrompt.ask(question) { return answer }
    try Task.checkCancellation()
    if PasswordPrompt.hasTerminal { throw UsageError("No password was given.") }
    throw UsageError("There is no terminal to ask for the password. Use --password-stdin.")
  }
}

/// The input from another program.
enum StandardInput {
  private static let maximumLength = 4096

  /// Reads the first line, which is a password.
  static func line() async throws -> String {
    let bytes: [UInt8] = await withCheckedContinuation { continuation in
      DispatchQueue(label: "kennel.input").async { continuation.resume(returning: read()) }
    }
    guard !bytes.isEmpty else {
      throw UsageError("Standard input contains no password. The first line must be the password.")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("The password on standard input is not valid UTF-8.")
    }
    return text
  }

  private static func read() -> [UInt8] {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < maximumLength, Glibc.read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
