import Foundation
import Glibc
import KennelCore
import TerminalProgram

enum UserCommand {
  static let actions = ["add", "list", "password", "role", "remove"]

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.arguments.operands
    let action = operands.first ?? ""
    guard actions.contains(action) else {
      let nearest = Spelling.nearest(to: action, among: actions)
      throw UsageError(
        "user does one of \(actions.joined(separator: ", ")), not “\(action)”"
          + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }
    if action == "list" {
      guard operands.count == 1 else { throw UsageError("user list takes no name") }
      return try await list(context)
    }
    guard operands.count == 2 else { throw UsageError("user \(action) needs a NAME") }
    let name = operands[1]
    switch action {
    case "add": try await add(name, context)
    case "password": try await changePassword(name, context)
    case "role": try await changeRole(name, context)
    default: try await remove(name, context)
    }
    return .success
  }

  private static func list(_ context: CommandContext) async throws -> ExitStatus {
    let users = try await context.withStore { try await $0.accounts.users() }
    let width = users.map { DisplayText.width($0.name) }.max() ?? 0
    for user in users {
      let name = DisplayText.fitted(DisplayText.safe(user.name), to: width)
      let role = DisplayText.fitted(user.role.rawValue, to: 6)
      let date = user.created.formatted(.iso8601.year().month().day())
      try await context.output.write("\(name)  \(role)  since \(date)\n")
    }
    return .success
  }

  private static func add(_ name: String, _ context: CommandContext) async throws {
    // Before a password is asked for in vain.
    _ = try UserName(name)
    try await context.withStore(isNew: true) { store in
      let isFirst = try await store.accounts.users().isEmpty
      let role = try role(context.arguments) ?? (isFirst ? .owner : .member)
      if isFirst, role != .owner {
        throw UsageError("the first account is the owner's: leave --role away")
      }
      if try await store.accounts.user(named: name) != nil {
        throw Failure(.failure, "somebody has the name \(name) already: choose another one")
      }
      let password = try await password(for: name, context)
      let user = try await store.accounts.addUser(name, password: password, role: role)
      let article = user.role == .owner ? "an owner" : "a member"
      try await context.output.write("\(user.name) is \(article), and can sign in.\n")
    }
  }

  private static func changePassword(_ name: String, _ context: CommandContext) async throws {
    try await context.withStore { store in
      let user = try await user(name, store)
      let password = try await password(for: user.name, context)
      try await store.accounts.setPassword(password, of: user.id)
      try await context.output.write(
        "\(user.name) has a new password; who was signed in as \(user.name) no longer is.\n")
    }
  }

  private static func changeRole(_ name: String, _ context: CommandContext) async throws {
    guard let role = try role(context.arguments) else {
      throw UsageError("user role needs --role owner or member")
    }
    try await context.withStore { store in
      let user = try await user(name, store)
      try await store.accounts.setRole(role, of: user.id)
      try await context.output.write("\(user.name) is \(role == .owner ? "an owner" : "a member") now.\n")
    }
  }

  private static func remove(_ name: String, _ context: CommandContext) async throws {
    try await context.withStore { store in
      let user = try await user(name, store)
      let legacy: Accounts.Legacy
      if let heir = context.arguments.value("hand-to") {
        legacy = .handed(to: try await Self.user(heir, store).id)
      } else if context.arguments.has("with-posts") {
        legacy = .removed
      } else {
        let count = try await postCount(of: user, store)
        guard count == 0 else {
          let posts = count == 1 ? "1 post" : "\(count) posts"
          throw UsageError(
            "\(user.name) has \(posts): say --with-posts to remove them as well, or --hand-to NAME to give them to somebody"
          )
        }
        legacy = .removed
      }
      let gone = try await store.accounts.removeUser(user.id, legacy: legacy)
      let verb = legacy == .removed ? "removed with" : "gone, and somebody else has"
      try await context.output.write(
        "\(user.name) is \(verb) \(counted(gone.posts, "post")) and \(counted(gone.comments, "comment")).\n")
    }
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  private static func postCount(of user: User, _ store: KennelStore) async throws -> Int {
    var (count, last): (Int, Post.ID?) = (0, nil)
    while true {
      let page = try await store.posts.page(before: last, limit: Posts.pageLimit)
      guard let end = page.last else { return count }
      count += page.count { $0.author == user.id }
      last = end.id
    }
  }

  static func user(_ name: String, _ store: KennelStore) async throws -> User {
    if let user = try await store.accounts.user(named: name) { return user }
    let names = try await store.accounts.users().map(\.name)
    let nearest = Spelling.nearest(to: name, among: names)
    throw Failure(.failure, "there is no user \(name)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
  }

  /// Whose posts they become: who was named, or the only owner.
  static func author(_ context: CommandContext, _ store: KennelStore) async throws -> User {
    if let name = context.arguments.value("as") { return try await user(name, store) }
    let owners = try await store.accounts.users().filter { $0.role == .owner }
    guard let owner = owners.first else {
      throw Failure(.failure, "there is no account yet: kennel user add NAME makes the owner's")
    }
    guard owners.count == 1 else { throw UsageError("there are several owners: say --as NAME") }
    return owner
  }

  private static func role(_ arguments: ParsedArguments) throws -> User.Role? {
    arguments.value("role").flatMap(User.Role.init(rawValue:))
  }

  // MARK: Passwords

  private static func password(for name: String, _ context: CommandContext) async throws -> String {
    if context.arguments.has("password-stdin") { return try await StandardInput.line() }
    guard let first = await PasswordPrompt.ask("Password for \(name): ") else {
      try Task.checkCancellation()
      throw UsageError("there is no terminal to ask at: give the password with --password-stdin")
    }
    guard let second = await PasswordPrompt.ask("Once more: ") else { throw CancellationError() }
    guard first == second else { throw Failure(.failure, "the two passwords differ: try again") }
    return first
  }
}

/// What another program hands over.
enum StandardInput {
  /// The first line.
  static func line() async throws -> String {
    let bytes: [UInt8]? = await withCheckedContinuation { continuation in
      DispatchQueue(label: "kennel.input").async {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 4096, read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
          line.append(byte)
        }
        continuation.resume(returning: line.isEmpty ? nil : line)
      }
    }
    guard var bytes,
      let text = { () -> String? in
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
      }()
    else { throw UsageError("there is no password on standard input: its first line is the password") }
    return text
  }
}
