import Foundation
import Glibc
import KennelModel
import KennelStorage
import ObjectStorage
import StoredPhotos
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
    let store = try await KennelStore.open(directory, configuration: storeConfiguration(isNew: isNew))
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
  ///
  /// - Parameters:
  ///   - directory: the directory of the kennel (default: the data directory).
  ///   - isNew: whether the kennel may not exist yet. Then its photos may get their place.
  ///   - isReading: whether no file of the kennel may change.
  func storeConfiguration(
    of directory: String? = nil, isNew: Bool = false, isReading: Bool = false
  ) async throws -> KennelStore.Configuration {
    var configuration = KennelStore.Configuration()
    // For commands without this option, only the environment and the configuration file have it.
    if let zone = try settings.timeZone("time-zone") { configuration.timeZone = zone }
    if let size = try settings.byteCount("max-video") { configuration.maximumVideoSize = size }
    configuration.databaseAddress = settings.text("database")
    let directory = directory ?? settings.dataDirectory
    // It changes where the photos are.
    if !isReading { try FileSwitch.complete(in: directory) }
    let place = try await photosPlace(directory, isNew: isNew)
    let open = try place.map { place in
      place.blobs(for: directory, credentials: try credentials(), configuration: try photoLimits())
    }
    configuration.blobs = { photos throws(KennelError) in
      guard try StoredPhotosPlace.read(directory)?.location == place?.location else {
        throw KennelError(.busy, "The photos of this kennel were moved at this moment. Try again.")
      }
      return try open?(photos) ?? photos
    }
    return configuration
  }

  /// Returns the store of the photos of a kennel; nil if they are in its directory.
  private func photosPlace(_ directory: String, isNew: Bool) async throws -> StoredPhotosPlace? {
    // Other commands use the store that kennel serve has chosen.
    guard isNew, let value = settings.value("photos") else { return try StoredPhotosPlace.read(directory) }
    let location = try location(value)
    try Self.makeParents(of: directory)
    return try await StoredPhotosPlace.choose(location, for: directory, credentials: try credentials())
  }

  /// Returns the store that a setting or an option names.
  func location(_ value: Settings.Value) throws(UsageError) -> StoreLocation {
    do throws(ObjectStoreError) {
      return try StoreLocation(value.text, environment: environment)
    } catch {
      throw value.error("is not valid. \(error.description)")
    }
  }

  /// Returns the limits of the local copies of photos that are in a store.
  func photoLimits() throws(UsageError) -> StoredBlobs.Configuration {
    var limits = StoredBlobs.Configuration()
    if let size = try settings.byteCount("photo-cache") { limits.maximumCacheSize = size }
    return limits
  }

  func credentials() throws(UsageError) -> StoreCredentials {
    do throws(ObjectStoreError) {
      return try StoreCredentials.find(in: environment)
    } catch {
      throw UsageError(error.description)
    }
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
