import KennelModel
import TerminalProgram

/// The program `kennel`.
package enum KennelProgram {
  /// Runs the program and returns its exit status.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - environment: the variables of the process.
  package static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
    await description.run(arguments, environment: environment, failure: { Failure($0) }) { arguments in
      let context = try CommandContext(arguments, environment: environment)
      do {
        let status = try await perform(context)
        await context.close()
        return status
      } catch {
        await context.close()
        throw error
      }
    }
  }

  private static func perform(_ context: CommandContext) async throws -> ExitStatus {
    // For the other commands, only the environment and the configuration file have this setting.
    if try context.settings.flag("no-sandbox") { PhotoDecoder.disableSandbox() }
    VideoPoster.use(try PosterProgram.find(context.settings).map { VideoPoster.Programs(ffmpeg: $0) })
    return switch context.arguments.command {
    case "serve": try await ServeCommand.run(context)
    case "user": try await UserCommand.run(context)
    case "invite": try await InviteCommand.run(context)
    case "visibility": try await VisibilityCommand.run(context)
    case "quota": try await QuotaCommand.run(context)
    case "album": try await AlbumCommand.run(context)
    case "links": try await LinksCommand.run(context)
    case "peer": try await PeerCommand.run(context)
    case "bin": try await BinCommand.run(context)
    case "import": try await ImportCommand.run(context)
    case "sync": try await SyncCommand.run(context)
    case "backup": try await BackupCommand.run(context)
    case "restore": try await BackupCommand.restore(context)
    case "move": try await MoveCommand.run(context)
    case "check": try await CheckCommand.run(context)
    default: try await DemoCommand.run(context)
    }
  }
}
