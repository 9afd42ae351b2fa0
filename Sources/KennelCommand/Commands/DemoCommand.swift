import Foundation
import HTTPService
import KennelCore
import TerminalProgram

enum DemoCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let settings = try ServerSettings(context.settings)
    if let directory = context.arguments.operands.first {
      try await serve(directory, settings, context)
      return .success
    }
    let directory = NSTemporaryDirectory() + "/kennel-demo-\(UUID().uuidString.prefix(8))"
    do {
      try await serve(directory, settings, context)
    } catch {
      try? FileManager.default.removeItem(atPath: directory)
      throw error
    }
    try? FileManager.default.removeItem(atPath: directory)
    return .success
  }

  private static func serve(
    _ directory: String, _ settings: ServerSettings, _ context: CommandContext
  ) async throws {
    let isNew = !CommandContext.isKennel(directory)
    if isNew, let names = try? FileManager.default.contentsOfDirectory(atPath: directory), !names.isEmpty {
      throw Failure(.fileSystem, "\(directory) is not empty, and no kennel: give another directory")
    }
    try CommandContext.makeParents(of: directory)
    let store = try await KennelStore.open(directory)
    do {
      var account: DemoKennel.Account?
      if isNew { account = try await fill(store, context) }
      let server = try listen(store, directory, settings, context)
      try await context.output.write(greeting(server.address, account))
      try await server.run()
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private static func fill(_ store: KennelStore, _ context: CommandContext) async throws -> DemoKennel.Account
  {
    let count = try context.arguments.integer("dogs", in: 1...Litter.posts.count, default: Litter.posts.count)
    let progress = context.progress.begin("drawing dogs", unit: .items, total: Int64(count))
    context.screen.say("Drawing \(count == 1 ? "a dog" : "\(count) dogs")…")
    let account = try await DemoKennel.fill(store, posts: Array(Litter.posts.suffix(count))) { done in
      progress.advance(to: Int64(done))
    }
    progress.end()
    await context.progress.stop()
    return account
  }

  /// Another port where the usual one is taken; the one that was asked for otherwise.
  private static func listen(
    _ store: KennelStore, _ directory: String, _ settings: ServerSettings, _ context: CommandContext
  ) throws -> KennelServer {
    do {
      return try KennelServer(store, directory: directory, settings, screen: context.screen)
    } catch let error as Failure where !settings.hasOwnPort {
      guard case .ip(let address, _) = settings.server.address else { throw error }
      var other = settings
      other.server.address = .ip(address, port: 0)
      return try KennelServer(store, directory: directory, other, screen: context.screen)
    }
  }

  private static func greeting(_ address: String, _ account: DemoKennel.Account?) -> String {
    var text = "Kennel is at \(address)\n"
    if let account { text += "Sign in as \(account.name) with the password \(account.password)\n" }
    return text + "Ctrl-C ends it.\n"
  }
}
