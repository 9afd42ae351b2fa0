import Foundation
import HTTPService
import KennelCore
import TerminalProgram

enum DemoCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let settings = try ServerSettings(context.settings)
    let count = try context.arguments.integer("dogs", in: 1...Litter.posts.count, default: Litter.posts.count)
    // Before a litter is drawn in vain.
    let listener = try KennelListener(settings, orAnyPort: !settings.hasOwnPort, screen: context.screen)
    if let directory = context.arguments.operands.first {
      let isNew = !CommandContext.isKennel(directory)
      if isNew, let names = try? FileManager.default.contentsOfDirectory(atPath: directory), !names.isEmpty {
        throw Failure(.fileSystem, "\(directory) is not empty, and no kennel: give another directory")
      }
      try await serve(directory, drawing: isNew ? count : nil, listener, context)
      return .success
    }
    let directory = try DemoDirectory()
    defer { directory.remove() }
    try await serve(directory.path, drawing: count, listener, context)
    return .success
  }

  /// - Parameter count: how many dogs; nil for a kennel that has what it shows.
  private static func serve(
    _ directory: String, drawing count: Int?, _ listener: KennelListener, _ context: CommandContext
  ) async throws {
    try CommandContext.makeParents(of: directory)
    let store = try await KennelStore.open(directory)
    do {
      var account: DemoKennel.Account?
      if let count { account = try await fill(store, count, context) }
      let server = try KennelServer(store, directory: directory, listener)
      try await context.output.write(greeting(listener.address, account))
      try await server.run()
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private static func fill(
    _ store: KennelStore, _ count: Int, _ context: CommandContext
  ) async throws -> DemoKennel.Account {
    let progress = context.progress.begin("drawing dogs", unit: .items, total: Int64(count))
    context.screen.say("Drawing \(count == 1 ? "a dog" : "\(count) dogs")…")
    let account = try await DemoKennel.fill(store, posts: Array(Litter.posts.suffix(count))) { done in
      progress.advance(to: Int64(done))
    }
    progress.end()
    await context.progress.stop()
    return account
  }

  private static func greeting(_ address: String, _ account: DemoKennel.Account?) -> String {
    var text = "Kennel is at \(address)\n"
    if let account { text += "Sign in as \(account.name) with the password \(account.password)\n" }
    return text + "Ctrl-C ends it.\n"
  }
}
