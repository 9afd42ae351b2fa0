import Foundation
import KennelTestSupport
import RetrieverImages
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite struct PageRenderingTests {
  private let renderer = PageRenderer(title: "Kennel")
  private let hostile = "\"><script src=//evil.example></script><img src=x onerror='alert(1)'>&"
  private let ada = User(id: 1, name: "Ada", role: .member, created: .distantPast)

  private func post(
    _ id: Int64 = 12, author: User.ID = 1, name: String = "Ada", caption: String = "Good dog",
    width: Int = 4000,
    height: Int = 3000, thumbHash: [UInt8] = [], hearts: Int = 3, isFavourite: Bool = false,
    taken: String = "2026-07-14T16:03:00+02:00", source: TakenTime.Source = .camera
  ) throws -> Post {
    Post(
      id: id, author: author, authorName: name, caption: caption,
      photo: try #require(PhotoHash(bytes: [UInt8](repeating: 7, count: 32))), byteCount: 3_140_000,
      facts: PhotoFacts(width: width, height: height, format: .jpeg, thumbHash: thumbHash),
      created: Date(timeIntervalSince1970: 1_795_168_800), taken: try .at(taken, source: source),
      favouriteCount: hearts, commentCount: 2,
      isFavourite: isFavourite)
  }

  private func comment(_ text: String, author: User.ID = 2, name: String = "Bob") -> KennelModel.Comment {
    Comment(
      id: 5, post: 12, author: author, authorName: name, text: text,
      created: Date(timeIntervalSince1970: 1_795_168_800))
  }

  /// Verifies that a page has no foreign script, inline style or injected markup.
  private func expectHarmless(_ page: String) {
    #expect(!page.contains("<script src=//"))
    #expect(!page.contains("<img src=x"))
    #expect(!page.contains(" style="))
    #expect(!page.contains("<style"))
    #expect(page.components(separatedBy: "<script").count == 3)
  }

  @Test func `captions, names, comments and problems are escaped`() async throws {
    let bad = try post(name: hostile, caption: hostile)
    let viewer = User(id: 1, name: hostile, role: .member, created: .distantPast)
    expectHarmless(try await renderer.grid(posts: PostPage(posts: [bad], next: nil), viewer: viewer))
    expectHarmless(
      try await renderer.photo(
        post: bad, comments: CommentPage(comments: [comment(hostile, name: hostile)]), viewer: viewer))
    expectHarmless(renderer.problem(status: 404, title: hostile, detail: hostile))
    expectHarmless(
      try await PageRenderer(title: hostile).grid(posts: PostPage(posts: [], next: nil), viewer: nil))
  }

  @Test func theGridShowsPostsInTheirOrderAndLinksToOlderOnes() async throws {
    let page = try await renderer.grid(
      posts: PostPage(posts: [try post(9), try post(7)], next: try post(7).position), viewer: nil,
      lastEvent: 41)
    let first = try #require(page.range(of: "data-post=\"9\""))
    let second = try #require(page.range(of: "data-post=\"7\""))
    #expect(first.lowerBound < second.lowerBound)
    #expect(page.contains("rel=\"next\" href=\"/?before=\(try post(7).position)\""))
    #expect(page.contains("data-event=\"41\""))
    #expect(page.contains("<a class=\"open\" href=\"/photos/9\">"))
  }

  @Test func theLastPageHasNoLinkToOlderOnes() async throws {
    let page = try await renderer.grid(
      posts: PostPage(posts: [try post()], next: nil), viewer: nil, isFirst: false)
    #expect(!page.contains("rel=\"next\""))
    #expect(page.contains("<p class=\"newest\"><a href=\"/\">"))
  }

  @Test func `favourites are paged at their own address`() async throws {
    let page = try await renderer.grid(
      posts: PostPage(posts: [try post(isFavourite: true)], next: try post().position), viewer: ada,
      kind: .favourites)
    #expect(page.contains("href=\"/hearts?before=\(try post().position)\""))
    #expect(page.contains("data-heart=\"12\" data-count=\"3\" aria-pressed=\"true\""))
    #expect(page.contains("<a href=\"/hearts\" aria-current=\"page\">"))
  }

  @Test func `empty pages explain what to do`() async throws {
    let none = PostPage(posts: [], next: nil)
    #expect(try await renderer.grid(posts: none, viewer: nil).contains("No photos yet"))
    #expect(try await renderer.grid(posts: none, viewer: ada).contains("Share the first one"))
    #expect(try await renderer.grid(posts: none, viewer: nil, kind: .favourites).contains("Sign in to see"))
    #expect(try await renderer.grid(posts: none, viewer: ada, kind: .favourites).contains("No hearts yet"))
  }

  @Test func `a photo has its size and thumbnails up to that size`() throws {
    let picture = PhotoPicture(
      post: try post(width: 600, height: 800), placeholder: "", words: Words.english.photo)
    let html = picture.inGrid(isEarly: false).text
    #expect(html.contains("width=\"600\" height=\"800\""))
    #expect(html.contains("/posts/12/thumbnail?size=320 240w"))
    // 960 is the first size that shows the complete photo. Its width is limited to the photo's own width.
    #expect(html.contains("/posts/12/thumbnail?size=960 600w"))
    #expect(!html.contains("size=1280"))
    #expect(html.contains("sizes=\"auto, "))
    #expect(!picture.inGrid(isEarly: true).text.contains("lazy"))
  }

  @Test func `proportions are encoded digit by digit within bounds`() throws {
    func classes(_ width: Int, _ height: Int, _ minimum: Double = 0.5, _ maximum: Double = 3) throws -> String
    {
      PhotoPicture(post: try post(width: width, height: height), placeholder: "", words: Words.english.photo)
        .proportions(from: minimum, to: maximum)
    }
    #expect(try classes(4000, 3000) == "u1 d3 c3 m3")
    #expect(try classes(1000, 1000) == "u1 d0 c0 m0")
    #expect(try classes(100, 9000) == "u0 d5 c0 m0")
    #expect(try classes(9000, 100) == "u3 d0 c0 m0")
    #expect(try classes(0, 0) == "u1 d0 c0 m0")
  }

  @Test func `a placeholder is embedded in the document`() async throws {
    let image = try #require(
      ThumbHash(Data([1, 8, 2, 5, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])))
    let placeholders = PlaceholderImages()
    let address = try await placeholders.address(for: [UInt8](image.data))
    #expect(address.hasPrefix("data:image/webp;base64,"))
    #expect(address.count < 500)
    #expect(try await placeholders.address(for: [UInt8](image.data)) == address)
    #expect(try await placeholders.address(for: []) == "")
    let picture = PhotoPicture(post: try post(), placeholder: "", words: Words.english.photo)
    #expect(!picture.large.text.contains("class=\"soft\""))
  }

  @Test func `only users who may delete see the delete button`() async throws {
    let mine = try post(author: 1)
    let said = [comment("Aww", author: 2)]
    let bob = User(id: 2, name: "Bob", role: .member, created: .distantPast)
    let carol = User(id: 3, name: "Carol", role: .member, created: .distantPast)
    let owner = User(id: 4, name: "Olga", role: .owner, created: .distantPast)
    func offers(_ viewer: User?) async throws -> [Bool] {
      let page = try await renderer.photo(post: mine, comments: CommentPage(comments: said), viewer: viewer)
      return [page.contains("data-delete-post=\"12\""), page.contains("data-delete-comment=\"5\"")]
    }
    #expect(try await offers(nil) == [false, false])
    #expect(try await offers(carol) == [false, false])
    #expect(try await offers(bob) == [false, true])
    #expect(try await offers(ada) == [true, true])
    #expect(try await offers(owner) == [true, true])
  }

  @Test func `a photo shows its author, date and size`() async throws {
    let page = try await renderer.photo(
      post: try post(), comments: CommentPage(comments: [comment("Aww")]), viewer: nil)
    #expect(page.contains("<time datetime=\"2026-11-20T10:00:00Z\">20 November 2026</time>"))
    #expect(page.contains("4000 × 3000, 3.1 MB"))
    #expect(page.contains("<title>Good dog · Kennel</title>"))
    #expect(page.contains("Sign in to comment"))
  }

  @Test func `a long list of comments is paged`() async throws {
    let said = [comment("Aww")]
    let first = try await renderer.photo(
      post: try post(), comments: CommentPage(said, limit: 1, isFirst: true), viewer: nil)
    #expect(!first.contains("?after="))
    let cut = try await renderer.photo(
      post: try post(), comments: CommentPage(said + said, limit: 1, isFirst: true), viewer: nil)
    #expect(cut.contains("rel=\"next\" href=\"/photos/12?after=5\""))
    #expect(!cut.contains("class=\"earlier\""))
    let last = try await renderer.photo(
      post: try post(), comments: CommentPage(comments: said, isFirst: false), viewer: nil)
    #expect(last.contains("<p class=\"earlier\"><a href=\"/photos/12\">"))
    #expect(!last.contains("?after="))
  }

  @Test func `a photo from another kennel shows its origin`() async throws {
    var taken = try post(name: "Olga", caption: "")
    taken.origin = Post.Origin(kennel: "<kennel>.example", author: "Rex", id: 3)
    let page = try await renderer.photo(post: taken, comments: CommentPage(comments: []), viewer: nil)
    #expect(page.contains("<bdi class=\"author\">Rex</bdi>"))
    #expect(page.contains("from <bdi>&lt;kennel&gt;.example</bdi>"))
    #expect(page.contains("alt=\"Photo by Rex\""))
    #expect(!page.contains("Olga"))
    let grid = try await renderer.grid(posts: PostPage(posts: [taken], next: nil), viewer: nil)
    #expect(grid.contains("<bdi class=\"author\">Rex</bdi>"))
  }

  @Test func `a photo without a caption has an alternative text`() async throws {
    let page = try await renderer.photo(
      post: try post(caption: ""), comments: CommentPage(comments: []), viewer: nil)
    #expect(page.contains("alt=\"Photo by Ada\""))
    #expect(page.contains("<title>Photo by Ada · Kennel</title>"))
  }

  @Test func `each month has a heading, and the list of months leads to all of them`() async throws {
    let posts = [
      try post(9), try post(8, taken: "2026-07-01T00:00:00+02:00"),
      try post(7, taken: "2026-06-30T23:59:59+02:00"),
    ]
    let months = try ["2026-07", "2026-06", "2019-12"].map { text in
      MonthCount(month: try #require(Month(text)), posts: text == "2026-07" ? 2 : 1)
    }
    let page = try await renderer.grid(posts: PostPage(posts: posts), months: months, viewer: nil)
    let headings = page.components(separatedBy: "<h2 tabindex=\"-1\">").dropFirst().map { heading in
      String(heading.prefix { $0 != "<" })
    }
    #expect(headings == ["July 2026", "June 2026"])
    #expect(page.contains("<a href=\"/?month=2019-12\""))
    #expect(page.contains("July 2026, 2 photos") && page.contains("June 2026, 1 photo<"))
    // A single month is nothing to choose from.
    let single = try await renderer.grid(
      posts: PostPage(posts: [posts[0]]), months: [months[0]], viewer: nil)
    #expect(!single.contains("class=\"months\""))
  }

  @Test(arguments: [
    (TakenTime.Source.camera, ""), (.cameraClock, "<span class=\"note\">time zone not recorded</span>"),
    (.file, "<span class=\"note\">date of the file</span>"), (.edited, ""),
  ])
  func `a photo shows when it was taken, in the time of its place`(
    source: TakenTime.Source, note: String
  ) async throws {
    let page = try await renderer.photo(
      post: try post(source: source), comments: CommentPage(comments: []), viewer: nil)
    #expect(
      page.contains(
        "<time datetime=\"2026-07-14T16:03:00+02:00\" data-taken>14 July 2026, 16:03</time>\(note)</span>"))
    #expect(page.contains("Shared <time datetime=\"2026-11-20T10:00:00Z\">20 November 2026</time>"))
  }

  @Test func `a photo with an unknown time shows only when it was shared`() async throws {
    let page = try await renderer.photo(
      post: try post(source: .shared), comments: CommentPage(comments: []), viewer: nil)
    #expect(!page.contains("data-taken"))
  }

  @Test func `the policy allows no inline code and no other origins`() {
    let policy = PageRenderer.contentSecurityPolicy
    #expect(policy.hasPrefix("default-src 'none'"))
    #expect(!policy.contains("unsafe"))
    #expect(!policy.contains("http"))
    #expect(!policy.contains("\n"))
  }
}
