import Foundation
import KennelTestSupport
import PostgresTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

extension KennelStore {
  /// Returns the captions of the posts that a search finds.
  func found(
    _ text: String, _ start: PageStart = .newest, limit: Int = 50
  ) async throws -> [String] {
    try await posts.search(try SearchQuery(text), start, limit: limit, viewer: nil, address: "a").value.map(
      \.caption)
  }
}

@Suite(.timeLimit(.minutes(5))) struct SearchTests {
  @Test(arguments: RecordsKind.available) func `words of captions, comments, authors and dates find a post`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada Lovelace")
      let ben = try await store.addUser("Ben")
      let rex = try await store.addPost(
        1, by: ada, caption: "Rex am Müggelsee, naïve", taken: try .at("2024-07-14T23:30:00-05:00"))
      let luna = try await store.addPost(2, by: ben, caption: "Luna", taken: try .at("2024-08-03T10:00:00Z"))
      _ = try await store.posts.addComment("What a GOOD dog!", to: rex.id, author: ben.id)
      _ = try await store.posts.addComment("Sleepy, after the beach", to: rex.id, author: ben.id)
      let (first, second) = (rex.caption, luna.caption)
      for (text, expected) in [
        ("rex", [first]), ("REX muggelsee", [first]), ("Müggel", [first]), ("muggels", [first]),
        // Only the last word may be a beginning.
        ("mugg rex", []), ("NAIVE", [first]), ("nai\u{308}ve", [first]),
        ("good", [first]), ("good beach", [first]), ("rex good ada", [first]), ("luna good", []),
        ("love", [first]), ("ben", [second]), ("2024", [second, first]), ("2024-07", [first]),
        ("2024-07-14", [first]), ("2024-07-15", []), ("july 2024", [first]), ("Jul", [first]),
        ("august", [second]), ("14 July 2024", [first]), ("july 14", [first]), ("3. August", [second]),
        ("Juli", [first]), ("juli 2024", [first]), ("14. Juli 2024", [first]), ("Mai", []), ("Okt", []),
        ("März", []),
        ("4 August", []), ("14 July luna", []), ("rex 2024-07", [first]), ("2023", []),
      ] {
        #expect(try await store.found(text) == expected, "\(text)")
      }
    }
  }

  @Test(arguments: RecordsKind.available) func `any text is a valid search`(_ kind: RecordsKind) async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada, caption: "Rex AND Luna, 100% \"good\" dogs*")
      for text in [
        "", " ", "\"", "\"\"", "*", "()", "-", "\0", "NEAR", "🐶", "!!!", "\u{0301}", ":", "{", "^", "+", "'",
        ";", "\\", "%", "_", "۞", "\u{FFFF}", "\u{2028}", "\r\n", "a\0b", "⁵", "½", "1️⃣", "\u{1E900}", "한국어",
        "caption:rex", "caption : rex", "-rex", "^rex", "rex OR nothing", "rex NOT luna", "NEAR(rex luna, 9)",
        "\"rex", "rex\"", "(rex", "rex)", "rex*", "*rex", "rex + luna", "{caption} : rex", "rex' OR '1'='1",
        "search MATCH 'x'", "rex AND", "AND", "OR", "NOT", "14 july)", "2024-07\"", "\"2024-07-14\" OR",
        // This letter forms one character with what follows it.
        "\u{D4E}\"", "\u{D4E}'", "\u{D4E}\\", "rex\u{D4E}\" OR", "rex\u{D4E}' | '", "rex\u{D4E}\\'",
      ] {
        _ = try await store.found(text)
      }
      for text in [
        "REX", "rex AND luna", "rex*", "\"rex", "(rex)", "100%", "rex^luna", "rex\u{0}luna", "good dogs",
      ] {
        #expect(
          try await store.found(text).count == (text.contains("x^") || text.contains("\0") ? 0 : 1), "\(text)"
        )
      }
      // These are words, not operators.
      #expect(try await store.found("rex OR nothing") == [])
      #expect(try await store.found("") == [])
      #expect(try await store.found("!!!") == [])
      var random = SeededRandom(5)
      for _ in 0..<500 {
        let scalars = (0..<Int.random(in: 0..<40, using: &random)).compactMap { _ in
          Unicode.Scalar(
            UInt32.random(in: 0..<(Bool.random(using: &random) ? 128 : 0x11_0000), using: &random))
        }
        guard let query = try? SearchQuery(String(String.UnicodeScalarView(scalars))) else { continue }
        _ = try await store.posts.search(query, limit: 1, viewer: nil, address: "a")
      }
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a text in which a letter joins with a quotation mark is found`(_ kind: RecordsKind) async throws {
    #expect(try SearchQuery("\u{D4E}\"").expression(.sqlite)?.utf8.elementsEqual("\"\u{D4E}\"".utf8) == true)
    #expect(try SearchQuery("\u{D4E}'").expression(.postgres)?.utf8.elementsEqual("('\u{D4E}')".utf8) == true)
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let text = "\u{D4E}\"dog\" \u{D4E}'cat' \u{D4E}\\fox\u{D4E}\""
      let post = try await store.addPost(1, by: ada, caption: text)
      _ = try await store.posts.addComment(text + " wet", to: post.id, author: ada.id)
      for word in ["dog", "cat", "fox", "wet", text] {
        #expect(try await store.found(word).count == 1, "\(word)")
      }
      #expect(try await store.check().problems == [])
    }
  }

  @Test func `marks belong to the words of their letters`() {
    func words(_ text: String) -> [String] { text[...].searchWords.map { String($0) } }
    #expect(words("हिन्दी, nai\u{308}ve 1\u{FE0F}\u{20E3}") == ["हिन्दी", "nai\u{308}ve", "1\u{FE0F}\u{20E3}"])
    #expect(words("\u{301}a\u{D4E}\"b !\u{301}") == ["a\u{D4E}", "b"])
    #expect(words(" \u{200D}👩‍👩‍👧 ").isEmpty)
  }

  @Test(.enabled(if: PostgresServer.isAvailable))
  func `words and posts that are too long for PostgreSQL's index are cut`() async throws {
    // One character of 2,100 bytes, and 80,000 words of three letters that form one character.
    let long = String(repeating: "\u{1100}", count: 700)
    let words = (0..<80_000).map { (number: Int) -> String in
      var word = String.UnicodeScalarView()
      for letter in [number / 7225, number / 85 % 85, number % 85] {
        word.append(Unicode.Scalar(UInt16(0x1100 + letter)) ?? "a")
      }
      return String(word)
    }
    // A word needs 5 more bytes for its position.
    let byteCount = words.prefix(100).map { WordVector.normalized($0).utf8.count + 5 }.reduce(0, +)
    #expect(byteCount * words.count / 100 > 1 << 20)
    try await withStore(.postgres) { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(
        1, by: ada, caption: "Rex", taken: try .at("2024-07-14T10:00:00Z"))
      _ = try await store.posts.addComment(long, to: post.id, author: ada.id)
      #expect(try await store.found("rex") == ["Rex"])
      try await store.database.write { transaction throws(KennelError) in
        for start in stride(from: 0, to: words.count, by: 400) {
          try transaction.connection.run(
            "INSERT INTO comments (post, author, text, created) VALUES (?, ?, ?, 1)", .integer(post.id),
            .integer(ada.id), .text(words[start..<start + 400].joined(separator: " ")))
        }
        try transaction.connection.run(
          "INSERT INTO comments (post, author, text, created) VALUES (?, ?, 'Wet', 1)", .integer(post.id),
          .integer(ada.id))
      }
      // The day is found, although its words come last.
      #expect(try await store.found("wet rex 2024-07-14") == ["Rex"])
      #expect(try await store.check().problems == [])
    }
  }

  @Test func `the length and the number of words are limited`() async throws {
    #expect(try SearchQuery(String(repeating: "a", count: 200)).hasWords)
    for text in [
      String(repeating: "a", count: 201), String(repeating: "\u{301}", count: 401),
      String(repeating: "a ", count: 13), String(repeating: "a-", count: 13),
      String(repeating: "🐶", count: 201),
    ] {
      #expect(await code { _ = try SearchQuery(text) } == .badText, "\(text)")
    }
    #expect(try SearchQuery(String(repeating: "a ", count: 12) + "! ! !").hasWords)
    #expect(try SearchQuery("Dog dog DOG").expression(.sqlite) == "\"Dog\" AND \"DOG\" *")
    #expect(try SearchQuery("  a \n b\u{A0}").text == "a b")
    // A single character is a word, not the beginning of one.
    #expect(try SearchQuery("dog a").expression(.sqlite) == "\"dog\" AND \"a\"")
    #expect(try SearchQuery("dog-a").expression(.sqlite) == "\"dog a\"")
    #expect(try SearchQuery("ab").expression(.sqlite) == "\"ab\" *")
    try await withStore { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada, caption: "a b c d e f g h i j k l")
      #expect(try await store.found("a b c d e f g h i j k l").count == 1)
    }
  }

  @Test(arguments: RecordsKind.available) func `pages of results follow the order by time`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      for number in 1...7 {
        try await store.addPost(
          number, by: ada, caption: "Rex \(number)", taken: try .at("2024-0\(8 - number)-01T00:00:00Z"))
      }
      let query = try SearchQuery("rex")
      var seen: [String] = []
      var start = PageStart.newest
      while let last = try await store.posts.search(query, start, limit: 3, viewer: nil, address: "a").value
        .last
      {
        seen += try await store.found("rex", start, limit: 3)
        start = .after(last.position)
      }
      #expect(seen == (1...7).map { "Rex \($0)" })
      #expect(try await store.found("rex", .month(try #require(Month("2024-02")))) == ["Rex 6", "Rex 7"])
    }
  }

  @Test func `what was changed, binned or deleted is not found any more`() async throws {
    try await withStore { store in
      let posts = store.posts
      let ada = try await store.addUser("Ada", role: .owner)
      let ben = try await store.addUser("Ben")
      let post = try await store.addPost(1, by: ben, caption: "Rex", taken: try .at("2024-07-14T10:00:00Z"))
      let comment = try await posts.addComment("Lovely", to: post.id, author: ada.id)
      #expect(try await store.found("lovely") == ["Rex"])
      try await posts.deleteComment(comment.id, by: ada.id)
      #expect(try await store.found("lovely") == [])

      _ = try await posts.edit(
        post.id, PostChange(caption: "Max", taken: try .at("2019-01-02T10:00:00Z")), by: ben.id)
      #expect(try await store.found("rex") == [])
      #expect(try await store.found("2024") == [])
      #expect(try await store.found("max january 2019") == ["Max"])

      try await posts.moveToBin(post.id, by: ben.id)
      #expect(try await store.found("max") == [])
      try await posts.restore(post.id, by: ben.id)
      #expect(try await store.found("max") == ["Max"])

      try await store.accounts.rename(ben.id, to: "Benedict")
      #expect(try await store.found("benedict") == ["Max"])
      #expect(try await store.checkedProblems() == [])

      _ = try await store.accounts.removeUser(ben.id, contentPolicy: .transferred(to: ada.id))
      #expect(try await store.found("benedict") == [])
      #expect(try await store.found("ada max") == ["Max"])
      let cleo = try await store.addUser("Cleo")
      _ = try await posts.addComment("Wonderful", to: post.id, author: cleo.id)
      try await store.addPost(2, by: cleo, caption: "Luna")
      _ = try await store.accounts.removeUser(cleo.id)
      for text in ["cleo", "wonderful", "luna"] { #expect(try await store.found(text) == [], "\(text)") }
      try await posts.delete(post.id, by: ada.id)
      #expect(try await store.found("max") == [])
      #expect(try await store.checkedProblems() == [])
    }
  }

  @Test(arguments: RecordsKind.available) func `a search finds the latest 200 comments of a post`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada, caption: "Rex")
      for number in 1...201 {
        _ = try await store.posts.addComment("number\(number)", to: post.id, author: ada.id)
      }
      #expect(try await store.found("number1 rex") == [])
      #expect(try await store.found("number2 rex") == ["Rex"])
      #expect(try await store.found("number2 number201") == ["Rex"])
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about SQLite's file"))
  func `a check finds a wrong index, and a repair rebuilds it`() async throws {
    for damage in [
      "DELETE FROM search", "UPDATE search SET caption = 'Max'",
      "INSERT INTO search (rowid, caption) VALUES (99, 'Rex')",
      "INSERT INTO search (search) VALUES ('rebuild'); DROP TRIGGER search_post_changed; UPDATE posts SET caption = 'Max'",
    ] {
      try await withStore { store in
        let ada = try await store.addUser()
        try await store.addPost(1, by: ada, caption: "Rex")
        #expect(try await store.check().problems == [])
        try await store.database.write { transaction throws(KennelError) in
          try transaction.connection.script(damage)
        }
        #expect(try await store.check().problems == [.search], "\(damage)")
        let report = try await store.check(repairs: true)
        #expect(report.isClean && report.isSearchRebuilt, "\(damage)")
        let second = try await store.check(repairs: true)
        #expect(second.isClean && !second.isSearchRebuilt)
        let caption = damage.contains("DROP") ? "Max" : "Rex"
        #expect(try await store.found(caption) == [caption])
      }
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about SQLite's file"))
  func `a check compares the index while another program is writing`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) {
      $0.database.busyTimeout = .zero
    } _: { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada, caption: "Rex")
      let path = directory.path("data") + "/kennel.sqlite"
      let other = try Connection(path: path, access: .writing, busyTimeout: .zero)
      try other.script("BEGIN IMMEDIATE; UPDATE posts SET caption = 'Max'")
      #expect(try await store.isSearchCurrent())
      try other.script("COMMIT")
      // The other program has noted the change, but has not changed the index.
      #expect(try await store.isSearchCurrent())
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about SQLite's file"))
  func `a check finds damaged words of the index`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada, caption: "ZYZZYVA")
    }
    // Only the index has the word in lower case.
    let file = URL(fileURLWithPath: directory.path("data") + "/kennel.sqlite")
    var bytes = try Data(contentsOf: file)
    var count = 0
    while let range = bytes.range(of: Data("zyzzyva".utf8)) {
      bytes.replaceSubrange(range, with: Data("zyzzyvb".utf8))
      count += 1
    }
    #expect(count > 0)
    try bytes.write(to: file)
    try await withStore(in: directory) { store in
      let problems = try await store.check().problems
      #expect(problems == [.search])
      let report = try await store.check(repairs: true)
      #expect(report.isClean && report.isSearchRebuilt)
      #expect(try await store.found("zyzzyva") == ["ZYZZYVA"])
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about SQLite's file"))
  func `a kennel of an earlier version can be searched after its migration`() async throws {
    let directory = try TemporaryDirectory()
    try FileCalls.makeDirectory(directory.path("data"))
    let path = directory.path("data") + "/kennel.sqlite"
    try FileCalls.makeFile(path)
    let before = try #require(Migration.all.firstIndex { $0.script == Migration.search.script })
    let old = try Database(path: path, migrations: Array(Migration.all.prefix(before)))
    try await old.write { transaction throws(KennelError) in
      try transaction.connection.script(
        """
        INSERT INTO users (id, name, folded, role, password, created) VALUES (1, 'Ada', 'ada', 'owner', '', 5);
        INSERT INTO photos VALUES (zeroblob(32), 3, 4, 5, 'png', x'01');
        INSERT INTO posts (id, author, photo, caption, created, taken, taken_local)
        VALUES (7, 1, zeroblob(32), 'Rex', 6, 1720951200000, 1720951200000);
        INSERT INTO comments (post, author, text, created) VALUES (7, 1, 'Good dog', 8);
        """)
    }
    await old.close()
    try await withStore(in: directory) { store in
      let found = try await store.found("ada rex good 2024-07-14")
      #expect(found == ["Rex"])
      let problems = try await store.check().problems
      #expect(!problems.contains(.search))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("data"))
    #expect(names.contains { $0.hasPrefix("kennel.sqlite.v\(before)-") })
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a backup has the words of the posts only, and is searched after its restore`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada, caption: "Rex")
      let comment = try await store.posts.addComment("Embarrassing", to: post.id, author: ada.id)
      try await store.posts.deleteComment(comment.id, by: ada.id)
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    }
    #expect(try Data(contentsOf: directory.file("kennel.tar")).range(of: Data("embarrassing".utf8)) == nil)
    _ = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: directory.path("data"), configuration: .forTest)
    try await withStore(in: directory) { store in
      let found = try await store.found("rex")
      #expect(found == ["Rex"])
      let problems = try await store.check().problems
      #expect(problems == [])
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a person's posts are those that were made here and are not in the bin`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let posts = store.posts
      let ada = try await store.addUser()
      let ben = try await store.addUser("Ben")
      let first = try await store.addPost(1, by: ada, taken: try .at("2020-01-01T00:00:00Z"))
      let second = try await store.addPost(2, by: ada, taken: try .at("2019-01-01T00:00:00Z"))
      try await store.addPost(3, by: ben)
      let photo = try await store.photos.stage(KennelStore.photo(4))
      let key = PeerKey(address: "other")
      _ = try await posts.take(
        photo, facts: .small, caption: "", author: ada.id,
        origin: Post.Origin(kennel: "other", author: "Zoe", id: 1), key: key, created: Date())
      let found = try await posts.posts(of: ada.id, limit: 50, viewer: nil).value
      #expect(found.name == "Ada")
      #expect(found.posts.map(\.id) == [first.id, second.id])
      #expect(
        try await posts.posts(of: ada.id, .after(first.position), limit: 50, viewer: nil).value.posts.map(
          \.id)
          == [second.id])
      // The author in the other kennel is shown, so that name finds it.
      #expect(try await store.found("zoe") == [""])
      try await posts.moveToBin(first.id, by: ada.id)
      try await posts.moveToBin(second.id, by: ada.id)
      #expect(await code { _ = try await posts.posts(of: ada.id, limit: 9, viewer: nil) } == .noSuchUser)
      #expect(await code { _ = try await posts.posts(of: ada.id, limit: 9, viewer: ben.id) } == .noSuchUser)
      #expect(await code { _ = try await posts.posts(of: 99, limit: 9, viewer: ben.id) } == .noSuchUser)
      #expect(try await posts.posts(of: ada.id, limit: 9, viewer: ada.id).value.posts == [])
    }
  }
}
