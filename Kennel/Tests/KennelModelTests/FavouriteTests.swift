import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct FavouriteTests {
  @Test(arguments: RecordsKind.available) func `the count stays correct with fifty concurrent users`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      var users: [User] = []
      for number in 0..<50 { users.append(try await store.addUser("user \(number)")) }
      let posts = [
        try await store.addPost(1, by: users[0]), try await store.addPost(2, by: users[0]),
      ]
      let expected = try await withThrowingTaskGroup(of: [Int].self) { group in
        for (number, user) in users.enumerated() {
          group.addTask {
            var random = SeededRandom(UInt64(number))
            var favours = [0, 0]
            // 20,000 changes in total; fewer where each takes long.
            for _ in 0..<(ResourceSnapshot.isSanitized ? 40 : kind == .postgres ? 100 : 400) {
              let index = Int.random(in: 0..<2, using: &random)
              favours[index] = Int.random(in: 0..<2, using: &random)
              let state = try await store.posts.setFavourite(
                favours[index] == 1, post: posts[index].id, user: user.id)
              #expect(state.isFavourite == (favours[index] == 1))
              #expect(state.count >= favours[index] && state.count <= 50)
            }
            return favours
          }
        }
        return try await group.reduce([0, 0]) { [$0[0] + $1[0], $0[1] + $1[1]] }
      }
      for (post, count) in zip(posts, expected) {
        #expect(try await store.posts.post(post.id).favouriteCount == count)
      }
      var favourites = 0
      for user in users { favourites += try await store.posts.favourites(of: user.id).count }
      #expect(favourites == expected[0] + expected[1])
      // The last count that listeners received is also correct.
      let last = try await store.database.read { connection throws(KennelError) in
        try connection.rows(
          "SELECT count FROM events WHERE id IN (SELECT max(id) FROM events WHERE kind = 'favourites' GROUP BY post)"
        ) { Int($0.integer(0)) }
      }
      #expect(last.sorted() == expected.sorted())
    }
  }

  @Test(arguments: RecordsKind.available)
  func `setting a favourite again changes nothing and publishes no event`(_ kind: RecordsKind) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada)
      for (wanted, last) in [(true, 2), (true, 2), (false, 3), (false, 3), (true, 4)] as [(Bool, Int64)] {
        let state = try await store.posts.setFavourite(wanted, post: post.id, user: ada.id)
        #expect(state == Posts.FavouriteState(isFavourite: wanted, count: wanted ? 1 : 0, lastEvent: last))
      }
      // One event for the post, three for the changes.
      #expect(store.events.lastID == 4)
      #expect(try await store.posts.post(post.id, viewer: ada.id).isFavourite)
      #expect(try await !store.posts.post(post.id).isFavourite)
    }
  }

  @Test(arguments: RecordsKind.available) func `a missing post cannot become a favourite`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada)
      #expect(
        await code { try await store.posts.setFavourite(true, post: 99, user: ada.id) }
          == .noSuchPost)
      #expect(
        await code { try await store.posts.setFavourite(false, post: 99, user: ada.id) }
          == .noSuchPost)
      #expect(
        await code { try await store.posts.setFavourite(true, post: post.id, user: 99) }
          == .noSuchUser)
    }
  }
}
