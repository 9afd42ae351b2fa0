import KennelModel
import KennelStorage
import ObjectStorage
import StoredPhotos
import TerminalProgram

/// Where a command moves the records and photos of a kennel to. What is nil stays where it is.
struct MovePlan: Sendable {
  enum Photos: Sendable {
    case directory
    case store(StoreLocation, StoreCredentials, StoredBlobs.Configuration)
  }

  var records: RecordPlace?
  var photos: Photos?

  /// Returns the plan of `kennel move`.
  static func moving(_ context: CommandContext) throws -> MovePlan {
    var plan = MovePlan()
    plan.records = context.arguments.value("to-database").map { text in
      text == "sqlite" ? .file : .postgres(address: text)
    }
    if let text = context.arguments.value("to-photos") {
      let value = Settings.Value(text: text, setting: "to-photos", origin: .commandLine)
      plan.photos = text == "directory" ? .directory : try store(value, context)
    }
    guard plan.records != nil || plan.photos != nil else {
      throw UsageError("Give the new place with --to-database, --to-photos or both.")
    }
    return plan
  }

  /// Returns the plan of `kennel restore`; nil if the kennel is restored into its directory.
  static func restoring(_ context: CommandContext) throws -> MovePlan? {
    var plan = MovePlan()
    plan.records = context.settings.text("database").map { .postgres(address: $0) }
    plan.photos = try context.settings.value("photos").map { try store($0, context) }
    return plan.records == nil && plan.photos == nil ? nil : plan
  }

  private static func store(_ value: Settings.Value, _ context: CommandContext) throws -> Photos {
    .store(try context.location(value), try context.credentials(), try context.photoLimits())
  }

  /// Returns where the kennel in a directory moves to. Its present place is not changed.
  ///
  /// - Parameter record: a file that remembers the claim of a store if the directory is removed after a failure.
  func target(of directory: String, record: String? = nil) async throws(KennelError) -> MoveTarget {
    var target = MoveTarget(records: records)
    let known = try StoredPhotosPlace.read(directory)
    switch photos {
    case nil: break
    case .directory:
      guard known != nil else {
        throw KennelError(.notAllowed, "The photos of the kennel are already in \(directory)/photos.")
      }
      target.photos = MoveTarget.Photos(blobs: { $0 }, steps: { _ in StoredPhotosPlace.stepsToDirectory })
    case .store(let location, let credentials, let limits):
      let place = try await StoredPhotosPlace.prepareMove(
        to: location, of: directory, record: record, credentials: credentials)
      target.photos = MoveTarget.Photos(
        blobs: place.blobs(for: directory, credentials: credentials, configuration: limits),
        steps: { StoredPhotosPlace.steps(from: known, suffix: $0) })
    }
    return target
  }
}
