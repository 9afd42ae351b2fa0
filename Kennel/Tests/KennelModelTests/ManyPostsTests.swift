import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// What a request costs the database must not grow with the number of posts. SQLite's own operations are counted, so the
/// result does not depend on the machine.
@Suite(
  .enabled(if: TestWorld.hasFiles, "it counts SQLite's own operations"), .timeLimit(.minutes(5)))
struct ManyPostsTests {
  @Test func `requests take no more operations in a kennel with twenty times as many posts`() async throws {
    let few = try await costs(postCount: 300)
    let many = try await costs(postCount: 6000)
    #expect(few.count == many.count && few.count > 15)
    for (before, after) in zip(few, many) {
      #expect(before.name == after.name)
      #expect(after.operations <= before.operations + before.operations / 4 + 100, "\(before) \(after)")
    }
  }

  @Test func `the months of many posts are counted with few operations for each post`() async throws {
    let many = try await withManyPosts(6000) { store, _ in
      try await operations(in: store) {
        let found = try await store.posts.months().count
        #expect(found == 30)
      }
    }
    #expect(many < 6000 * 8)
  }

  @Test func `a change counts only the months again that it concerns`() async throws {
    try await withManyPosts(6000) { store, user in
      let posts = store.posts
      _ = try await posts.months()
      func expectFew(_ name: String, _ work: () async throws -> Void) async throws {
        try await work()
        let operations = try await operations(in: store) { _ = try await posts.months() }
        #expect(operations < 6000, "\(name): \(operations)")
        try await expectCounted(store, name)
      }
      try await expectFew("a heart") { try await posts.setFavourite(true, post: 9, user: user.id) }
      try await expectFew("a comment") { _ = try await posts.addComment("Sit", to: 9, author: user.id) }
      try await expectFew("a post") {
        try await store.addPost(50, by: user, taken: try .at("2026-09-03T12:00Z"))
      }
      try await expectFew("a post in a new month") {
        try await store.addPost(51, by: user, taken: try .at("2031-01-03T12:00Z"))
      }
      try await expectFew("a deletion, which ends a month") { try await posts.moveToBin(6002, by: user.id) }
      try await expectFew("a restored post") { try await posts.restore(6002, by: user.id) }
    }
  }

  @Test func `the months are right after every kind of change`() async throws {
    try await withManyPosts(60) { store, user in
      let posts = store.posts
      func expect(_ name: String, _ work: () async throws -> Void) async throws {
        try await work()
        try await expectCounted(store, name)
      }
      _ = try await posts.months()
      try await expect("an edit") { _ = try await posts.edit(3, PostChange(caption: "Sit"), by: user.id) }
      try await expect("a deletion forever") {
        try await posts.moveToBin(7, by: user.id)
        try await posts.delete(7, by: user.id)
      }
      try await expect("an empty bin") {
        try await posts.moveToBin(8, by: user.id)
        try await posts.emptyBin()
      }
      try await expect("many events") {
        for _ in 0..<120 {
          try await posts.setFavourite(true, post: 9, user: user.id)
          try await posts.setFavourite(false, post: 9, user: user.id)
        }
        try await posts.moveToBin(9, by: user.id)
      }
    }
  }

  /// Expects the months that a store without an earlier count returns.
  private func expectCounted(_ store: KennelStore, _ name: String) async throws {
    let months = try await store.posts.months()
    store.posts.latestMonths.withLock { $0 = nil }
    let counted = try await store.posts.months()
    #expect(months == counted, "\(name)")
  }

  private struct Cost: Sendable {
    var name: String
    var operations: Int
  }

  private func costs(postCount: Int) async throws -> [Cost] {
    try await withManyPosts(postCount) { store, user in
      let posts = store.posts
      var costs: [Cost] = []
      func measure(_ name: String, _ work: () async throws -> Void) async throws {
        costs.append(Cost(name: name, operations: try await operations(in: store, work)))
      }
      let unknown = try #require(PhotoHash(bytes: [UInt8](repeating: 7, count: 32)))
      let middle = try #require(Month("2026-08"))
      try await measure("the newest page") { _ = try await posts.page(limit: 100) }
      try await measure("a page deep in the list") {
        _ = try await posts.page(.afterPost(Post.ID(postCount / 2)), limit: 100)
      }
      try await measure("the page of a month") { _ = try await posts.page(.month(middle), limit: 100) }
      try await measure("favourites") { _ = try await posts.favourites(of: user.id, limit: 100) }
      try await measure("identifiers") {
        let found = try await posts.ids(before: 301).count
        #expect(found == 300)
      }
      try await measure("posts for another kennel") { _ = try await posts.sharedPage(after: 5, limit: 100) }
      try await measure("a post") { _ = try await posts.post(7) }
      try await measure("a photo that was not posted") {
        let isKnown = try await posts.hasPhoto(unknown)
        #expect(!isKnown)
      }
      try await measure("a new photo") {
        let photo = NewPhoto(unchanged: try await store.photos.stage(KennelStore.photo(100)), facts: .small)
        _ = try await posts.add(photo, caption: "New", author: user.id, allowsDuplicate: false)
      }
      let new = Post.ID(postCount + 1)
      try await measure("an edit") {
        _ = try await posts.edit(new, PostChange(caption: "Newer"), by: user.id)
      }
      try await measure("a heart") { try await posts.setFavourite(true, post: 9, user: user.id) }
      try await measure("a comment") { _ = try await posts.addComment("Sit", to: 9, author: user.id) }
      try await measure("a deletion") { try await posts.moveToBin(new, by: user.id) }
      try await measure("the bin") {
        let found = try await posts.bin(for: user.id).count
        #expect(found == 1)
      }
      try await measure("the bin of all") {
        let found = try await posts.bin(for: nil).count
        #expect(found == 1)
      }
      try await measure("a restored post") { try await posts.restore(new, by: user.id) }
      try await measure("a post that is deleted forever") { try await posts.delete(new, by: user.id) }
      try await measure("emptying the bin") { try await posts.emptyBin() }
      try await measure("the version") { _ = try await store.versions.current() }
      try await measure("touching the database") { try await store.touch() }
      return costs
    }
  }

  /// Counts the operations of the writer and of the only reader.
  private func operations(in store: KennelStore, _ work: () async throws -> Void) async throws -> Int {
    func count() async throws -> Int {
      let reading = try await store.database.read { ($0 as? Connection)?.operationCount ?? 0 }
      return try await store.database.write { ($0.connection as? Connection)?.operationCount ?? 0 } + reading
    }
    let before = try await count()
    try await work()
    // Follow-up work, such as removing a photo's file, is in the writer's queue before this.
    return try await count() - before
  }

  private func withManyPosts<Value: Sendable>(
    _ count: Int, _ body: (KennelStore, User) async throws -> Value
  ) async throws -> Value {
    let directory = try TemporaryDirectory()
    let user = try await withStore(in: directory) { store in
      let user = try await store.addUser()
      for number in 1...10 {
        try await store.addPost(number, by: user, taken: try .at("2026-09-\(9 + number)T12:00Z"))
      }
      return user
    }
    try ManyPosts.add(count - 10, toStoreAt: directory.path("data"))
    return try await withStore(in: directory, { $0.database.readers = 1 }) { try await body($0, user) }
  }
}
