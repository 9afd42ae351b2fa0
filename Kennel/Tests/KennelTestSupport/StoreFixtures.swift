import Foundation
import KennelModel
import KennelStorage
import PostgresTestSupport
import Synchronization
import TestSupport

/// A clock that stands still until a test advances it.
package final class ManualKennelClock: Sendable {
  private let passed = Mutex(Duration.zero)

  package init() {}

  package var clock: KennelClock {
    KennelClock(
      now: {
        Date(
          timeIntervalSince1970: 1_800_000_000
            + Double(self.passed.withLock { $0 }.components.seconds))
      },
      uptime: { self.passed.withLock { $0 } })
  }

  package func advance(by duration: Duration) { passed.withLock { $0 += duration } }
}

extension KennelStore.Configuration {
  /// A configuration with a minimal password cost.
  package static var forTest: Self {
    var configuration = Self()
    configuration.accounts.passwordCost = .minimum
    return configuration
  }
}

/// Where the records of a store are: the implementations of `Records`, which the tests of the model run with.
package enum RecordsKind: Sendable {
  case sqlite
  case postgres

  /// One server for all tests, which have a database each.
  private static let server = Result { try PostgresServer(connections: 600) }

  /// A database with the tables of a kennel, which is copied faster than the tables are made.
  private static let template = Result {
    let server = try Self.server.get()
    let name = try server.createDatabase()
    let records = try PostgresRecords(server.address(ofDatabase: name))
    // A database that is used cannot be copied.
    try server.disconnectAll(from: name)
    Task { await records.close() }
    return name
  }

  /// The kinds that a test is tried with: that of the world.
  package static var available: [RecordsKind] { TestWorld.current == .postgres ? [.postgres] : [.sqlite] }

  /// Returns the address of a new database without tables; nil for SQLite.
  package func makeDatabase() async throws -> String? {
    self == .sqlite ? nil : try await Self.server.get().makeDatabase()
  }

  /// Returns the address of a new database with the tables of a kennel. It blocks briefly.
  static func makeKennelDatabase() throws -> String {
    let server = try Self.server.get()
    return server.address(ofDatabase: try server.createDatabase(template: template.get()))
  }

  /// Removes a database. It blocks briefly.
  static func removeDatabase(at address: String) throws {
    try server.get().removeDatabase(at: address)
  }
}

/// Opens a store with records of a kind while `body` runs, in a new directory.
package func withStore<Value: Sendable>(
  _ kind: RecordsKind, clock: KennelClock = .system,
  _ change: (inout KennelStore.Configuration) -> Void = { _ in },
  _ body: (KennelStore) async throws -> Value
) async throws -> Value {
  let directory = try TemporaryDirectory()
  let address: String? =
    if kind == .postgres {
      try await runOnThread { try TestWorld.database(of: directory.path("data")) }
    } else {
      nil
    }
  return try await withStore(
    in: directory, clock: clock,
    {
      $0.databaseAddress = address
      change(&$0)
    }, body)
}

/// Opens a store where it is in the world of the tests, also for the second time.
package func openStore(
  _ directory: String, clock: KennelClock = .system,
  _ change: (inout KennelStore.Configuration) -> Void = { _ in }
) async throws -> KennelStore {
  try await KennelStore.open(
    directory, configuration: TestWorld.configuration(in: directory, change), clock: clock)
}

/// Opens a store while `body` runs, in a new directory by default.
package func withStore<Value: Sendable>(
  in directory: TemporaryDirectory? = nil, clock: KennelClock = .system,
  _ change: (inout KennelStore.Configuration) -> Void = { _ in },
  _ body: (KennelStore) async throws -> Value
) async throws -> Value {
  let directory = try directory ?? TemporaryDirectory()
  let store = try await openStore(directory.path("data"), clock: clock, change)
  do {
    let value = try await body(store)
    await store.close()
    return value
  } catch {
    await store.close()
    throw error
  }
}

extension PhotoFacts {
  package static let small = PhotoFacts(width: 4, height: 3, format: .jpeg, thumbHash: [1, 2, 3])
}

extension Posts {
  /// Posts a file that others may get as it is.
  @discardableResult
  package func add(
    _ photo: StagedPhoto, facts: PhotoFacts, caption: String, author: User.ID, created: Date? = nil,
    taken: TakenTime? = nil, allowsDuplicate: Bool = true
  ) async throws(KennelError) -> Post {
    try await add(
      NewPhoto(unchanged: photo, facts: facts), caption: caption, author: author, created: created,
      taken: taken, allowsDuplicate: allowsDuplicate)
  }

  /// Takes a post of another kennel with a file that others may get as it is.
  package func take(
    _ photo: StagedPhoto, facts: PhotoFacts, caption: String, author: User.ID, origin: Post.Origin,
    key: PeerKey, created: Date, taken: TakenTime? = nil
  ) async throws(KennelError) -> Post? {
    try await take(
      NewPhoto(unchanged: photo, facts: facts), caption: caption, author: author, origin: origin, key: key,
      created: created, taken: taken)
  }
}

extension Accounts {
  /// Signs a user in with the password of ``KennelStore/addUser(_:role:)``, and starts a session.
  package func beginSession(
    of user: User.ID, password: String = "correct horse", client: SessionClient = SessionClient()
  ) async throws(KennelError) -> Session {
    guard let user = try await self.user(user) else { throw KennelError.noSuchUser }
    let proof = try await signIn(user.name, password: password, address: "test")
    return try await beginSession(with: proof, client: client)
  }
}

extension KennelStore {
  /// Returns bytes that represent a photo. The store does not decode them.
  package static func photo(_ number: Int) -> Data { Data("photo \(number)".utf8) }

  package func addUser(_ name: String = "Ada", role: User.Role = .member) async throws -> User {
    try await accounts.addUser(name, password: "correct horse", role: role)
  }

  @discardableResult
  package func addPost(
    _ number: Int, by user: User, caption: String = "", taken: TakenTime? = nil
  ) async throws -> Post {
    let photo = try await photos.stage(Self.photo(number))
    return try await posts.add(photo, facts: .small, caption: caption, author: user.id, taken: taken)
  }

  /// Returns what the check of the kennel finds.
  package func checkedProblems() async throws -> [StoreReport.Problem] {
    try await check(readsPhotos: true).problems
  }

  /// Returns the names of the photo files.
  package func photoFiles() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: photos.path)).subtracting(["incoming"])
  }

  package func incomingFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: photos.path + "/incoming")
  }
}

extension TakenTime {
  /// Creates a time from a text such as `2026-07-14T16:03:00+02:00`.
  package static func at(_ text: String, source: Source = .camera) throws -> TakenTime {
    guard let time = TakenTime(text, in: .gmt, source: source) else { throw TestSupportError(text) }
    return time
  }
}

/// Returns the code of the error that a closure throws, or nil if it throws none.
package func code(_ body: () async throws -> Void) async -> KennelError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? KennelError)?.code
  }
}
