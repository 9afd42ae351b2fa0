import Foundation
import Glibc
import KennelModel
import TerminalProgram

/// The arguments, settings and terminal of a command.
struct CommandContext: Sendable {
  let arguments: ParsedArguments
  let environment: [String: String]
  let settings: Settings
  let screen: Screen
  let progress: ProgressDisplay
  let output: DescriptorWriter

  init(_ arguments: ParsedArguments, environment: [String: String]) throws {
    self.arguments = arguments
    self.environment = environment
    settings = try Settings(arguments, environment: environment)
    screen = Screen(STDERR_FILENO, isQuiet: arguments.has("quiet"), environment: environment)
    for warning in KennelVariables.warnings(environment) { screen.say("kennel: \(warning)") }
    progress = ProgressDisplay(screen)
    output = DescriptorWriter(STDOUT_FILENO, name: "standard output", closes: false)
  }

  func close() async {
    await progress.stop()
    await screen.flush()
  }

  /// Opens the kennel in the data directory, runs the closure, and closes the kennel.
  ///
  /// - Parameter isNew: whether the kennel may not exist yet.
  func withStore<Result: Sendable>(
    isNew: Bool = false, _ body: (KennelStore) async throws -> Result
  ) async throws -> Result {
    if !isNew { try requireKennel() }
    let directory = settings.dataDirectory
    try Self.makeParents(of: directory)
    let store = try await KennelStore.open(directory, configuration: storeConfiguration())
    do {
      let result = try await body(store)
      await store.close()
      return result
    } catch {
      await store.close()
      throw error
    }
  }

  /// Returns the configuration of a store with the settings that concern it.
  func storeConfiguration() throws -> KennelStore.Configuration {
    var configuration = KennelStore.Configuration()
    // For commands without this option, only the environment and the configuration file have it.
    if let zone = try settings.timeZone("time-zone") { configuration.timeZone = zone }
    if let size = try settings.byteCount("max-video") { configuration.maximumVideoSize = size }
    configuration.databaseAddress = settings.text("database")
    return configuration
  }

  /// Refuses a data directory without a kennel.
  func requireKennel() throws(Failure) {
    let directory = settings.dataDirectory
    guard Self.isKennel(directory) else {
      throw Failure(
        .fileSystem,
        "There is no kennel in \(directory). Use --data for another directory, or kennel user add NAME to create a kennel."
      )
    }
  }

  static func isKennel(_ directory: String) -> Bool { KennelStore.exists(in: directory) }

  static func makeParents(of directory: String) throws {
    let parent = URL(fileURLWithPath: directory).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
  }
}
