import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// The index of words in SQLite has the order of the photos' times.
@Suite(.timeLimit(.minutes(5))) struct SearchOrderTests {
  /// A post as the test knows it.
  private struct Known {
    let id: Post.ID
    var caption: String
    var taken: TakenTime
    var isShown = true

    var position: (Int64, Post.ID) { (taken.localMilliseconds, id) }
    func has(_ word: String, asBeginning: Bool) -> Bool {
      caption.split(separator: " ").contains { asBeginning ? $0.hasPrefix(word) : $0 == word }
    }
  }

  private static let words = [
    "dog", "dogs", "holiday", "holidays", "holidaymaker", "müggelsee", "müggelseefest", "rare",
  ]
  /// Times of the same millisecond, of the same seconds, and on both sides of two numbers, also before 1970.
  private static let times: [Int64] =
    [0, 0, 0, 1, 8191, 8192, 8193, -1, -8192, -8193, -4_500_000_000_000]
    + [1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_001, 1_700_000_005_000, 1_700_000_600_000]

  @Test(arguments: RecordsKind.available, [1, 2] as [UInt64])
  func `searches find the same posts in the same order as looking through all of them, after random changes`(
    _ kind: RecordsKind, seed: UInt64
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada")
      var numbers = SeededRandom(seed)
      func caption() -> String {
        (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
          Self.words.randomElement(using: &numbers) ?? ""
        }
        .joined(separator: " ")
      }
      func time() -> TakenTime {
        let milliseconds = Self.times.randomElement(using: &numbers) ?? 0
        return TakenTime(Date(milliseconds: milliseconds), secondsFromGMT: 0, source: .edited)
      }
      var posts: [Known] = []
      for number in 0..<60 {
        let (caption, taken) = (caption(), time())
        let post = try await store.addPost(number, by: ada, caption: caption, taken: taken)
        posts.append(Known(id: post.id, caption: caption, taken: taken))
      }
      for _ in 0..<60 {
        let index = Int.random(in: posts.indices, using: &numbers)
        let id = posts[index].id
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0 where posts[index].isShown:
          try await store.posts.delete(id, by: ada.id)
          posts.remove(at: index)
        case 1 where posts[index].isShown:
          try await store.posts.moveToBin(id, by: ada.id)
          posts[index].isShown = false
        case 2 where !posts[index].isShown:
          try await store.posts.restore(id, by: ada.id)
          posts[index].isShown = true
        case 3...5 where posts[index].isShown:
          posts[index].caption = caption()
          posts[index].taken = time()
          let change = PostChange(caption: posts[index].caption, taken: posts[index].taken)
          _ = try await store.posts.edit(id, change, by: ada.id)
        default: break
        }
      }
      #expect(try await store.isSearchCurrent())
      let shown = posts.filter(\.isShown).sorted { $0.position > $1.position }
      let queries: [([String], String)] =
        Self.words.map { ([$0], $0) } + [
          (["dog", "holi"], "dog holi"), (["rare", "holiday"], "rare holiday"),
        ]
        + ["müggels", "müggelseef", "holidayma", "nothing"].map { ([$0], $0) }
      for (words, text) in queries {
        let matching = shown.filter { post in
          words.enumerated().allSatisfy { post.has($0.element, asBeginning: $0.offset == words.count - 1) }
        }
        for limit in [1, 2, 5, 100] {
          // All pages, each from the end of the one before.
          var found: [Post.ID] = []
          var start = PageStart.newest
          while true {
            let page = try await store.posts.search(
              try SearchQuery(text), start, limit: limit, viewer: nil, address: "a"
            ).value
            found += page.map(\.id)
            guard page.count == limit, let last = page.last else { break }
            start = .after(last.position)
          }
          #expect(found == matching.map(\.id), "\(text) \(limit)")
        }
      }
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it changes SQLite's rows"))
  func `posts of any time are found in order, and only ids that are too large are not`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let times: [Int64] = [
        .min, -(1 << 44), -(1 << 44) + 8192, -1, 0, 1 << 43, (1 << 44) - 1, 1 << 44, .max - 1,
      ]
      for number in times.indices { try await store.addPost(number, by: ada, caption: "dog") }
      try await store.database.write { transaction throws(KennelError) in
        for (index, time) in times.enumerated() {
          try transaction.connection.run(
            "UPDATE posts SET taken = ?1, taken_local = ?1, taken_offset = 0 WHERE id = ?2", .integer(time),
            .integer(Int64(index) + 1))
        }
        try transaction.connection.run("UPDATE posts SET id = 4294967295 WHERE id = 1")
      }
      func found() async throws -> [Post.ID] {
        try await store.database.read { connection throws(KennelError) in
          try SearchPage(expression: "dog", periods: SearchQuery("dog").periods, start: .first, limit: 20)
            .ids(connection)
        }
      }
      #expect(try await found() == [9, 8, 7, 6, 5, 4, 3, 2, 4_294_967_295])
      let entries = try await store.database.read { connection throws(KennelError) in
        try connection.rows(
          "SELECT p.taken_local, d.entry FROM posts p JOIN search_documents d ON d.id = p.id"
        ) {
          ($0.integer(0), $0.integer(1))
        }
      }
      for (time, entry) in entries {
        #expect(SearchOrder.first(localMilliseconds: time) == entry & ~SearchOrder.idMask, "\(time)")
      }
      try await store.database.write { transaction throws(KennelError) in
        try transaction.connection.script(
          "UPDATE posts SET id = 4294967296 WHERE id = 4294967295; UPDATE posts SET id = -1 WHERE id = 2")
      }
      #expect(try await found() == [9, 8, 7, 6, 5, 4, 3])
      #expect(try await store.isSearchCurrent())
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it counts SQLite's own operations"))
  func `a page of a search takes as many operations for twenty times as many results`() async throws {
    func costs(_ count: Int) async throws -> [Int] {
      let directory = try TemporaryDirectory()
      try await withStore(in: directory) { store in
        let ada = try await store.addUser()
        let taken = try TakenTime.at("2026-09-09T12:00Z")
        try await store.addPost(1, by: ada, caption: "Extraordinary", taken: taken)
      }
      try ManyPosts.add(count, toStoreAt: directory.path("data"))
      return try await withStore(in: directory, { $0.database.readers = 1 }) { store in
        // A change brings the index up to date.
        let first = try await store.posts.page(.newest, limit: 1)
        _ = try await store.posts.addComment("Sit", to: first[0].id, author: 1)
        var costs: [Int] = []
        for text in ["copy", "ada", "ad", "copy a", "copy ada"] {
          for start in [PageStart.newest, .afterPost(Post.ID(count / 2))] {
            let before = try await store.database.read { ($0 as? Connection)?.operationCount ?? 0 }
            let found = try await store.found(text, start, limit: 20)
            #expect(found.count == 20 || text == "copy a")
            costs.append(
              try await store.database.read { ($0 as? Connection)?.operationCount ?? 0 } - before)
          }
        }
        return costs
      }
    }
    let (few, many) = (try await costs(300), try await costs(6000))
    for (few, many) in zip(few, many) { #expect(many <= few + few / 4 + 100, "\(few) \(many)") }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about SQLite's index"))
  func `a long beginning is replaced by its words, unless there are too many`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let many = (0..<SearchCompletions.maximumCount).map { "numberedsorts\($0)" }.joined(separator: " ")
      try await store.addPost(
        1, by: ada, caption: "Christmastree christmastrees; Jean-Christophe, Jean-Christophers-Maria " + many)
      func expression(_ text: String) async throws -> String? {
        try await store.database.read { connection throws(KennelError) in
          try SearchCompletions.expression(try SearchQuery(text), connection)
        }
      }
      #expect(try await expression("CHRISTMASTREE") == #"("christmastree" OR "christmastrees")"#)
      #expect(try await expression("christmastrees ada") == #""christmastrees" AND "ada" *"#)
      #expect(try await expression("christmastre") == #""christmastre" *"#)
      #expect(try await expression("ada christmastrexx") == #""ada" AND "christmastrexx""#)
      #expect(try await expression("christophers-mariannä") == #""christophers mariannä" *"#)
      #expect(try await expression("numberedsorts")?.split(separator: " OR ").count == 100)
      _ = try await store.addPost(2, by: ada, caption: "numberedsorts1000")
      #expect(try await expression("numberedsorts") == #""numberedsorts" *"#)
      #expect(try await store.found("numberedsorts").count == 2)
      #expect(try await store.found("jean-christopher").count == 1)
    }
  }

  @Test func `letters are folded as the index folds them`() throws {
    let connection = try Connection(path: ":memory:", access: .copying, busyTimeout: .zero)
    try connection.script(
      """
      CREATE VIRTUAL TABLE search USING fts5(text, tokenize = "unicode61 remove_diacritics 2");
      CREATE VIRTUAL TABLE words USING fts5vocab(search, instance);
      """)
    let letters = (UInt32(0x41)...0x17F).compactMap(Unicode.Scalar.init).filter(\.properties.isAlphabetic)
    var count = 0
    for letter in letters {
      guard let folded = SearchCompletions.indexed("x\(letter)x") else { continue }
      try connection.run("DELETE FROM search")
      try connection.run("INSERT INTO search VALUES (?)", .text("x\(letter)x"))
      let words = try connection.rows("SELECT term FROM words") { $0.text(0) }
      #expect(words == [folded], "\(letter) U+\(String(letter.value, radix: 16))")
      count += 1
    }
    #expect(count > 200)
    #expect(SearchCompletions.indexed("собака") == nil)
    #expect(SearchCompletions.indexed("mu\u{308}ggelsee") == "muggelsee")
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it reads SQLite's plan of a query"))
  func `what a search finds is not sorted`() async throws {
    try await withStore { store in
      let plan = try await store.database.read { connection throws(KennelError) in
        try connection.rows(
          """
          EXPLAIN QUERY PLAN SELECT search.rowid, p.taken_local, p.id FROM search CROSS JOIN posts p
          WHERE search MATCH 'a' AND search.rowid >= 5 AND p.id = 4294967295 - (search.rowid & 4294967295)
            AND p.binned IS NULL AND (p.taken_local, p.id) < (5, 6)
          ORDER BY search.rowid LIMIT 20
          """
        ) { $0.text(3) }
      }
      #expect(plan.count == 2 && plan.allSatisfy { !$0.contains("TEMP B-TREE") }, "\(plan)")
      #expect(plan.last == "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)")
    }
  }
}
