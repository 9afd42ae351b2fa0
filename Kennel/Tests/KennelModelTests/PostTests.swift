import Foundation
import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct PostTests {
  @Test func `a post is returned as it was posted`() async throws {
    let directory = try TemporaryDirectory()
    let manualClock = ManualKennelClock()
    let posted = try await withStore(in: directory, clock: manualClock.clock) { store in
      try await store.addPost(1, by: store.addUser(), caption: "Good dog")
    }
    #expect(posted.authorName == "Ada")
    #expect(posted.facts == .small)
    #expect(posted.created == manualClock.clock.now())
    try await withStore(in: directory) { store in
      let found = try await store.posts.post(posted.id)
      #expect(found == posted)
    }
  }

  @Test(arguments: RecordsKind.available) func `pages stay consecutive while others post and delete`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      var ids: [Int64] = []
      for number in 0..<25 { ids.append(try await store.addPost(number, by: ada).id) }
      var seen: [Int64] = []
      var start = PageStart.newest
      while true {
        let page = try await store.posts.page(start, limit: 10)
        guard let last = page.last else { break }
        start = .after(last.position)
        seen += page.map(\.id)
        // The post of the cursor may be deleted, and newer posts may be added. No post is repeated or skipped.
        try await store.posts.delete(try #require(seen.last), by: ada.id)
        try await store.addPost(100 + seen.count, by: ada)
      }
      #expect(seen == ids.reversed())
      #expect(try await store.posts.page(limit: 0).count == 1)
    }
  }

  @Test(arguments: RecordsKind.available) func `only the author and owners can delete a post`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let bob = try await store.addUser("Bob")
      let owner = try await store.addUser("Olga", role: .owner)
      let posts = [try await store.addPost(1, by: ada), try await store.addPost(2, by: ada)]
      #expect(await code { try await store.posts.delete(posts[0].id, by: bob.id) } == .notAllowed)
      #expect(await code { try await store.posts.delete(posts[0].id, by: 99) } == .noSuchUser)
      try await store.posts.delete(posts[0].id, by: ada.id)
      try await store.posts.delete(posts[1].id, by: owner.id)
      #expect(await code { try await store.posts.delete(posts[1].id, by: owner.id) } == .noSuchPost)
      #expect(await code { _ = try await store.posts.post(posts[0].id) } == .noSuchPost)
      // An id is never used again.
      #expect(try await store.addPost(3, by: ada).id > posts[1].id)
    }
  }

  @Test func `comments are deleted with their post`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let bob = try await store.addUser("Bob")
      let post = try await store.addPost(1, by: ada)
      var comments: [KennelModel.Comment] = []
      for text in ["One", "Two", "Three"] {
        comments.append(try await store.posts.addComment(text, to: post.id, author: bob.id))
      }
      #expect(try await store.posts.comments(on: post.id, limit: 2) == Array(comments[..<2]))
      #expect(try await store.posts.comments(on: post.id, after: comments[1].id) == [comments[2]])
      let eve = try await store.addUser("Eve")
      #expect(
        await code { try await store.posts.deleteComment(comments[0].id, by: eve.id) }
          == .notAllowed)
      try await store.posts.deleteComment(comments[0].id, by: ada.id)
      try await store.posts.deleteComment(comments[1].id, by: bob.id)
      #expect(
        await code { try await store.posts.deleteComment(comments[1].id, by: bob.id) }
          == .noSuchComment)
      #expect(try await store.posts.post(post.id).commentCount == 1)
      try await store.posts.delete(post.id, by: ada.id)
      #expect(await code { _ = try await store.posts.comments(on: post.id) } == .noSuchPost)
      #expect(try await store.checkedProblems() == [])
    }
  }

  @Test(arguments: RecordsKind.available) func `the callback and async functions return the same posts`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      for number in 0..<5 { try await store.addPost(number, by: ada) }
      let awaited = try await store.posts.persistentPosts()
      let called = await withCheckedContinuation { continuation in
        store.posts.getPersistentPosts { posts, error in
          #expect(error == nil)
          continuation.resume(returning: posts)
        }
      }
      #expect(awaited == called)
      #expect(awaited.map(\.id) == [1, 2, 3, 4, 5])
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it needs a single reader"))
  func `a cancelled query completes once`() async throws {
    try await withStore({ $0.database.readers = 1 }) { store in
      let begun = Gate()
      let release = Gate()
      async let held: Void = store.database.read { _ in
        begun.open()
        release.waitBlocking()
      }
      await begun.wait()
      let task = Task { try await store.posts.persistentPosts() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      let answers = Atomic(0)
      let ticket = store.posts.getPersistentPosts { posts, error in
        #expect(posts.isEmpty && error != nil)
        answers.add(1, ordering: .relaxed)
      }
      ticket.cancel()
      ticket.cancel()
      release.open()
      try await held
      #expect(answers.load(ordering: .relaxed) == 1)
    }
  }

  @Test func `a closed store fails callback and async queries`() async throws {
    let directory = try TemporaryDirectory()
    let store = try await KennelStore.open(directory.path("data"), configuration: .forTest)
    await store.close()
    await #expect(throws: KennelError.self) { try await store.posts.persistentPosts() }
    let error = await withCheckedContinuation { continuation in
      store.posts.getPersistentPosts { _, error in
        continuation.resume(returning: error as? KennelError)
      }
    }
    #expect(error?.code == .closed)
  }
}
