/// All that a kennel keeps, in one directory: the database and the photos.
///
/// Several processes may have the same directory open: changes take turns, and what others have done is told within a
/// second to those who listen.
package final class KennelStore: Sendable {
  /// Limits of a store.
  package struct Configuration: Sendable {
    package var database = Database.Configuration()
    package var accounts = Accounts.Configuration()
    /// The largest photo, in bytes.
    package var photoSizeLimit = 25 << 20
    /// How many events can be replayed.
    package var eventLogCapacity = 10_000
    /// How many events a listener may be behind.
    package var eventRingCapacity = 1024
    package var listenerLimit = 10_000
    /// How often to look whether another process has changed something.
    package var watchInterval = Duration.seconds(1)

    package init() {}
  }

  /// Where everything lies.
  package let directory: String
  package let accounts: Accounts
  package let posts: Posts
  package let photos: PhotoDirectory
  package let events: EventHub
  let database: Database
  let changes: ChangeRecorder
  let clock: KennelClock
  private let watch: ChangeWatch
  /// One after the other.
  let backups = Lane<Void>("backups", slots: 1, waitingLimit: 4)

  /// Opens the store of a directory, which is made when it is missing, and clears up what a kill left.
  ///
  /// - Parameters:
  ///   - clock: what is written down and measured.
  ///   - timer: what the looks for other processes' changes wait with.
  /// - Throws: a sentence that says what to do about the directory, the disk, or a database of another version.
  package static func open(
    _ directory: String, configuration: Configuration = Configuration(), clock: KennelClock = .system,
    timer: any Clock<Duration> = ContinuousClock()
  ) async throws(KennelError) -> KennelStore {
    let lane = Lane<Void>("openings", slots: 1, waitingLimit: 0)
    let store = try await lane.run { () throws(KennelError) in
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
    let path = directory + "/kennel.sqlite"
    // SQLite would let others read it; its log and its index take over what this file allows.
    try FileCalls.makeFile(path)
    let database = try Database(path: path, configuration: configuration.database)
    let log = EventLog(capacity: max(configuration.eventLogCapacity, 1))
    self.database = database
    photos = try PhotoDirectory(path: directory + "/photos", sizeLimit: configuration.photoSizeLimit)
    watch = ChangeWatch(interval: configuration.watchInterval, timer: timer) {
      after async throws(KennelError) in
      try await database.readChanges { connection throws(KennelError) in
        try log.events(after: after, limit: log.capacity, from: connection)
      } ?? []
    }
    events = EventHub(
      capacity: configuration.eventRingCapacity, listenerLimit: configuration.listenerLimit,
      lastID: database.lastEventID, watch: watch
    ) { after async throws(KennelError) in
      try await database.read { connection throws(KennelError) in
        EventHub.Replay(
          events: try log.events(after: after, limit: 500, from: connection),
          forgotten: try log.forgotten(connection))
      }
    }
    changes = ChangeRecorder(database: database, photos: photos, log: log, hub: events)
    posts = Posts(database: database, photos: photos, changes: changes, clock: clock)
    accounts = try Accounts(posts: posts, clock: clock, configuration: configuration.accounts)
    try FileCalls.syncDirectory(directory)
  }

  private func prepare() async throws(KennelError) {
    let changes = changes
    try await database.write { transaction throws(KennelError) in
      try KennelLineage.begin(transaction.connection)
      try changes.clearIncoming(in: transaction)
      try changes.removePhotos(in: transaction)
    }
  }

  /// Ends what waits, ends the listeners, and closes the files; what is asked for afterwards is refused as closed.
  package func close() async {
    await watch.close()
    await backups.close()
    await accounts.close()
    await database.close()
    events.close()
    await photos.lane.close()
  }
}
