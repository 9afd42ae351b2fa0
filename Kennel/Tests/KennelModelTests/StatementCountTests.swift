import KennelTestSupport
import PostgresTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// With PostgreSQL, each statement is a round trip, so a list must not take one for each of its posts.
@Suite(.timeLimit(.minutes(5))) struct StatementCountTests {
  @Test(arguments: RecordsKind.available)
  func `a page of posts takes the same number of statements as one post`(_ kind: RecordsKind) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      for number in 0..<60 { try await store.addPost(number, by: ada, caption: "\(number)") }
      try await store.posts.setFavourite(true, post: 30, user: ada.id)
      _ = try await store.posts.addComment("Sit", to: 30, author: ada.id)
      func load(_ limit: Int) async throws -> (posts: [Post], statements: Int) {
        try await store.database.read { connection throws(KennelError) in
          let counting = CountingConnection(connection)
          let posts = try Posts.page(.newest, limit: limit, viewer: ada.id, from: counting)
          return (posts, counting.count)
        }
      }
      let one = try await load(1)
      let many = try await load(50)
      #expect(one.posts.count == 1 && many.posts.count == 50)
      #expect(one.statements == many.statements && many.statements <= 3)
      #expect(many.posts.map(\.caption) == (10..<60).reversed().map { "\($0)" })
      let liked = try #require(many.posts.first { $0.id == 30 })
      #expect(liked.isFavourite && liked.favouriteCount == 1 && liked.commentCount == 1)
    }
  }

  @Test(.enabled(if: PostgresServer.isAvailable, "SQLite makes the words of all posts with one statement"))
  func `a new name changes the words of many posts with few statements`() async throws {
    try await withStore(.postgres) { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada, caption: "Rex")
      let statements = try await store.database.write { transaction throws(KennelError) in
        let connection = transaction.connection
        try ManyPosts.copyAll(449, connection)
        try connection.run("UPDATE users SET name = 'Bruno', folded = 'bruno'")
        let counting = CountingConnection(connection)
        try SearchIndex.update(counting)
        return counting.count
      }
      #expect(statements <= 15)
      #expect(try await store.check().problems == [])
      let found = try await store.posts.search(
        try SearchQuery("bruno rex"), limit: Posts.maximumPageSize, viewer: nil, address: "a")
      #expect(found.value.count == Posts.maximumPageSize)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `posts are loaded in the order of their ids, without those that do not exist`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      for number in 0..<5 { try await store.addPost(number, by: ada) }
      try await store.posts.moveToBin(2, by: ada.id)
      let posts = try await store.posts.posts([5, 99, 2, 1, 4, 1])
      #expect(posts.map(\.id) == [5, 1, 4, 1])
      #expect(try await store.posts.posts([]).isEmpty)
      #expect(try await store.posts.bin(for: ada.id).map(\.post.id) == [2])
    }
  }
}

/// Counts the statements that run on a connection.
private final class CountingConnection: RecordConnection {
  private let connection: any RecordConnection
  private(set) var count = 0

  init(_ connection: any RecordConnection) { self.connection = connection }

  var dialect: SQLDialect { connection.dialect }
  var isInTransaction: Bool { connection.isInTransaction }

  func script(_ text: String) throws(KennelError) {
    count += 1
    try connection.script(text)
  }

  func run(_ sql: StaticString, values: [SQLValue]) throws(KennelError) -> Int {
    count += 1
    return try connection.run(sql, values: values)
  }

  func runReturningNumber(_ sql: StaticString, values: [SQLValue]) throws(KennelError) -> Int64 {
    count += 1
    return try connection.runReturningNumber(sql, values: values)
  }

  func rows<Value>(
    _ sql: StaticString, values: [SQLValue], row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> [Value] {
    count += 1
    return try connection.rows(sql, values: values, row: read)
  }

  func first<Value>(
    _ sql: StaticString, values: [SQLValue], row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> Value? {
    count += 1
    return try connection.first(sql, values: values, row: read)
  }

  func commit() throws(KennelError) { try connection.commit() }
  func rollBack() { connection.rollBack() }
  func rollBackToSavepoint() throws(KennelError) { try connection.rollBackToSavepoint() }
}
