import Dispatch
import Foundation
import KennelModel
import KennelStorage
import ObjectStorage
import PostgresTestSupport
import StoredPhotos
import Synchronization
import TestSupport

/// Where the kennels of tests are that do not choose it themselves. The variable `TEST_WORLD` states it: `postgres`, or nothing
/// for SQLite and a directory.
package enum TestWorld: String, Sendable {
  /// The records are in SQLite, and the photos in a directory.
  case sqlite
  /// The records are in PostgreSQL, and the photos in a store.
  case postgres

  package static let current: TestWorld = {
    guard let name = ProcessInfo.processInfo.environment["TEST_WORLD"], !name.isEmpty else { return .sqlite }
    guard let world = TestWorld(rawValue: name) else { fatalError("TEST_WORLD must be sqlite or postgres") }
    return world
  }()

  /// Whether kennels are in SQLite and a directory. Tests that are about these files run only then.
  package static var hasFiles: Bool { current == .sqlite }

  /// The addresses of the databases, by the directories of their kennels.
  private static let databases = Mutex<[String: String]>([:])

  /// Where the photos of all kennels are, each with a prefix of its own; nil for directories.
  private static let bucket = Task<String?, any Error> {
    guard StoreServer.isAvailable else { return nil }
    let bucket = "kennel-tests-\(UInt64.random(in: 0 ... .max))"
    _ = try await StoreServer.shared.get().store(bucket)
    return bucket
  }

  /// Returns the configuration of a kennel.
  ///
  /// - Parameters:
  ///   - directory: the directory of the kennel. What is opened there later has the same database and the same photos.
  ///   - change: what a test changes. It may choose another place for the records or the photos.
  static func configuration(
    in directory: String, _ change: (inout KennelStore.Configuration) -> Void
  ) async throws -> KennelStore.Configuration {
    var configuration = KennelStore.Configuration.forTest
    change(&configuration)
    guard current == .postgres else { return configuration }
    var complete = KennelStore.Configuration.forTest
    if configuration.databaseAddress == nil {
      complete.databaseAddress = try await runOnThread { try database(of: directory) }
    }
    if let bucket = try await bucket.value {
      let server = try StoreServer.shared.get()
      let store = ObjectStore(
        try server.location(bucket, directory.split(separator: "/").suffix(2).joined(separator: "-")),
        credentials: server.credentials)
      complete.blobs = { photos throws(KennelError) in
        try StoredBlobs(store, directory: photos, cacheDirectory: directory + "/photo-cache")
      }
    }
    change(&complete)
    return complete
  }

  /// Returns the address of the database of the kennel in a directory. The databases of directories that are gone are removed.
  /// It blocks briefly.
  package static func database(of directory: String) throws -> String {
    if let known = databases.withLock({ $0[directory] }) { return known }
    let old = databases.withLock { databases in
      let old = databases.filter { !FileManager.default.fileExists(atPath: parent(of: $0.key)) }
      for directory in old.keys { databases[directory] = nil }
      return Array(old.values)
    }
    if !old.isEmpty {
      DispatchQueue.global().async {
        for address in old { try? RecordsKind.removeDatabase(at: address) }
      }
    }
    let address = try RecordsKind.makeKennelDatabase()
    databases.withLock { $0[directory] = address }
    return address
  }

  private static func parent(of directory: String) -> String {
    URL(filePath: directory).deletingLastPathComponent().path
  }
}
