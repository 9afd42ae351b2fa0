import Foundation
import HTTPService
import KennelModel
import TerminalProgram

enum DemoCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let settings = try ServerSettings(context.settings)
    let count = try context.arguments.integer("dogs", in: 1...Litter.posts.count, default: Litter.posts.count)
    // Listen first, so that a failure occurs before the pictures are drawn.
    let listener = try await KennelListener(
      settings, orAnyPort: !settings.hasExplicitPort, screen: context.screen)
    if let busy = listener.busyPort {
      context.screen.say("Port \(busy) is in use, so this kennel uses port \(listener.server.port).")
    }
    if let directory = context.arguments.operands.first {
      let isNew = !CommandContext.isKennel(directory)
      if isNew, let names = try? FileManager.default.contentsOfDirectory(atPath: directory), !names.isEmpty {
        throw Failure(
          .fileSystem, "The directory \(directory) is not empty and is not a kennel. Give another directory.")
      }
      try await serve(directory, drawing: isNew ? count : nil, keepsPassword: true, listener, context)
      return .success
    }
    let directory = try DemoDirectory()
    defer { directory.remove() }
    try await serve(directory.path, drawing: count, listener, context)
    return .success
  }

  /// - Parameters:
  ///   - count: the number of dogs; nil for an existing kennel.
  ///   - keepsPassword: whether to store the password, to show it again the next time.
  private static func serve(
    _ directory: String, drawing count: Int?, keepsPassword: Bool = false, _ listener: KennelListener,
    _ context: CommandContext
  ) async throws {
    try CommandContext.makeParents(of: directory)
    var configuration = try await context.storeConfiguration(of: directory)
    // A demonstration does not fill the database of another kennel.
    configuration.databaseAddress = nil
    let store = try await KennelStore.open(directory, configuration: configuration)
    do {
      let note = DemoPassword(directory)
      let account: DemoKennel.Account?
      if let count {
        let made = DemoKennel.Account.makeOwner()
        // Write the password first: the kennel may exist even if the next steps are interrupted.
        if keepsPassword { try note.write(made) }
        try await fill(store, made, count, context)
        // Nobody's photos are in it.
        try await store.setVisibility(.everyone)
        account = made
      } else {
        account = try await note.account(in: store)
      }
      let server = try KennelServer(store, directory: directory, listener)
      if let address = listener.linkAddress { try await store.setLinkAddress(address) }
      try await server.run {
        try await context.output.write(greeting(listener.address, account, directory))
      }
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private static func fill(
    _ store: KennelStore, _ account: DemoKennel.Account, _ count: Int, _ context: CommandContext
  ) async throws {
    let progress = context.progress.begin("drawing dogs", unit: .items, total: Int64(count))
    context.screen.say("Drawing \(count == 1 ? "a dog" : "\(count) dogs")…")
    try await DemoKennel.fill(store, account, posts: Array(Litter.posts.suffix(count))) { done in
      progress.advance(to: Int64(done))
    }
    progress.end()
    await context.progress.stop()
  }

  private static func greeting(
    _ address: String, _ account: DemoKennel.Account?, _ directory: String
  ) -> String {
    let access =
      account.map { "Sign in as \($0.name) with the password \($0.password)" }
      ?? "Sign in with an existing account. To change a password, run: kennel user password NAME --data \(directory)"
    return "Kennel is at \(address)\n\(DisplayText.safe(access))\nPress Ctrl-C to stop.\n"
  }
}
