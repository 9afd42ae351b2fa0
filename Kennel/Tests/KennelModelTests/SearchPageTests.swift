import KennelTestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct SearchPageTests {
  @Test(arguments: RecordsKind.available)
  func `looking at the posts one by one finds the same page as searching one period after the other`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      var all: [(id: Post.ID, taken: Int64, caption: String, day: Int)] = []
      for number in 0..<60 {
        // Some photos have the same time, and the order of times is not that of ids.
        let year = [2026, 1999, 2025, 1950][number % 4]
        let day = 10 + number * 7 % 20
        let taken = try TakenTime.at("\(year)-07-\(day)T12:00Z")
        var caption = "dog"
        if number < 20 { caption += " old" }
        if number % 9 == 0 { caption += " rare" }
        if number % 7 == 0 { caption += "-17" }
        let post = try await store.addPost(number, by: ada, caption: caption, taken: taken)
        all.append((post.id, taken.localMilliseconds, caption, day))
      }
      for index in [3, 9, 40] { try await store.posts.moveToBin(all[index].id, by: ada.id) }
      try await store.posts.restore(all[9].id, by: ada.id)
      let changed = try TakenTime.at("2026-07-31T12:00Z")
      _ = try await store.posts.edit(all[18].id, PostChange(taken: changed), by: ada.id)
      (all[18].taken, all[18].day) = (changed.localMilliseconds, 31)
      let shown = all.enumerated().filter { ![3, 40].contains($0.offset) }.map(\.element)
        .sorted { ($0.taken, $0.id) > ($1.taken, $1.id) }
      let starts =
        [.first]
        + [0, 10, 30, 57].map { index in
          PostPosition(localMilliseconds: shown[index].taken, id: shown[index].id)
        }
      let years: [String: Range<Int64>] = [
        "1950": -631_152_000_000..<(-599_616_000_000),
        "1999-07": 930_787_200_000..<933_465_600_000,
      ]
      let words = [
        "dog", "old", "ol", "dog-old", "old dog", "old-dog", "rare", "cat", "1950", "1999-07", "20", "17",
        "3",
        "dog-17", "old-17", "july 14",
      ]
      for word in words {
        for start in starts {
          let expected = shown.filter { post in
            let isFound =
              if let times = years[word] {
                times.contains(post.taken)
              } else {
                switch word {
                case "dog-old", "old dog", "ol": post.caption.contains("dog old")
                case "old-dog", "3": false
                case "20": post.taken > 1_700_000_000_000
                case "dog-17", "old-17": post.caption.contains(word)
                case "july 14": post.day == 14
                default: post.caption.split { " -".contains($0) }.contains(word[...])
                }
              }
            return isFound && (post.taken, post.id) < (start.localMilliseconds, start.id)
          }.map(\.id)
          for (limit, walkLength) in [
            (1, 1), (5, 1), (5, 8), (5, 1000), (100, 1000),
          ] {
            let found = try await store.database.read { connection throws(KennelError) in
              let words = try SearchQuery(word)
              return try SearchPage(
                expression: words.expression(connection.dialect) ?? "",
                periods: words.periods, start: start, limit: limit,
                walkLength: Int64(walkLength)
              ).ids(connection)
            }
            #expect(found == Array(expected.prefix(limit)), "\(word) \(limit) \(walkLength)")
          }
        }
      }
    }
  }
}
