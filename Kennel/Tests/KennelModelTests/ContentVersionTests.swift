import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct ContentVersionTests {
  @Test(arguments: RecordsKind.available)
  func `each change that others see has a new version, and no other change has one`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      var seen: [ContentVersion] = [try await store.versions.current()]
      func changes(_ what: String, _ change: () async throws -> Void) async throws {
        try await change()
        let version = try await store.versions.current()
        #expect(!seen.contains(version), "\(what)")
        seen.append(version)
      }
      func keeps(_ what: String, _ change: () async throws -> Void) async throws {
        try await change()
        #expect(try await store.versions.current() == seen.last, "\(what)")
      }
      let (posts, accounts) = (store.posts, store.accounts)
      var users: [User] = []
      try await keeps("new accounts") {
        users.append(try await store.addUser("Ada", role: .owner))
        for name in ["Ben", "Cleo", "Dora"] { users.append(try await store.addUser(name)) }
      }
      try await changes("a post") { try await store.addPost(1, by: users[1]) }
      try await changes("another post") { try await store.addPost(2, by: users[2]) }
      try await changes("a heart") { try await posts.setFavourite(true, post: 1, user: users[0].id) }
      try await keeps("the same heart") { try await posts.setFavourite(true, post: 1, user: users[0].id) }
      try await changes("no heart") { try await posts.setFavourite(false, post: 1, user: users[0].id) }
      try await changes("a comment") { _ = try await posts.addComment("Hm", to: 1, author: users[2].id) }
      try await changes("a deleted comment") { try await posts.deleteComment(1, by: users[0].id) }
      try await keeps("sessions") {
        let session = try await accounts.beginSession(of: users[0].id)
        _ = try await accounts.beginSession(of: users[0].id)
        try await accounts.endSession(session.token)
        try await accounts.endSessions(of: users[0].id)
      }
      try await keeps("passwords") { try await accounts.setPassword("another horse", of: users[0].id) }
      try await keeps("roles") { try await accounts.setRole(.owner, of: users[3].id) }
      // The posts of a removed user have another author, without an event.
      try await changes("transferred posts") {
        _ = try await accounts.removeUser(users[1].id, contentPolicy: .transferred(to: users[2].id))
      }
      try await changes("a removed user") { _ = try await accounts.removeUser(users[2].id) }
      try await keeps("a new account with an old name") { _ = try await store.addUser("Ben") }
      try await changes("a post of another kennel") {
        let photo = try await store.photos.stage(KennelStore.photo(9))
        _ = try await posts.take(
          photo, facts: .small, caption: "", author: users[0].id,
          origin: Post.Origin(kennel: "a.example", author: "Rex", id: 3), key: PeerKey(address: "a.example"),
          created: Date(timeIntervalSince1970: 0))
      }
      try await changes("a deleted post") {
        try await posts.delete(posts.page(limit: 1)[0].id, by: users[0].id)
      }
    }
  }

  @Test(
    .enabled(
      if: TestWorld.hasFiles, "with PostgreSQL, changes of other processes are known some milliseconds later")
  )
  func `changes of another process are known immediately, and so are their events`() async throws {
    let directory = try TemporaryDirectory()
    // The interval of the polls is so long that none happens.
    try await withStore(in: directory, { $0.pollInterval = .seconds(3600) }) { store in
      try await withStore(in: directory) { other in
        let ada = try await other.addUser()
        var version = try await store.versions.current()
        for number in 0..<20 {
          try await other.addPost(number, by: ada)
          let next = try await store.versions.current()
          #expect(next != version)
          #expect(next.lastEvent == store.events.lastID)
          version = next
          // A page names this event. Its scripts listen from there, so the hub must know it.
          let page = try await store.posts.versionedPage(.newest, limit: 1, viewer: nil)
          #expect(page.version == version && page.value.count == 1)
        }
      }
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it copies SQLite's file"))
  func `two copies of a database get different versions by equal numbers of changes`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada)
    }
    let other = try TemporaryDirectory()
    try FileManager.default.copyItem(atPath: directory.path("data"), toPath: other.path("data"))
    func version(_ change: (KennelStore) async throws -> Void) async throws -> [ContentVersion] {
      var versions: [ContentVersion] = []
      // The copy is changed five seconds later.
      let time = ManualKennelClock()
      for directory in [directory, other] {
        try await withStore(in: directory, clock: time.clock) { store in
          try await change(store)
          versions.append(try await store.versions.current())
        }
        time.advance(by: .seconds(5))
      }
      return versions
    }
    let same = try await version { _ in }
    #expect(same[0] == same[1])
    let posted = try await version { store in
      _ = try await store.posts.addComment("Sit", to: 1, author: 1)
    }
    #expect(posted[0].lastEvent == posted[1].lastEvent && posted[0] != posted[1])
    let renamed = try await version { try await $0.accounts.rename(1, to: "Ida") }
    #expect(renamed[0].lastEvent == renamed[1].lastEvent)
    #expect(renamed[0].removedUsers != renamed[1].removedUsers)
  }

  @Test(arguments: RecordsKind.available) func `content and version are read together`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for number in 0..<100 { try await store.addPost(number, by: ada) } }
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<100 {
              let page = try await store.posts.versionedPage(.newest, limit: 200, viewer: nil)
              // Each post has one event.
              #expect(Int64(page.value.count) == page.version.lastEvent)
              #expect(try await store.versions.current().lastEvent >= page.version.lastEvent)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(arguments: RecordsKind.available) func `a discussion is one post with its comments`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada)
      for text in ["a", "b", "c"] { _ = try await store.posts.addComment(text, to: 1, author: ada.id) }
      let found = try await store.posts.versionedDiscussion(of: 1, after: 1, limit: 1, viewer: ada.id)
      #expect(found.value.post == (try await store.posts.post(1, viewer: ada.id)))
      #expect(found.value.comments.map(\.text) == ["b"])
      #expect(
        await code { _ = try await store.posts.versionedDiscussion(of: 2, after: 0, limit: 1, viewer: nil) }
          == .noSuchPost)
    }
  }
}
