import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct EventLogTests {
  /// Returns what a listener receives, up to the event `last`.
  private func hear(_ listener: EventListener, upTo last: Int64) async throws -> (
    ids: [Int64], missed: [Int64]
  ) {
    var ids: [Int64] = []
    var missed: [Int64] = []
    for try await delivery in listener {
      switch delivery {
      case .events(let events): ids += events.map(\.id)
      case .missed(let through): missed.append(through)
      }
      if max(ids.last ?? 0, missed.last ?? 0) >= last { break }
    }
    return (ids, missed)
  }

  @Test func `each change publishes its event`() async throws {
    try await withStore { store in
      var iterator = try store.events.listen().makeAsyncIterator()
      let ada = try await store.addUser()
      func next() async throws -> [KennelEvent.Kind] {
        guard case .events(let events) = try await iterator.next() else { return [] }
        return events.map(\.kind)
      }
      let post = try await store.addPost(1, by: ada)
      #expect(try await next() == [.posted])
      try await store.posts.setFavourite(true, post: post.id, user: ada.id)
      #expect(try await next() == [.favourites(count: 1)])
      let comment = try await store.posts.addComment("Hm", to: post.id, author: ada.id)
      #expect(try await next() == [.commented(comment: comment.id, count: 1)])
      try await store.posts.deleteComment(comment.id, by: ada.id)
      #expect(try await next() == [.commentDeleted(comment: comment.id, count: 0)])
      try await store.posts.delete(post.id, by: ada.id)
      #expect(try await next() == [.deleted])
    }
  }

  @Test func `a returning listener receives missed events, then new ones`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      for number in 0..<30 { try await store.addPost(number, by: ada) }
    }
    // After a restart, the ring is empty, so all events come from the log.
    try await withStore(in: directory, { $0.eventRingCapacity = 4 }) { store in
      let listener = try store.events.listen(after: 10)
      let ada = try #require(try await store.accounts.user(named: "Ada"))
      for number in 30..<40 { try await store.addPost(number, by: ada) }
      let (ids, missed) = try await hear(listener, upTo: 40)
      #expect(ids == Array(11...40))
      #expect(missed.isEmpty)
    }
  }

  @Test func `the event log is bounded and reports lost events`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.eventLogCapacity = 10 }) { store in
      let ada = try await store.addUser()
      for number in 0..<50 { try await store.addPost(number, by: ada) }
    }
    try await withStore(in: directory, { $0.eventLogCapacity = 10 }) { store in
      let (ids, missed) = try await hear(store.events.listen(after: 3), upTo: 50)
      #expect(missed == [40])
      #expect(ids == Array(41...50))
    }
  }

  @Test func `more new events than the log holds are reported as missed`() async throws {
    try await withStore {
      $0.eventLogCapacity = 10
      $0.eventRingCapacity = 64
    } _: { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada)
      let listener = try store.events.listen()
      try await store.database.write { [changes = store.changes] transaction throws(KennelError) -> Void in
        for _ in 0..<30 { try changes.record(.edited, post: post.id, at: .now, in: transaction) }
      }
      let (ids, missed) = try await hear(listener, upTo: 31)
      #expect(missed == [21])
      #expect(ids == Array(22...31))
    }
  }

  @Test func `events of another process are found by polling`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.pollInterval = .milliseconds(5) }) { store in
      let ada = try await store.addUser()
      let listener = try store.events.listen()
      for round in 0..<3 {
        // Two connections to one database see each other as two processes do.
        try await withStore(in: directory) { other in
          for number in 0..<5 { try await other.addPost(10 * round + number, by: ada) }
        }
        let first = Int64(round * 5)
        #expect(try await hear(listener, upTo: first + 5).ids == Array(first + 1...first + 5))
      }
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "PostgreSQL reports changes itself"))
  func `polling starts with the first listener`() async throws {
    let directory = try TemporaryDirectory()
    let timer = ManualClock()
    let store = try await KennelStore.open(
      directory.path("data"), configuration: .forTest, timer: timer)
    let ada = try await store.addUser()
    #expect(timer.sleeperCount == 0)
    let listener = try store.events.listen()
    await timer.waitForSleepers()
    try await withStore(in: directory) { _ = try await $0.addPost(1, by: ada) }
    timer.advance(by: .seconds(1))
    #expect(try await hear(listener, upTo: 1).ids == [1])
    await timer.waitForSleepers()
    await store.close()
    #expect(timer.sleeperCount == 0)
  }

  @Test func `events of another process are published with the next change`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.pollInterval = .seconds(3600) }) { store in
      let listener = try store.events.listen()
      let ada = try await store.addUser()
      try await withStore(in: directory) { other in
        for number in 0..<5 { try await other.addPost(number, by: ada) }
      }
      try await store.addPost(9, by: ada)
      #expect(try await hear(listener, upTo: 6).ids == Array(1...6))
    }
  }

  @Test func `a change that is rolled back publishes no event`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let photo = try await store.photos.stage(Data([1]))
      #expect(
        await code { _ = try await store.posts.add(photo, facts: .small, caption: "", author: 99) }
          == .noSuchUser)
      #expect(store.events.lastID == 0)
      try await store.addPost(1, by: ada)
      #expect(store.events.lastID == 1)
    }
  }
}
