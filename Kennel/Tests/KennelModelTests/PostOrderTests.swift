import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct PostOrderTests {
  private static let times = [
    "2026-07-14T16:03:00+02:00", "2019-12-31T23:30:00-05:00", "2026-07-14T15:00:00+09:00",
    "2020-01-01T00:10:00Z",
    "2026-07-14T16:03:00+01:00", "1890-05-01T12:00:00Z",
  ]

  private func fill(_ store: KennelStore) async throws -> User {
    let ada = try await store.addUser()
    for (index, time) in Self.times.enumerated() {
      try await store.addPost(index, by: ada, taken: try .at(time))
    }
    return ada
  }

  private func ids(_ store: KennelStore, _ start: PageStart, limit: Int = 50) async throws -> [Post.ID] {
    try await store.posts.page(start, limit: limit).map(\.id)
  }

  @Test(arguments: RecordsKind.available) func `posts are ordered by the local time of their photos`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await fill(store)
      // An old photo that is shared today does not come first. Equal times are ordered by id.
      #expect(try await ids(store, .newest) == [5, 1, 3, 4, 2, 6])
      for id in [6, 2, 5] as [Int64] { try await store.posts.setFavourite(true, post: id, user: ada.id) }
      #expect(try await store.posts.favourites(of: ada.id).map(\.id) == [5, 2, 6])
      let second = try await store.posts.post(2)
      #expect(try await store.posts.favourites(of: ada.id, .after(second.position)).map(\.id) == [6])
    }
  }

  @Test(arguments: RecordsKind.available) func `a page begins after a position, a post, or with a month`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await fill(store)
      let third = try await store.posts.post(3)
      let cursor = try #require(PostPosition(third.position.description))
      #expect(cursor == third.position)
      #expect(try await ids(store, .after(cursor), limit: 2) == [4, 2])
      #expect(try await ids(store, .afterPost(3)) == [4, 2, 6])
      // The cursor stays valid when its post is deleted, or moves.
      try await store.posts.delete(3, by: ada.id)
      #expect(try await ids(store, .after(cursor)) == [4, 2, 6])
      #expect(try await ids(store, .afterPost(3)) == [2, 6])
      #expect(try await ids(store, .afterPost(99)) == [6])
      let old = try await store.addPost(7, by: ada, taken: try .at("1900-01-01T00:00Z"))
      #expect(old.id == 7)
      try await store.posts.delete(1, by: ada.id)
      #expect(try await ids(store, .afterPost(1)) == [])
      #expect(try await ids(store, .month(try #require(Month("2020-01")))) == [4, 2, 7, 6])
      #expect(try await ids(store, .month(try #require(Month("2019-12")))) == [2, 7, 6])
      #expect(try await ids(store, .month(try #require(Month("2015-02")))) == [7, 6])
      #expect(try await ids(store, .month(try #require(Month("0001-01")))) == [])
      #expect(try await ids(store, .month(try #require(Month("9999-12")))).count == 5)
    }
  }

  @Test func `months are counted, also after changes by another process`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let ada = try await fill(store)
      func counts() async throws -> [String] {
        try await store.posts.months().map { "\($0.month) \($0.posts)" }
      }
      #expect(try await counts() == ["2026-07 3", "2020-01 1", "2019-12 1", "1890-05 1"])
      try await withStore(in: directory) { other in
        _ = try await other.posts.edit(4, PostChange(taken: try .at("2019-12-05T10:00Z")), by: ada.id)
        try await other.posts.delete(6, by: ada.id)
      }
      #expect(try await counts() == ["2026-07 3", "2019-12 2"])
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it reads SQLite's plan of a query"))
  func `pages and months are read from the index`() async throws {
    try await withStore { store in
      let plans = try await store.database.read { connection throws(KennelError) in
        let page = try connection.rows(
          """
          EXPLAIN QUERY PLAN
          SELECT id FROM posts WHERE binned IS NULL AND (taken_local, id) < (5, 6) ORDER BY taken_local DESC, id DESC LIMIT 31
          """
        ) { $0.text(3) }
        let newest = try connection.rows(
          """
          EXPLAIN QUERY PLAN
          SELECT taken_local FROM posts WHERE binned IS NULL AND taken_local < 5 ORDER BY taken_local DESC LIMIT 1
          """
        ) { $0.text(3) }
        let count = try connection.rows(
          "EXPLAIN QUERY PLAN SELECT count(*) FROM posts WHERE binned IS NULL AND taken_local >= 3 AND taken_local < 5"
        ) { $0.text(3) }
        return [page, newest, count]
      }
      for plan in plans {
        #expect(
          plan.count == 1 && plan[0].contains("SEARCH posts USING COVERING INDEX posts_by_time"), "\(plan)")
      }
    }
  }

  @Test(arguments: RecordsKind.available)
  func `an edit changes the post, its place and the version, and is announced`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await fill(store)
      let before = try await store.versions.current()
      var iterator = try store.events.listen().makeAsyncIterator()
      let moved = try await store.posts.edit(
        6, PostChange(caption: "Found it", taken: try .at("2026-08-01T10:00+02:00", source: .edited)),
        by: ada.id)
      #expect(moved.caption == "Found it" && moved.taken.source == .edited)
      #expect(try await ids(store, .newest, limit: 1) == [6])
      #expect(try await store.versions.current() != before)
      guard case .events(let events)? = try await iterator.next() else {
        Issue.record("No event arrived")
        return
      }
      #expect(events.map(\.kind) == [.edited] && events.first?.post == 6)
      // The same again is not a change.
      let version = try await store.versions.current()
      #expect(
        try await store.posts.edit(6, PostChange(caption: "Found it", taken: moved.taken), by: ada.id)
          == moved)
      #expect(try await store.versions.current() == version)
    }
  }

  @Test(arguments: RecordsKind.available) func `only the author and owners can edit, within the limits`(
    _ kind: RecordsKind
  ) async throws {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let ada = try await fill(store)
      let ben = try await store.addUser("Ben")
      let olga = try await store.addUser("Olga", role: .owner)
      let change = PostChange(caption: "Mine")
      #expect(await code { _ = try await store.posts.edit(1, change, by: ben.id) } == .notAllowed)
      #expect(await code { _ = try await store.posts.edit(99, change, by: ada.id) } == .noSuchPost)
      #expect(try await store.posts.edit(1, change, by: olga.id).caption == "Mine")
      let long = PostChange(caption: String(repeating: "a", count: 2001))
      #expect(await code { _ = try await store.posts.edit(1, long, by: ada.id) } == .badText)
      for time in ["1825-12-31T23:59Z", "2027-01-17T09:00Z", "9999-12-31T23:59Z", "0001-01-01T00:00Z"] {
        let change = PostChange(taken: try .at(time))
        #expect(await code { _ = try await store.posts.edit(1, change, by: ada.id) } == .badDate, "\(time)")
      }
      // An impossible time of a new post, such as one from another kennel, counts as unknown.
      let post = try await store.addPost(9, by: ada, taken: try .at("9999-12-31T23:59Z"))
      #expect(post.taken.date == post.created && post.taken.source == .shared)
    }
  }
}
