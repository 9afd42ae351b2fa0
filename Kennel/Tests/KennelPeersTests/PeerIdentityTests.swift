import Foundation
import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelPeers
@testable import KennelStorage
@testable import KennelWeb

/// Other kennels are identified by their identity, not by their address.
@Suite(.timeLimit(.minutes(5))) struct PeerIdentityTests {
  /// Returns the captions of all posts here, the oldest first.
  private func captions(_ store: KennelStore) async throws -> [String] {
    try await store.posts.persistentPosts().map(\.caption)
  }

  private func fill(_ store: KennelStore, _ captions: String...) async throws {
    let user = try await store.accounts.user(named: "Bob")
    let bob: User
    if let user { bob = user } else { bob = try await store.addUser("Bob") }
    for caption in captions {
      try await store.addPost(Int.random(in: 0..<1_000_000_000), by: bob, caption: caption)
    }
  }

  /// Syncs. Returns the number of new posts, and whether a different kennel was reported at the address.
  private func take(
    _ other: OtherKennel, into here: KennelStore, _ owner: User
  ) async throws -> (taken: Int, isReplacement: Bool) {
    let replacements = Mutex(0)
    let report = try await sync(other.address(), here, owner).run(replaced: {
      replacements.withLock { $0 += 1 }
    })
    return (report.taken, replacements.withLock { $0 } > 0)
  }

  private func serving(
    _ store: KennelStore, _ body: (OtherKennel) async throws -> Void
  ) async throws {
    let other = try OtherKennel(store)
    do {
      try await body(other)
      await other.stop()
    } catch {
      await other.stop()
      throw error
    }
  }

  /// Runs `body` with a kennel that was restored from a backup of another one.
  private func withCopy(
    of store: KennelStore, _ body: (KennelStore) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    _ = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: directory.path("data"), configuration: .forTest)
    try await withStore(in: directory) { try await body($0) }
  }

  @Test func `a kennel keeps its identity`() async throws {
    let directory = try TemporaryDirectory()
    let first = try await withStore(in: directory) { try await $0.lineage() }
    #expect(first.ancestors.isEmpty)
    #expect(try await withStore(in: directory) { try await $0.lineage() } == first)
    #expect(try await withStore { try await $0.lineage() } != first)
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a kennel sends its identity to peers`() async throws {
    try await withSite { web in
      try await fill(web.store, "one")
      try await withCopy(of: web.store) { copy in
        let lineage = try await copy.lineage()
        let original = try await web.store.lineage()
        #expect(lineage.identity != original.identity)
        #expect(lineage.ancestors == [.init(identity: original.identity, through: 1)])
      }
      let response = try await web.get("/peer/posts")
      let page = try PeerPage(response.data, after: 0, maximumPhotoSize: 1000)
      #expect(try await page.lineage == web.store.lineage())
    }
  }

  @Test func `a different kennel at the same address is read from its beginning`() async throws {
    try await withStore { old in
      try await withStore { new in
        try await withStore { here in
          try await fill(old, "old 1", "old 2", "old 3")
          try await fill(new, "new 1", "new 2")
          let ada = try await here.addUser()
          try await serving(old) { other in
            #expect(try await take(other, into: here, ada) == (3, false))
            other.become(new)
            #expect(try await take(other, into: here, ada) == (2, true))
            try await fill(new, "new 3")
            #expect(try await take(other, into: here, ada) == (1, false))
            // The first kennel is back, and its sync resumes.
            try await fill(old, "old 4")
            other.become(old)
            #expect(try await take(other, into: here, ada) == (1, true))
          }
          let all = ["old 1", "old 2", "old 3", "new 1", "new 2", "new 3", "old 4"]
          #expect(try await captions(here) == all)
        }
      }
    }
  }

  @Test func `a kennel that moves to another address creates no duplicates`() async throws {
    try await withStore { there in
      try await withStore { here in
        try await fill(there, "one", "two")
        let ada = try await here.addUser()
        try await serving(there) { other in
          let taken = try await take(other, into: here, ada)
          #expect(taken == (2, false))
        }
        try await fill(there, "three")
        try await serving(there) { other in
          let taken = try await take(other, into: here, ada)
          #expect(taken == (1, false))
        }
        #expect(try await captions(here) == ["one", "two", "three"])
      }
    }
  }

  @Test func `a false identity does not hide posts of the real kennel`() async throws {
    try await withStore { there in
      try await withStore { here in
        try await fill(there, "one")
        let ada = try await here.addUser()
        // Before the real kennel was first read, and after it.
        for captions in [["one"], ["one", "two"]] {
          let lineage = try await there.lineage()
          let impostor = try await here.posts.recordIdentity(lineage, at: "impostor.example")
          try await here.posts.advanceCursor(to: .max, of: impostor.key)
          try await serving(there) { other in
            let taken = try await take(other, into: here, ada)
            #expect(taken == (1, false))
          }
          #expect(try await self.captions(here) == captions)
          try await fill(there, "two")
        }
      }
    }
  }

  @Test func `posts deleted here are not taken again when their kennel moves`() async throws {
    try await withStore { there in
      try await withStore { here in
        try await fill(there, "one", "two")
        let ada = try await here.addUser()
        try await serving(there) { other in _ = try await take(other, into: here, ada) }
        let first = try #require(try await here.posts.persistentPosts().first)
        try await here.posts.delete(first.id, by: ada.id)
        try await serving(there) { other in
          let taken = try await take(other, into: here, ada)
          #expect(taken == (0, false))
        }
        #expect(try await captions(here) == ["two"])
      }
    }
  }

  @Test func `a kennel does not take its own posts`() async throws {
    try await withStore { here in
      try await fill(here, "mine")
      let ada = try await here.addUser()
      try await serving(here) { other in
        let error = await #expect(throws: KennelError.self) { try await take(other, into: here, ada) }
        #expect(error?.code == .badAddress)
        #expect(error?.description.contains("this kennel itself") == true)
        let following = await #expect(throws: KennelError.self) {
          try await sync(other.address(), here, ada).follow()
        }
        #expect(following?.code == .badAddress)
      }
      #expect(try await captions(here) == ["mine"])
    }
  }

  @Test func `a kennel without an identity is identified by its address`() async throws {
    try await withStore { there in
      try await withStore { here in
        try await fill(there, "one", "two")
        let ada = try await here.addUser()
        try await serving(there) { other in
          other.sendIdentity(false)
          #expect(try await take(other, into: here, ada) == (2, false))
          try await fill(there, "three")
          #expect(try await take(other, into: here, ada) == (1, false))
          // The kennel was updated and now sends its identity.
          other.sendIdentity(true)
          #expect(try await take(other, into: here, ada) == (0, false))
          try await fill(there, "four")
          #expect(try await take(other, into: here, ada) == (1, false))
          // A kennel without an identity is a different one.
          try await withStore { ancient in
            try await fill(ancient, "ancient")
            other.become(ancient)
            other.sendIdentity(false)
            #expect(try await take(other, into: here, ada) == (1, true))
            #expect(try await take(other, into: here, ada) == (0, false))
          }
        }
        #expect(try await captions(here) == ["one", "two", "three", "four", "ancient"])
      }
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a restored kennel creates no duplicates`() async throws {
    try await withStore { there in
      try await withStore { here in
        try await fill(there, "one", "two")
        let ada = try await here.addUser()
        try await serving(there) { other in
          #expect(try await take(other, into: here, ada) == (2, false))
          try await withCopy(of: there) { copy in
            // The post is missing in the restored kennel, but it was taken before.
            try await fill(there, "lost")
            #expect(try await take(other, into: here, ada) == (1, false))
            try await fill(copy, "after")
            other.become(copy)
            #expect(try await take(other, into: here, ada) == (1, false))
            #expect(try await take(other, into: here, ada) == (0, false))
          }
        }
        #expect(try await captions(here) == ["one", "two", "lost", "after"])
      }
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a copy next to its original is a separate kennel`() async throws {
    try await withStore { original in
      try await fill(original, "both 1", "both 2")
      try await withCopy(of: original) { copy in
        try await fill(original, "original")
        try await fill(copy, "copy")
        // A reader of both kennels misses nothing and has no duplicates, regardless of the order.
        for pair in [[original, copy], [copy, original]] {
          try await withStore { here in
            let ada = try await here.addUser()
            for store in pair {
              try await serving(store) { other in _ = try await take(other, into: here, ada) }
            }
            #expect(Set(try await captions(here)) == ["both 1", "both 2", "original", "copy"])
            #expect(try await captions(here).count == 4)
          }
        }
        // The same is true if one of them reads the other.
        let bob = try #require(try await copy.accounts.user(named: "Bob"))
        try await serving(original) { other in
          let taken = try await take(other, into: copy, bob)
          #expect(taken == (1, false))
        }
        #expect(try await captions(copy) == ["both 1", "both 2", "copy", "original"])
        let first = try #require(try await original.accounts.user(named: "Bob"))
        try await serving(copy) { other in
          let taken = try await take(other, into: original, first)
          #expect(taken == (1, false))
        }
        #expect(try await captions(original) == ["both 1", "both 2", "original", "copy"])
      }
    }
  }

  @Test func `the claimed ancestors of a kennel are limited and validated`() async throws {
    let ours = KennelIdentity.random()
    let other = KennelIdentity.random()
    #expect(KennelLineage(identity: ours).common(with: KennelLineage(identity: other)) == 0)
    let was = KennelLineage(identity: other, ancestors: [.init(identity: ours, through: 7)])
    #expect(was.common(with: KennelLineage(identity: ours)) == 7)
    // An invalid identity is an error.
    for kennel in ["{\"id\":\"no\"}", "{\"id\":7}", "{}", "[]"] {
      let page = Data("{\"kennel\":\(kennel),\"posts\":[],\"next\":null}".utf8)
      #expect(throws: KennelError.self) { try PeerPage(page, after: 0, maximumPhotoSize: 1) }
    }
    let ancestor = "{\"id\":\"\(ours)\",\"through\":-5}"
    let many = Array(repeating: ancestor, count: 1000).joined(separator: ",")
    let page = try PeerPage(
      Data("{\"kennel\":{\"id\":\"\(other)\",\"was\":[\(many)]},\"posts\":[],\"next\":null}".utf8), after: 0,
      maximumPhotoSize: 1)
    #expect(page.lineage?.ancestors.count == KennelLineage.maximumAncestorCount)
    #expect(page.lineage?.ancestors.allSatisfy { $0.through == 0 } == true)
  }
}
