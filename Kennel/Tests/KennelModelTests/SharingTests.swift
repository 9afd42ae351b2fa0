import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct SharingTests {
  private func take(
    _ number: Int, from peer: String = "friends.example", into store: KennelStore, by user: User,
    created: Date = Date(timeIntervalSince1970: 1_000_000_000)
  ) async throws -> Post? {
    try await store.posts.take(
      try await store.photos.stage(KennelStore.photo(number)), facts: .small, caption: "from afar",
      author: user.id, origin: Post.Origin(kennel: peer, author: "Eve", id: Int64(number)),
      key: PeerKey(address: peer), created: created)
  }

  @Test(arguments: RecordsKind.available) func `a post keeps its origin and date`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let post = try #require(try await take(7, into: store, by: ada))
      #expect(post.origin == Post.Origin(kennel: "friends.example", author: "Eve", id: 7))
      #expect(post.created == Date(timeIntervalSince1970: 1_000_000_000))
      try await store.posts.setFavourite(true, post: post.id, user: ada.id)
      for found in [
        try await store.posts.post(post.id), try await store.posts.page()[0],
        try await store.posts.favourites(of: ada.id)[0], try await store.posts.persistentPosts()[0],
      ] {
        #expect(found.origin == post.origin)
      }
      #expect(try await store.addPost(1, by: ada).origin == nil)
    }
  }

  @Test func `a taken post is not taken again, even after it was deleted`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let post = try #require(try await take(7, into: store, by: ada))
      #expect(try await take(7, into: store, by: ada) == nil)
      #expect(try await take(7, from: "others.example", into: store, by: ada) != nil)
      try await store.posts.delete(post.id, by: ada.id)
      #expect(try await take(7, into: store, by: ada) == nil)
      #expect(try await store.posts.hasTaken(7, of: PeerKey(address: "friends.example")))
      #expect(try await !store.posts.hasTaken(8, of: PeerKey(address: "friends.example")))
      #expect(try await store.posts.page().count == 1)
      #expect(try await store.checkedProblems() == [])
      #expect(try await eventually { try store.incomingFiles().isEmpty })
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it reads SQLite's plan of a query"))
  func `only posts created here are shared, the oldest first`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      var own: [Int64] = []
      for number in 0..<25 {
        own.append(try await store.addPost(number, by: ada).id)
        _ = try await take(100 + number, into: store, by: ada)
      }
      var seen: [Int64] = []
      while true {
        let page = try await store.posts.sharedPage(after: seen.last, limit: 10)
        if page.isEmpty { break }
        #expect(page.count <= 10)
        seen += page.map(\.id)
      }
      #expect(seen == own)
      // The query uses the index, regardless of the number of posts from other kennels.
      let plan = try await store.database.read { connection throws(KennelError) in
        try connection.rows("EXPLAIN QUERY PLAN SELECT id FROM posts p WHERE p.peer IS NULL AND p.id > 5") {
          $0.text(3)
        }
      }
      #expect(plan.contains { $0.contains("posts_born_here") })
    }
  }

  @Test(arguments: RecordsKind.available) func `a date is kept unless it is in the future or out of range`(
    _ kind: RecordsKind
  ) async throws {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let ada = try await store.addUser()
      for (given, kept) in [
        (Date(timeIntervalSince1970: -1_000_000), Date(timeIntervalSince1970: -1_000_000)),
        (Date(timeIntervalSince1970: .infinity), manualClock.clock.now()),
        (manualClock.clock.now().addingTimeInterval(5), manualClock.clock.now()),
      ] {
        let photo = try await store.photos.stage(KennelStore.photo(1))
        let post = try await store.posts.add(
          photo, facts: .small, caption: "", author: ada.id, created: given)
        #expect(post.created == kept)
      }
    }
    #expect(Date(timeIntervalSince1970: .nan).milliseconds == .max)
    #expect(Date(timeIntervalSince1970: -.infinity).milliseconds == .min)
  }

  @Test(arguments: RecordsKind.available) func `the read position of a peer is stored`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      #expect(try await store.posts.readState(at: "a").cursor == 0)
      for id: Int64 in [12, 13, 5] {
        try await store.posts.advanceCursor(to: id, of: PeerKey(address: "a"))
      }
      #expect(try await store.posts.readState(at: "a").cursor == 13)
      #expect(try await store.posts.readState(at: "b").cursor == 0)
    }
  }
}
