import Foundation
import Glibc
import HTTPService
import KennelModel
import TerminalProgram

enum ServeCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let settings = try ServerSettings(context.settings)
    try await PhotoDecoder.checkSandbox()
    let directory = context.settings.dataDirectory
    let listener = try await listen(settings, directory: directory, context)
    try await context.withStore(isNew: true) { store in
      let server = try KennelServer(store, directory: directory, listener)
      try await server.run { try await announce(listener, settings, store, context) }
    }
    return .success
  }

  /// Prints where the kennel is, and the link for the first account.
  private static func announce(
    _ listener: KennelListener, _ settings: ServerSettings, _ store: KennelStore, _ context: CommandContext
  ) async throws {
    try await context.output.write("Kennel is at \(listener.address)\n")
    for address in listener.networkAddresses {
      try await context.output.write("In the local network, it is at \(address)\n")
    }
    if try await store.visibility() == .undecided, !settings.site.isOpenToEveryone {
      context.screen.say(Visibility.undecided.sentence)
    }
    if let address = listener.linkAddress { try await store.setLinkAddress(address) }
    if let link = try await store.accounts.makeFirstOwnerLink() {
      try await context.output.write(
        "This kennel has no accounts yet. To create the owner's account, open this link. It works once, for 24 hours:\n"
      )
      try await PrintedLink(link, address: listener.linkAddress).write(context)
      context.screen.say(
        "Each start prints a new link. To create the account at the terminal, run: kennel user add NAME")
    }
  }

  /// Listens before the kennel is created. Only the directory is created first, if the socket is in it.
  private static func listen(
    _ settings: ServerSettings, directory: String, _ context: CommandContext
  ) async throws -> KennelListener {
    guard case .unixSocket(let path) = settings.server.address,
      URL(fileURLWithPath: path).deletingLastPathComponent().path == URL(fileURLWithPath: directory).path
    else {
      return try await KennelListener(settings, screen: context.screen)
    }
    try CommandContext.makeParents(of: directory)
    let isNew = mkdir(directory, 0o700) == 0
    do {
      return try await KennelListener(settings, screen: context.screen)
    } catch {
      if isNew { rmdir(directory) }
      throw error
    }
  }
}
