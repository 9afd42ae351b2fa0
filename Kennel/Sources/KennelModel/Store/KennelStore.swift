import Foundation
import KennelStorage
import RetrieverImages
import Synchronization

/// The data of a kennel in one directory: the database and the photos.
///
/// Several processes may open the same directory. Their changes are serialized, and listeners receive the changes of
/// other processes within a second.
package final class KennelStore: Sendable {
  /// Limits of a store.
  package struct Configuration: Sendable {
    package var database = Database.Configuration()
    /// The address of a database of PostgreSQL, or nil if the records are in SQLite, in the directory.
    package var databaseAddress: String?
    package var accounts = Accounts.Configuration()
    /// The maximum size of a photo in bytes.
    package var maximumPhotoSize = 25 << 20
    /// The maximum size of a video in bytes, or 0 if videos are not accepted.
    package var maximumVideoSize = PhotoLimits.defaultMaximumVideoSize
    package var uploads = Uploads.Limits()
    /// The space of the disk that uploads leave free, in bytes.
    package var minimumFreeSpace: Int64 = 64 << 20
    /// The number of events that can be replayed.
    package var eventLogCapacity = 10_000
    /// The maximum number of events that a listener may fall behind.
    package var eventRingCapacity = 1024
    package var maximumListenerCount = 10_000
    /// The interval at which to poll for changes by other processes.
    package var pollInterval = Duration.seconds(1)
    /// The time zone of cameras that do not record it, and of dates without a zone.
    package var timeZone = TimeZone.current
    /// Opens the photos (default: in the directory itself).
    package var blobs: @Sendable (PhotoDirectory) throws(KennelError) -> any Blobs = { $0 }

    package init() {}
  }

  /// The directory of the store.
  package let directory: String
  package let accounts: Accounts
  package let posts: Posts
  package let albums: Albums
  package let uploads: Uploads
  /// Where the files of uploads arrive. Unless they are in a store, the photos are there too.
  package let photos: PhotoDirectory
  package let blobs: any Blobs
  package let events: EventHub
  package let versions: ContentVersions
  /// The key from which all processes derive the same keys.
  package let key: KennelKey
  let database: any Records
  let changes: ChangeRecorder
  let clock: KennelClock
  let latestVisibility = Mutex(ValueAtCommit<Visibility>())
  let configuration: Configuration
  /// Keeps the kennel from being moved.
  private let use: FileLock
  private let poller: ChangePoller
  /// Runs one backup at a time.
  let backups = BlockingWorkQueue<Void>("backups", slots: 1, maximumWaitingCount: 4)

  /// Opens the store in a directory and cleans up after a killed process. The directory is created if it is missing.
  ///
  /// - Parameters:
  ///   - clock: the clock for stored dates and time-outs.
  ///   - timer: the clock that schedules polls for changes by other processes.
  /// - Throws: an error that explains what to do about the directory, the disk, or a database of another version.
  package static func open(
    _ directory: String, configuration: Configuration = Configuration(), clock: KennelClock = .system,
    timer: any Clock<Duration> = ContinuousClock()
  ) async throws(KennelError) -> KennelStore {
    let workQueue = BlockingWorkQueue<Void>("openings", slots: 1, maximumWaitingCount: 0)
    let store = try await workQueue.run { () throws(KennelError) in
      try KennelStore(directory, configuration: configuration, clock: clock, timer: timer)
    }
    do throws(KennelError) {
      try await store.prepare()
    } catch {
      await store.close()
      throw error
    }
    return store
  }

  private init(
    _ directory: String, configuration: Configuration, clock: KennelClock, timer: any Clock<Duration>
  ) throws(KennelError) {
    self.directory = directory
    self.clock = clock
    try FileCalls.makeDirectory(directory)
    let (database, lastEventID) = try Self.openRecords(in: directory, configuration)
    let log = EventLog(capacity: max(configuration.eventLogCapacity, 1))
    self.database = database
    photos = try PhotoDirectory(
      path: directory + "/photos",
      limits: FileLimits(
        photo: configuration.maximumPhotoSize, video: configuration.maximumVideoSize,
        isVideo: { MovieMetadata.isMovie(Data($0)) }))
    guard let use = try photos.beginUse() else {
      throw KennelError(
        .busy, "The kennel in \(directory) is being moved. Wait for the end of kennel move, and try again.")
    }
    self.use = use
    poller = ChangePoller(
      interval: configuration.pollInterval, timer: timer, signals: database.changesOfOthers()
    ) {
      after async throws(KennelError) in
      try await database.readChanges { connection throws(KennelError) in
        try log.events(after: after, limit: log.capacity, from: connection)
      } ?? []
    }
    events = EventHub(
      capacity: configuration.eventRingCapacity, maximumListenerCount: configuration.maximumListenerCount,
      lastID: lastEventID, poller: poller
    ) { after async throws(KennelError) in
      try await database.read { connection throws(KennelError) in
        EventHub.Replay(
          events: try log.events(after: after, limit: 500, from: connection),
          lastDiscardedID: try log.lastDiscardedID(connection), lastID: try EventLog.lastID(connection))
      }
    }
    blobs = try configuration.blobs(photos)
    self.configuration = configuration
    changes = ChangeRecorder(database: database, photos: photos, blobs: blobs, log: log, hub: events)
    versions = ContentVersions(changes: changes)
    posts = Posts(
      database: database, photos: photos, blobs: blobs, changes: changes, clock: clock,
      timeZone: configuration.timeZone, minimumFreeSpace: configuration.minimumFreeSpace)
    albums = Albums(posts: posts)
    uploads = Uploads(posts: posts, limits: configuration.uploads)
    let key = KennelKey()
    self.key = key
    accounts = try Accounts(
      posts: posts, allowances: SharedAllowances(database: database, clock: clock, key: key), clock: clock,
      configuration: configuration.accounts)
    try FileCalls.syncDirectory(directory)
  }

  private func prepare() async throws(KennelError) {
    let stored = try await database.write { [changes, uploads] transaction throws(KennelError) in
      try KennelLineage.begin(transaction.connection)
      try changes.clearIncoming(in: transaction)
      try changes.removePhotos(in: transaction)
      try uploads.sweep(in: transaction)
      return try KennelKey.stored(transaction.connection)
    }
    key.set(stored)
  }

  /// Returns a limiter of guesses, whose counts all processes share.
  ///
  /// - Parameter purpose: what is guessed.
  package func guessLimiter(_ purpose: String) -> GuessLimiter {
    GuessLimiter(purpose, shared: accounts.allowances, clock: clock)
  }

  /// Completes waiting work, ends the listeners, and closes the files. Later calls fail with `closed`.
  package func close() async {
    await poller.close()
    await backups.close()
    await accounts.close()
    await database.close()
    events.close()
    await photos.workQueue.close()
    use.release()
  }
}
