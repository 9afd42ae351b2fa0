import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct HostileTextTests {
  static let texts = [
    "'); DROP TABLE posts; --", "<script>alert(1)</script>", "a\0b", "\u{202E}gpj.exe",
    "line\r\nline\n\n",
    "e\u{301} is not \u{e9}", "%s%n%x ?1 :name @x $y", "\u{FEFF}\u{FFFE}\u{10FFFF}",
    " spaces around ", "👩‍👩‍👧‍👦🐕‍🦺",
    // This letter forms one character with what follows it.
    "\u{D4E}\" \u{D4E}' \u{D4E}\\ \u{D4E}", "\\u0000 \\ \" '", "{{template}} ${shell} $(id) `id`",
  ]

  @Test(arguments: texts) func captionsAndCommentsAreStoredByteForByte(text: String) async throws {
    let directory = try TemporaryDirectory()
    let id = try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada, caption: text)
      _ = try await store.posts.addComment(text + "!", to: post.id, author: ada.id)
      return post.id
    }
    try await withStore(in: directory) { store in
      #expect(try await store.posts.post(id).caption.utf8.elementsEqual(text.utf8))
      let comment = try #require(try await store.posts.comments(on: id).first)
      #expect(comment.text.utf8.elementsEqual((text + "!").utf8))
    }
  }

  @Test func textsThatAreTooLongAreRefused() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let accents = "a" + String(repeating: "\u{301}", count: 5000)
      let post = try await store.addPost(1, by: ada, caption: String(repeating: "x", count: 2000))
      for text in [String(repeating: "x", count: 2001), accents] {
        #expect(await code { try await store.addPost(2, by: ada, caption: text) } == .badText)
        #expect(
          await code { _ = try await store.posts.addComment(text, to: post.id, author: ada.id) }
            == .badText)
      }
      for text in ["", " \n\t"] {
        #expect(
          await code { _ = try await store.posts.addComment(text, to: post.id, author: ada.id) }
            == .badText)
      }
      #expect(try await store.posts.page().count == 1)
      #expect(try !TestWorld.hasFiles || store.photoFiles().count == 1)
    }
  }

  @Test(arguments: [
    "Robert'); DROP TABLE users; --", "<b>Ada</b>", "Ada Lovelace", "小犬", "Ångström", "%s",
    "a/../b", "🐕",
  ])
  func namesAreStoredByteForByte(name: String) async throws {
    try await withStore { store in
      let user = try await store.addUser(name)
      #expect(user.name.utf8.elementsEqual(name.utf8))
      #expect(try await store.accounts.user(named: name) == user)
      #expect(try await store.accounts.users().map(\.name) == [name])
    }
  }

  @Test(
    arguments: [
      "", " ", " Ada", "Ada ", "A  da", "A:da", "A\nda", "A\0da", "\u{202E}adA", "A\u{200B}da",
      "A\u{200D}da", "A\u{A0}da",
      "\u{FEFF}Ada", "\u{E000}", String(repeating: "a", count: 33),
      "a" + String(repeating: "\u{301}", count: 200),
    ])
  func `names with invisible characters are refused`(name: String) async throws {
    let error = #expect(throws: KennelError.self) { _ = try UserName(name) }
    #expect(error?.code == .badName)
  }

  @Test(arguments: ["ADA", "ada", "Ａｄａ"]) func `names that look the same are already taken`(name: String)
    async throws
  {
    try await withStore { store in
      _ = try await store.addUser("Ada")
      #expect(await code { _ = try await store.addUser(name) } == .nameTaken)
    }
  }
}
