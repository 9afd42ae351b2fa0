import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// Who receives a changed page after a change, and who does not.
@Suite(.timeLimit(.minutes(5))) struct WebPageCacheTests {
  /// The pages and lists that everyone may request.
  private static let paths = ["/", "/?before=2", "/hearts", "/photos/1", "/posts", "/posts?limit=1"]

  /// A kennel with two posts of Ada, and requests of three visitors.
  private struct Scene: Sendable {
    let web: SiteFixture
    let ada: User
    let ben: User
    let visitors: [String: [String: String]]

    init(_ web: SiteFixture) async throws {
      let ada = try await web.store.addUser("Ada", role: .owner)
      _ = try await web.store.addUser("Ben")
      for number in 1...2 { try await web.store.addPost(number, by: ada, caption: "No. \(number)") }
      try await self.init(again: web)
    }

    /// Another site with the same kennel.
    init(again web: SiteFixture) async throws {
      self.web = web
      ada = try #require(try await web.store.accounts.user(named: "Ada"))
      ben = try #require(try await web.store.accounts.user(named: "Ben"))
      visitors = [
        "nobody": [:],
        "Ada": PageClient.cookie(try await web.store.accounts.beginSession(of: ada.id)),
        "Ben": PageClient.cookie(try await web.store.accounts.beginSession(of: ben.id)),
      ]
    }

    /// Returns what each visitor gets at each address, as "Ada /photos/1".
    func pages() async throws -> [String: PageClient.Answer] {
      var pages: [String: PageClient.Answer] = [:]
      let client = PageClient(site: web.site)
      for (name, fields) in visitors {
        for path in WebPageCacheTests.paths { pages["\(name) \(path)"] = try await client.get(path, fields) }
      }
      return pages
    }

    /// Makes a change, and checks that exactly these visitors get pages again, with another tag.
    ///
    /// - Parameter changesBytes: whether each page is different for them. Lists may show none of the changed posts.
    func expect(
      _ change: String, changesFor names: Set<String>, changesBytes: Bool = true,
      _ body: () async throws -> Void
    ) async throws {
      let before = try await pages()
      try await body()
      let after = try await pages()
      let client = PageClient(site: web.site)
      for (key, page) in after {
        let parts = key.split(separator: " ").map(String.init)
        let (old, isFor) = (before[key], names.contains(parts[0]))
        #expect((page.tag != old?.tag) == isFor, "\(change): \(key)")
        if !isFor {
          #expect(page.body == old?.body, "\(change): \(key)")
        } else if changesBytes, !parts[1].hasPrefix("/posts") {
          #expect(page.body != old?.body, "\(change): \(key)")
        }
        let fields = (visitors[parts[0]] ?? [:]).merging(["If-None-Match": old?.tag ?? ""]) { $1 }
        #expect(try await client.get(parts[1], fields).status == (isFor ? 200 : 304), "\(change): \(key)")
      }
    }
  }

  private static let everyone: Set = ["nobody", "Ada", "Ben"]

  @Test func `a change that everyone sees changes the pages of everyone`() async throws {
    try await withSite { web in
      let scene = try await Scene(web)
      let posts = web.store.posts
      try await scene.expect("a heart", changesFor: Self.everyone) {
        try await posts.setFavourite(true, post: 1, user: scene.ben.id)
      }
      try await scene.expect("a comment", changesFor: Self.everyone) {
        _ = try await posts.addComment("Good dog", to: 1, author: scene.ben.id)
      }
      try await scene.expect("a new post", changesFor: Self.everyone) {
        try await web.store.addPost(3, by: scene.ada)
      }
      try await scene.expect("a deleted comment", changesFor: Self.everyone) {
        try await posts.deleteComment(1, by: scene.ben.id)
      }
      try await scene.expect("a deleted post", changesFor: Self.everyone) {
        try await posts.delete(3, by: scene.ada.id)
      }
      try await scene.expect("a post of another kennel", changesFor: Self.everyone) {
        let photo = try await web.store.photos.stage(KennelStore.photo(9))
        _ = try await posts.take(
          photo, facts: .small, caption: "", author: scene.ada.id,
          origin: Post.Origin(kennel: "a.example", author: "Rex", id: 3), key: PeerKey(address: "a.example"),
          created: Date(timeIntervalSince1970: 0))
      }
    }
  }

  @Test func `a change that concerns one visitor changes nothing for others`() async throws {
    try await withSite { web in
      let scene = try await Scene(web)
      let accounts = web.store.accounts
      try await scene.expect("another session", changesFor: []) {
        let session = try await accounts.beginSession(of: scene.ben.id)
        #expect(try await PageClient(site: web.site).get("/", PageClient.cookie(session)).status == 200)
        try await accounts.endSession(session.token)
      }
      try await scene.expect("a new account", changesFor: []) { _ = try await web.store.addUser("Cleo") }
      // There are new bytes only where there is something to delete, but a new tag on all pages.
      try await scene.expect("another role", changesFor: ["Ben"], changesBytes: false) {
        try await accounts.setRole(.owner, of: scene.ben.id)
      }
    }
  }

  @Test func `hearts and names are shown to their own user only`() async throws {
    try await withSite { web in
      let scene = try await Scene(web)
      try await web.store.posts.setFavourite(true, post: 1, user: scene.ben.id)
      // Requested in each order, so that each page is made before and after those of others.
      for _ in 0..<3 {
        for (name, fields) in scene.visitors.shuffled() {
          let client = PageClient(site: web.site)
          let grid = try await client.get("/", fields)
          #expect(grid.text.contains("data-viewer=\"\(name == "nobody" ? "" : name)\""))
          #expect(grid.text.contains("aria-pressed=\"true\"") == (name == "Ben"))
          #expect(
            try await client.get("/posts", fields).text.contains("\"isFavourite\":true") == (name == "Ben"))
          #expect(try await client.get("/hearts", fields).text.contains("data-post=\"1\"") == (name == "Ben"))
          let photo = try await client.get("/photos/1", fields)
          #expect(photo.text.contains("data-delete-post") == (name == "Ada"))
          #expect(photo.text.contains("comment-form") == (name != "nobody"))
        }
      }
    }
  }

  @Test func `a tag of another visitor or another page never gives 304`() async throws {
    try await withSite { web in
      let scene = try await Scene(web)
      let pages = try await scene.pages()
      #expect(Set(pages.values.map(\.tag)).count == pages.count)
      let client = PageClient(site: web.site)
      for (key, page) in pages {
        for (other, fields) in scene.visitors {
          for path in Self.paths {
            let fields = fields.merging(["If-None-Match": page.tag]) { $1 }
            let isSame = key == "\(other) \(path)"
            #expect(
              try await client.get(path, fields).status == (isSame ? 304 : 200), "\(key), \(other) \(path)")
          }
        }
      }
    }
  }

  @Test func `signing out shows the page of everyone immediately`() async throws {
    try await withSite { web in
      let scene = try await Scene(web)
      let client = PageClient(site: web.site)
      let nobody = try await client.get("/")
      let fields = scene.visitors["Ben"] ?? [:]
      let signedIn = try await client.get("/", fields)
      #expect(signedIn.text.contains("Account of Ben"))
      try await web.store.accounts.endSessions(of: scene.ben.id)
      for conditions in [[:], ["If-None-Match": signedIn.tag]] {
        let after = try await client.get("/", fields.merging(conditions) { $1 })
        #expect(after.status == 200 && after.body == nobody.body && after.tag == nobody.tag)
      }
      #expect(try await client.get("/", fields.merging(["If-None-Match": nobody.tag]) { $1 }).status == 304)
      // Credentials that are wrong get no page, although one is kept.
      let wrong = SiteFixture.basic("Ben", "wrong").merging(["If-None-Match": nobody.tag]) { $1 }
      #expect(try await client.get("/", wrong).status == 401)
    }
  }

  @Test func `posts that a removed user leaves to another one show the new author`() async throws {
    try await withSite { web in
      let scene = try await Scene(web)
      try await web.store.addPost(3, by: scene.ben)
      let client = PageClient(site: web.site)
      #expect(try await client.get("/").text.contains(">Ben<"))
      _ = try await web.store.accounts.removeUser(scene.ben.id, contentPolicy: .transferred(to: scene.ada.id))
      for path in ["/", "/photos/3", "/posts"] {
        #expect(try await !client.get(path).text.contains("Ben"), "\(path)")
      }
    }
  }

  @Test func `only pages of visitors who have not signed in are compressed`() async throws {
    try await withSite { web in
      let scene = try await Scene(web)
      let client = PageClient(site: web.site)
      for (name, fields) in scene.visitors {
        for path in Self.paths {
          let plain = try await client.get(path, fields)
          #expect(plain.coding == nil)
          #expect(plain.fields["Vary"] == "Cookie, Authorization, Accept-Encoding")
          #expect(plain.fields["Cache-Control"] == "private, no-cache")
          for _ in 0..<2 {
            let accepts = fields.merging(["Accept-Encoding": "gzip"]) { $1 }
            let packed = try await client.get(path, accepts)
            #expect(packed.coding == (name == "nobody" ? "gzip" : nil), "\(name) \(path)")
            #expect((packed.tag == plain.tag) == (name != "nobody"))
            let known = accepts.merging(["If-None-Match": packed.tag]) { $1 }
            #expect(try await client.get(path, known).status == 304)
          }
        }
      }
      // A client over a connection decodes what it gets.
      for coding in ["gzip", "br"] {
        let answer = try await web.get("/", ["Accept-Encoding": coding, "Host": "localhost"])
        #expect(answer.text == (try await client.get("/")).text)
      }
    }
  }

  @Test func `a 304 and a kept page need no reader of the database`() async throws {
    try await withSite { web in
      let scene = try await Scene(web)
      let client = PageClient(site: web.site)
      let pages = try await scene.pages()
      let gate = Gate()
      // Occupies all readers.
      let blocked = (0..<Database.Configuration().readers).map { _ in
        Task { try await web.store.database.read { _ throws(KennelError) in gate.waitBlocking() } }
      }
      for (key, page) in pages {
        let parts = key.split(separator: " ").map(String.init)
        let fields = scene.visitors[parts[0]] ?? [:]
        let known = fields.merging(["If-None-Match": page.tag]) { $1 }
        let answer = try await client.get(parts[1], known)
        #expect(answer.status == 304 && answer.tag == page.tag && answer.body.isEmpty)
        if parts[0] == "nobody" { #expect(try await client.get(parts[1], fields).body == page.body) }
      }
      gate.open()
      for task in blocked { _ = try await task.value }
    }
  }

  @Test func `a 304 has the length that the page would have`() async throws {
    try await withSite { web in
      try await web.store.addPost(1, by: web.store.addUser("Ada"))
      for path in Self.paths {
        let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        func fields(_ more: String) async throws -> [String: String] {
          let answer = try await RawClient(port: web.port).exchange(request + more + "\r\n")
          let lines = answer.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
          var fields = ["status": lines[0]]
          for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
              fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
          }
          return fields
        }
        let page = try await fields("")
        let same = try await fields("If-None-Match: \(page["etag"] ?? "")\r\n")
        #expect(same["status"]?.contains(" 304 ") == true)
        for name in ["etag", "content-length", "cache-control", "vary"] {
          #expect(same[name] != nil && same[name] == page[name], "\(name)")
        }
      }
    }
  }

  @Test func `tags stay after a restart, and another process has the same`() async throws {
    let directory = try TemporaryDirectory()
    func tags(_ scene: Scene) async throws -> [String: String] {
      try await scene.pages().mapValues(\.tag)
    }
    let (first, second) = try await withSite(in: directory) { web in
      let scene = try await Scene(web)
      let first = try await tags(scene)
      let second = try await withSite(in: directory) { try await tags(Scene(again: $0)) }
      return (first, second)
    }
    #expect(!first.isEmpty && first == second)
    let later = try await withSite(in: directory) { try await tags(Scene(again: $0)) }
    #expect(first == later)
    let renamed = try await withSite(in: directory, { $0.title = "Cats" }) {
      try await tags(Scene(again: $0))
    }
    for (path, tag) in renamed { #expect(first[path] != nil && first[path] != tag) }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a restored backup has other tags`() async throws {
    let directory = try TemporaryDirectory()
    let tags = try await withSite { web in
      let scene = try await Scene(web)
      _ = try await web.store.backUp(to: .path(directory.path("kennel.tar")))
      let tags = try await scene.pages().mapValues(\.tag)
      // The restored kennel has the same number of events later, but with another post.
      try await web.store.addPost(3, by: scene.ada, caption: "lost")
      return tags.merging(try await scene.pages().map { ("later \($0)", $1.tag) }) { $1 }
    }
    _ = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: directory.path("data"), configuration: .forTest)
    try await withSite(in: directory) { web in
      let client = PageClient(site: web.site)
      let ada = try #require(try await web.store.accounts.user(named: "Ada"))
      for _ in 0..<2 {
        for path in Self.paths {
          for tag in tags.values {
            #expect(try await client.get(path, ["If-None-Match": tag]).status == 200)
          }
        }
        try await web.store.addPost(4, by: ada, caption: "kept")
      }
    }
  }
}
