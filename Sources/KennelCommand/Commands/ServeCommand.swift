import KennelCore
import TerminalProgram

enum ServeCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let settings = try ServerSettings(context.settings)
    try await context.withStore(isNew: true) { store in
      let server = try KennelServer(
        store, directory: context.settings.dataDirectory, settings, screen: context.screen)
      try await context.output.write("Kennel is at \(server.address)\n")
      if try await store.accounts.users().isEmpty {
        context.screen.say("Nobody can sign in yet: kennel user add NAME makes the owner's account.")
      }
      try await server.run()
    }
    return .success
  }
}
