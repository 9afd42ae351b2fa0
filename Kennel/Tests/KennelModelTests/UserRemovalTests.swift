import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct UserRemovalTests {
  /// Two users, Ada and Bob, with posts, favourites and comments on each other's posts. One photo is in posts of both.
  private struct TwoUsersFixture {
    let ada: User
    let bob: User
    let owner: User
    let adas: [Post]
    let bobs: [Post]

    init(_ store: KennelStore) async throws {
      ada = try await store.addUser()
      bob = try await store.addUser("Bob")
      owner = try await store.addUser("Olga", role: .owner)
      adas = [try await store.addPost(1, by: ada), try await store.addPost(2, by: ada)]
      bobs = [try await store.addPost(2, by: bob), try await store.addPost(3, by: bob)]
      for user in [ada, bob] {
        for post in [adas[0], bobs[0]] {
          try await store.posts.setFavourite(true, post: post.id, user: user.id)
          _ = try await store.posts.addComment("by \(user.name)", to: post.id, author: user.id)
        }
      }
    }
  }

  private func events(_ store: KennelStore, after id: Int64) async throws -> [KennelEvent] {
    try await store.database.read { connection throws(KennelError) in
      try EventLog(capacity: 1000).events(after: id, limit: 1000, from: connection)
    }
  }

  @Test func `removing a user deletes the user's content`() async throws {
    try await withStore { store in
      let fixture = try await TwoUsersFixture(store)
      let session = try await store.accounts.beginSession(of: fixture.ada.id)
      let last = store.events.lastID
      let removed = try await store.accounts.removeUser(fixture.ada.id)
      #expect(removed == .init(posts: 2, comments: 1, favourites: 2))
      #expect(try await store.accounts.users().map(\.name) == ["Bob", "Olga"])
      #expect(try await store.accounts.user(of: session.token) == nil)
      #expect(try await store.posts.page().map(\.id) == fixture.bobs.reversed().map(\.id))
      let left = try await store.posts.post(fixture.bobs[0].id)
      #expect(left.favouriteCount == 1 && left.commentCount == 1)
      #expect(try await store.posts.comments(on: left.id).map(\.text) == ["by Bob"])
      let kinds = Set(try await events(store, after: last).map(\.kind))
      #expect(kinds.isSuperset(of: [.deleted, .favourites(count: 1)]))
      #expect(try await events(store, after: last).count { $0.kind == .deleted } == 2)
      // The photo that Bob also posted stays. The file of the other one is removed.
      #expect(try await store.checkedProblems() == [])
      #expect(try await eventually { try !TestWorld.hasFiles || store.photoFiles().count == 2 })
      #expect(
        await code { _ = try await store.accounts.removeUser(fixture.ada.id) } == .noSuchUser)
    }
  }

  @Test func `a user is removed with any amount of content`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let bob = try await store.addUser("Bob", role: .owner)
      try await store.addPost(1, by: ada)
      try await store.addPost(2, by: bob)
      try await store.database.write { transaction throws(KennelError) in
        let connection = transaction.connection
        // More rows than are read at a time.
        try ManyPosts.copyAll(500, connection)
        try connection.run(
          #"INSERT INTO favourites (post, "user", created) SELECT id, ?, 1 FROM posts WHERE author = ?"#,
          .integer(ada.id), .integer(bob.id))
        try connection.run(
          "INSERT INTO comments (post, author, text, created) SELECT id, ?, 'wet', 1 FROM posts WHERE author = ?",
          .integer(ada.id), .integer(bob.id))
      }
      let removed = try await store.accounts.removeUser(ada.id)
      #expect(removed == .init(posts: 501, comments: 501, favourites: 501))
      #expect(try await store.counts().posts == 501)
      #expect(try await store.found("wet") == [])
      #expect(try await store.checkedProblems() == [])
    }
  }

  @Test func `posts and comments can be transferred to another user`() async throws {
    try await withStore { store in
      let fixture = try await TwoUsersFixture(store)
      let removed = try await store.accounts.removeUser(
        fixture.ada.id, contentPolicy: .transferred(to: fixture.owner.id))
      #expect(removed == .init(posts: 2, comments: 2, favourites: 2))
      let post = try await store.posts.post(fixture.adas[0].id)
      #expect(post.authorName == "Olga" && post.favouriteCount == 1 && post.commentCount == 2)
      #expect(try await store.posts.page().count == 4)
      #expect(try await store.checkedProblems() == [])
    }
  }

  @Test(arguments: RecordsKind.available)
  func `content is not transferred to a missing user or to the removed user`(_ kind: RecordsKind) async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      #expect(
        await code { _ = try await store.accounts.removeUser(ada.id, contentPolicy: .transferred(to: 99)) }
          == .noSuchUser)
      #expect(
        await code {
          _ = try await store.accounts.removeUser(ada.id, contentPolicy: .transferred(to: ada.id))
        }
          == .notAllowed)
      #expect(try await store.accounts.users() == [ada])
    }
  }

  @Test(arguments: RecordsKind.available) func `the last owner cannot be removed`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let owner = try await store.addUser("Olga", role: .owner)
      let ada = try await store.addUser()
      #expect(await code { _ = try await store.accounts.removeUser(owner.id) } == .notAllowed)
      #expect(await code { try await store.accounts.setRole(.member, of: owner.id) } == .notAllowed)
      #expect(await code { try await store.accounts.setRole(.owner, of: 99) } == .noSuchUser)
      try await store.accounts.setRole(.owner, of: ada.id)
      try await store.accounts.setRole(.member, of: owner.id)
      _ = try await store.accounts.removeUser(owner.id)
      #expect(try await store.accounts.users().map(\.role) == [.owner])
    }
  }
}
