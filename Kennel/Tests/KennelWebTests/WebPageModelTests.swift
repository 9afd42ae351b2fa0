import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// Changes a kennel at random, through two processes, and compares each page with one that is made from nothing.
@Suite(.timeLimit(.minutes(5))) struct WebPageModelTests {
  /// A kennel with visitors, and everything that they have received.
  private final class Model {
    let store: KennelStore
    /// Another process that uses the same directory.
    let other: KennelStore
    let client: PageClient
    var random: SeededRandom
    var sessions: [Accounts.Session] = []
    /// The bytes by tag, as any visitor has received them at any address.
    var received: [String: [String: Data]] = [:]
    var (number, unchanged, hits) = (0, 0, 0)

    init(_ web: SiteFixture, _ other: KennelStore, seed: UInt64) {
      (store, self.other) = (web.store, other)
      client = PageClient(site: web.site)
      random = SeededRandom(seed)
    }

    private var either: KennelStore { Bool.random(using: &random) ? store : other }

    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private func someUser() async throws -> User? {
      try await store.accounts.users().randomElement(using: &random)
    }

    private func somePost() async throws -> Post? {
      try await store.posts.page(limit: 200).randomElement(using: &random)
    }

    func change() async throws {
      number += 1
      let (store, posts, accounts) = (either, either.posts, either.accounts)
      guard let user = try await someUser() else {
        _ = try await accounts.addUser("User\(number)", password: "correct horse", role: .owner)
        return
      }
      switch Int.random(in: 0..<18, using: &random) {
      case 0, 1, 2: try await store.addPost(number, by: user, caption: "<No. \(number)> & co")
      case 3:
        let photo = try await store.photos.stage(KennelStore.photo(number))
        _ = try await store.posts.take(
          photo, facts: .small, caption: "from a friend", author: user.id,
          origin: Post.Origin(kennel: "a.example", author: "Rex", id: Int64(number)),
          key: PeerKey(address: "a.example"), created: Date(timeIntervalSince1970: Double(number)))
      case 4, 5, 6:
        if let post = try await somePost() {
          try await posts.setFavourite(Bool.random(using: &random), post: post.id, user: user.id)
        }
      case 7, 8:
        if let post = try await somePost() {
          _ = try await posts.addComment("Hm \(number)", to: post.id, author: user.id)
        }
      case 9:
        if let post = try await somePost(),
          let comment = try await posts.comments(on: post.id).randomElement(using: &random)
        {
          try? await posts.deleteComment(comment.id, by: user.id)
        }
      case 10: if let post = try await somePost() { try? await posts.delete(post.id, by: user.id) }
      case 11:
        _ = try await accounts.addUser(
          "User\(number)", password: "correct horse", role: chance(2) ? .owner : .member)
      case 12:
        let policy: Accounts.ContentPolicy
        if let heir = try await someUser(), chance(2) {
          policy = .transferred(to: heir.id)
        } else {
          policy = .removed
        }
        _ = try? await accounts.removeUser(user.id, contentPolicy: policy)
      case 13: try? await accounts.setRole(user.role == .owner ? .member : .owner, of: user.id)
      case 14, 15:
        guard let post = try await somePost() else { return }
        let taken = TakenTime(
          Date(timeIntervalSince1970: Double.random(in: 0...1.7e9, using: &random)), in: .gmt, source: .edited
        )
        let change = chance(2) ? PostChange(caption: "New \(number % 3)") : PostChange(taken: taken)
        _ = try? await posts.edit(post.id, change, by: user.id)
      case 16: sessions.append(try await accounts.beginSession(of: user.id))
      default:
        if let session = sessions.randomElement(using: &random) {
          try await accounts.endSession(session.token)
        }
      }
    }

    /// Waits until the server knows the changes of the other process, which PostgreSQL reports some milliseconds later.
    func catchUp() async throws {
      guard !TestWorld.hasFiles else { return }
      let (database, mark) = (store.database, store.database.commitMark)
      // Changes are reported in their order, so this one is reported last.
      try await other.database.write { _ in }
      #expect(await eventually { database.commitMark != mark })
    }

    /// Returns the user of a session from the database, without a cache.
    private func viewer(_ session: Accounts.Session?) async throws -> User? {
      guard let digest = session?.token.digest else { return nil }
      return try await other.database.read { connection throws(KennelError) in
        try connection.first(
          """
          SELECT u.id, u.name, u.role, u.created FROM sessions s JOIN users u ON u.id = s.user WHERE s.token = ?
          """, .blob(digest), row: User.init(row:))
      }
    }

    /// Makes a page from nothing. Returns nil if it does not exist.
    private func fresh(_ path: String, _ viewer: User?) async throws -> Data? {
      let renderer = PageRenderer(title: "Kennel")
      let last = try await other.database.read { connection throws(KennelError) in
        try EventLog.lastID(connection)
      }
      let limit = PostPage.defaultSize
      // Only strangers get a preview.
      let base = viewer == nil ? "http://localhost" : nil
      switch path {
      case "/", "/?before=9":
        let start: PageStart = path == "/" ? .newest : .afterPost(9)
        let posts = try await other.posts.page(start, limit: limit + 1, viewer: viewer?.id)
        let months = try await other.posts.months()
        return Data(
          try await renderer.grid(
            posts: PostPage(posts, limit: limit), months: months, viewer: viewer, isFirst: start == .newest,
            lastEvent: last, base: base
          ).utf8)
      case "/hearts":
        var posts: [Post] = []
        if let viewer { posts = try await other.posts.favourites(of: viewer.id, limit: limit + 1) }
        return Data(
          try await renderer.grid(
            posts: PostPage(posts, limit: limit), viewer: viewer, kind: .favourites, lastEvent: last
          ).utf8)
      case "/photos/3":
        guard let post = try? await other.posts.post(3, viewer: viewer?.id) else { return nil }
        let comments = CommentPage(
          try await other.posts.comments(on: 3, limit: CommentPage.defaultSize + 1),
          limit: CommentPage.defaultSize, isFirst: true)
        return Data(
          try await renderer.photo(
            post: post, comments: comments, viewer: viewer, lastEvent: last, base: base
          ).utf8)
      default:
        let found = PostPage(try await other.posts.page(limit: 6, viewer: viewer?.id), limit: 5)
        var json = JSONText()
        json.object { json in
          json.array("posts") { json in for post in found.posts { json.post(post) } }
          json.next(found.next)
        }
        return json.data
      }
    }

    /// Compares what a visitor gets with what the visitor should get.
    func check() async throws {
      let session = chance(2) ? nil : sessions.randomElement(using: &random)
      var fields = session.map(PageClient.cookie) ?? [:]
      let viewer = try await viewer(session)
      let paths = ["/", "/?before=9", "/hearts", "/photos/3", "/posts?limit=5"]
      let path = paths[Int.random(in: 0..<paths.count, using: &random)]
      guard let fresh = try await fresh(path, viewer) else {
        #expect(try await client.get(path, fields).status == 404)
        return
      }
      let coding: ContentCoding = chance(3) ? .gzip : .identity
      if coding == .gzip { fields["Accept-Encoding"] = "gzip" }
      let isPacked = coding == .gzip && viewer == nil && coding.encoded(fresh, effort: .moderate) != nil
      let wanted = isPacked ? coding.encoded(fresh, effort: .moderate) ?? fresh : fresh
      let answer = try await client.get(path, fields)
      #expect(answer.status == 200 && answer.body == wanted, "\(path) \(viewer?.name ?? "nobody")")
      #expect(answer.coding == (isPacked ? "gzip" : nil))
      // A tag is never used for other bytes.
      let known = received[path, default: [:]]
      if let earlier = known[answer.tag] {
        #expect(earlier == answer.body)
        hits += 1
      }
      for (tag, bytes) in known {
        let conditional = try await client.get(path, fields.merging(["If-None-Match": tag]) { $1 })
        if conditional.status == 304 {
          unchanged += 1
          #expect(bytes == wanted, "\(path)")
        } else {
          #expect(tag != answer.tag && conditional.body == wanted)
        }
      }
      received[path, default: [:]][answer.tag] = answer.body
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `every page is what it would be if nothing were kept`(seed: UInt64) async throws {
    let directory = try TemporaryDirectory()
    try await withSite(in: directory) { web in
      try await withStore(in: directory) { other in
        let model = Model(web, other, seed: seed)
        for _ in 0..<150 {
          try await model.change()
          try await model.catchUp()
          for _ in 0..<3 { try await model.check() }
        }
        #expect(model.hits > 10 && model.unchanged > 10)
      }
    }
  }

  @Test func `pages that are made during changes are never sent after them`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let client = PageClient(site: web.site)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for number in 1...60 {
            let post = try await web.store.addPost(number, by: ada)
            // The author of a change sees it.
            #expect(try await client.get("/").text.contains("data-post=\"\(post.id)\""))
            #expect(try await client.get("/posts").text.contains("\"id\":\(post.id),"))
          }
        }
        for _ in 0..<3 {
          group.addTask {
            var newest = 0
            for _ in 0..<200 {
              let text = try await client.get("/").text
              let first = text.components(separatedBy: "data-post=\"").dropFirst().first
              let number = first.flatMap { Int($0.prefix { $0 != "\"" }) } ?? 0
              #expect(number >= newest)
              newest = number
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
