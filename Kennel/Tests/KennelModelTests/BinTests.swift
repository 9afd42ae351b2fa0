import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct BinTests {
  @Test(arguments: RecordsKind.available)
  func `nothing shows a post in the bin, and it comes back with everything`(_ kind: RecordsKind) async throws
  {
    try await withStore(kind) { store in
      let posts = store.posts
      let ada = try await store.addUser()
      let ben = try await store.addUser("Ben")
      let post = try await store.addPost(1, by: ada, caption: "Rex", taken: try .at("2019-01-01T00:00Z"))
      let other = try await store.addPost(2, by: ada)
      try await posts.setFavourite(true, post: post.id, user: ben.id)
      _ = try await posts.addComment("Good dog", to: post.id, author: ben.id)
      let before = try await posts.post(post.id, viewer: ben.id)
      let version = try await store.versions.current()

      try await posts.moveToBin(post.id, by: ada.id)
      #expect(try await store.versions.current() != version)
      #expect(await code { _ = try await posts.post(post.id) } == .noSuchPost)
      #expect(await code { _ = try await posts.comments(on: post.id) } == .noSuchPost)
      #expect(await code { _ = try await posts.addComment("Hm", to: post.id, author: ben.id) } == .noSuchPost)
      #expect(await code { try await posts.setFavourite(false, post: post.id, user: ben.id) } == .noSuchPost)
      #expect(
        await code { _ = try await posts.edit(post.id, PostChange(caption: "X"), by: ada.id) } == .noSuchPost)
      #expect(await code { try await posts.moveToBin(post.id, by: ada.id) } == .noSuchPost)
      for list in [
        try await posts.page(), try await posts.persistentPosts(), try await posts.sharedPage(),
        try await posts.page(.afterPost(99)), try await posts.posts([post.id, other.id]),
      ] {
        #expect(list.map(\.id) == [other.id])
      }
      #expect(try await posts.favourites(of: ben.id) == [])
      #expect(try await posts.ids(before: nil) == [other.id])
      #expect(try await posts.months().map(\.posts) == [1])
      #expect(try await store.counts().posts == 1)
      #expect(try await !posts.hasPhoto(post.photo))
      // The file stays.
      #expect(try !TestWorld.hasFiles || store.photoFiles().count == 2)
      #expect(try await store.checkedProblems() == [])

      try await posts.restore(post.id, by: ada.id)
      #expect(try await posts.post(post.id, viewer: ben.id) == before)
      #expect(try await posts.comments(on: post.id).map(\.text) == ["Good dog"])
      #expect(try await posts.months().map(\.posts) == [1, 1])
      #expect(await code { try await posts.restore(post.id, by: ada.id) } == .noSuchPost)
    }
  }

  @Test func `only the author and owners reach a post in the bin`() async throws {
    try await withStore { store in
      let posts = store.posts
      let ada = try await store.addUser()
      let ben = try await store.addUser("Ben")
      let olga = try await store.addUser("Olga", role: .owner)
      for number in 1...3 { try await store.addPost(number, by: number == 3 ? ben : ada) }
      #expect(await code { try await posts.moveToBin(1, by: ben.id) } == .notAllowed)
      for id in 1...3 as ClosedRange<Int64> { try await posts.moveToBin(id, by: olga.id) }
      #expect(try await posts.bin(for: ada.id).map(\.post.id) == [2, 1])
      #expect(try await posts.bin(for: ben.id).map(\.post.id) == [3])
      #expect(try await posts.bin(for: olga.id).count == 3)
      #expect(try await posts.bin(for: nil).count == 3)
      #expect(await code { _ = try await posts.binnedPost(1, for: ben.id) } == .noSuchPost)
      #expect(await code { try await posts.restore(1, by: ben.id) } == .noSuchPost)
      #expect(await code { try await posts.deleteFromBin(1, by: ben.id) } == .noSuchPost)
      #expect(try await posts.binnedPost(1, for: ada.id).id == 1)
      try await posts.deleteFromBin(1, by: ada.id)
      try await posts.restore(2, by: olga.id)
      // A visible post is not in the bin.
      #expect(await code { try await posts.deleteFromBin(2, by: ada.id) } == .noSuchPost)
      #expect(try await posts.page().map(\.id) == [2])
      #expect(try await eventually { try !TestWorld.hasFiles || store.photoFiles().count == 2 })
      // With their author, the posts in the bin are removed too.
      _ = try await store.accounts.removeUser(ben.id)
      #expect(try await posts.bin(for: nil) == [])
      #expect(try await store.checkedProblems() == [])
    }
  }

  @Test(arguments: RecordsKind.available) func `a post stays in the bin for thirty days`(_ kind: RecordsKind)
    async throws
  {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let ada = try await store.addUser()
      // More than one part.
      for number in 1...120 {
        let post = try await store.addPost(number, by: ada)
        try await store.posts.moveToBin(post.id, by: ada.id)
      }
      manualClock.advance(by: .seconds(86_400))
      let late = try await store.addPost(200, by: ada)
      try await store.posts.moveToBin(late.id, by: ada.id)
      let binned = try #require(try await store.posts.bin(for: ada.id, limit: 1).first)
      #expect(binned.end.timeIntervalSince(manualClock.clock.now()) == 30 * 86_400)
      manualClock.advance(by: .seconds(29 * 86_400 - 1))
      #expect(try await store.posts.emptyBin() == 0)
      manualClock.advance(by: .seconds(1))
      #expect(try await store.posts.emptyBin() == 120)
      #expect(try await store.posts.bin(for: nil).map(\.post.id) == [late.id])
      #expect(try await store.posts.emptyBin(completely: true) == 1)
      #expect(try await eventually { try !TestWorld.hasFiles || store.photoFiles().isEmpty })
    }
  }

  @Test(arguments: RecordsKind.available) func `listeners hear of a deletion and of a new post`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada)
      var iterator = try store.events.listen().makeAsyncIterator()
      try await store.posts.moveToBin(post.id, by: ada.id)
      try await store.posts.restore(post.id, by: ada.id)
      var kinds: [KennelEvent.Kind] = []
      while kinds.count < 2, case .events(let events)? = try await iterator.next() {
        kinds += events.map(\.kind)
      }
      #expect(kinds == [.deleted, .posted])
    }
  }
}
