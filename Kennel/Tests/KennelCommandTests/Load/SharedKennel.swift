import Foundation
import KennelTestSupport
import ObjectStorage
import PostgresTestSupport
import TestSupport
import Testing

/// A kennel in one PostgreSQL and one store, for several servers.
struct SharedKennel: Sendable {
  /// The address of the database.
  let database: String
  let objects: ObjectStore
  let loaded: LoadedKennel
  private let kennel: Kennel
  private let location: String
  private let picture: SmallPicture

  static var isAvailable: Bool { PostgresServer.isAvailable && StoreServer.isAvailable }

  init(users: Int) async throws {
    database = try #require(try await RecordsKind.postgres.makeDatabase())
    let store = try StoreServer.shared.get()
    let bucket = "dogs-shared-\(UInt64.random(in: 0 ... .max))"
    objects = try await store.store(bucket)
    loaded = try await LoadedKennel(users: users, posts: 0, database: database)
    var kennel = loaded.kennel
    kennel.environment["AWS_ACCESS_KEY_ID"] = store.credentials.accessKey
    kennel.environment["AWS_SECRET_ACCESS_KEY"] = store.credentials.secretKey
    self.kennel = kennel
    location = try store.location(bucket).description
    picture = try SmallPicture()
  }

  /// Starts a server of the kennel.
  func start() async throws -> Kennel.Server {
    try await kennel.start("serve", "--port", "0", "--photos", location)
  }

  /// Uploads a photo, and returns the id of the post.
  func post(_ number: Int, by user: Int, to server: Kennel.Server) async throws -> Int64 {
    let (port, cookie) = (server.port, loaded.cookies[user])
    return try await runOnThread {
      let answer = try LoadConnection(port: port).ask(
        "POST", "/posts?caption=\(number)", fields: cookie + "Content-Type: image/jpeg\r\n",
        body: picture.file(number))
      guard answer.status == 201 else { throw TestSupportError("\(answer)") }
      return try answer.value(LoadMemory.ID.self).id
    }
  }
}
