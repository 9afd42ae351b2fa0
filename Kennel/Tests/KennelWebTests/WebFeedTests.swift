import Foundation
import HTTPService
import KennelTestSupport
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebFeedTests {
  private let html = ["Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"]

  /// An element of an XML document.
  private struct Element: Equatable {
    var name: String
    var attributes: [String: String]
    var text = ""
  }

  /// The elements of a feed: those of the feed itself, and those of each entry.
  private final class Reader: NSObject, XMLParserDelegate {
    var feed: [Element] = []
    var entries: [[Element]] = []
    private var isInEntry = false

    static func read(_ data: Data) throws -> Reader {
      let parser = XMLParser(data: data)
      let reader = Reader()
      parser.delegate = reader
      guard parser.parse() else {
        throw TestSupportError("\(String(describing: parser.parserError)), line \(parser.lineNumber)")
      }
      return reader
    }

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      if name == "entry" {
        isInEntry = true
        entries.append([])
      } else if isInEntry {
        entries[entries.count - 1].append(Element(name: name, attributes: attributes))
      } else {
        feed.append(Element(name: name, attributes: attributes))
      }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
      if isInEntry {
        guard let entry = entries.last, !entry.isEmpty else { return }
        entries[entries.count - 1][entry.count - 1].text += text
      } else if !feed.isEmpty {
        feed[feed.count - 1].text += text
      }
    }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
      if name == "entry" { isInEntry = false }
    }
  }

  private func text(_ name: String, _ elements: [Element]) -> String {
    elements.first { $0.name == name }?.text.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
  }

  /// Makes the address of a feed, as a program does.
  private func makeFeed(_ web: SiteFixture, _ user: [String: String]) async throws -> String {
    let answer = try await web.post("/you/feed", json: "{}", user)
    #expect(answer.status == 201 && answer.field("Cache-Control")?.contains("no-store") == true)
    let path = try #require(try answer.json["path"]?.string)
    #expect(try answer.json["address"]?.string?.hasSuffix(path) == true)
    return path
  }

  private func withPrivateSite(
    in directory: TemporaryDirectory? = nil, clock: ManualKennelClock = ManualKennelClock(),
    _ body: (SiteFixture, _ ada: User, _ cookie: [String: String]) async throws -> Void
  ) async throws {
    try await withSite(in: directory, clock: clock.clock) {
      $0.isOpenToEveryone = false
      $0.title = "Ada & <friends>"
    } _: { web in
      let known = try await web.store.accounts.user(named: "Ada")
      let ada = try await known == nil ? web.store.addUser("Ada", role: .owner) : known
      try await body(web, try #require(ada), try await web.cookie("Ada"))
    }
  }

  @Test func `a feed is valid Atom with the latest photos`() async throws {
    let clock = ManualKennelClock()
    try await withPrivateSite(clock: clock) { web, ada, cookie in
      for number in 1...31 { try await web.addPicture(number, by: ada, caption: "Photo \(number)") }
      clock.advance(by: .seconds(60))
      let hostile = "]]>\u{1}\u{FFFF}\u{FFFE}\u{7F} <b>&amp;\"'\u{0} 🐶\nsecond line"
      try await web.addPicture(32, by: ada, caption: hostile, width: 1600, height: 800)
      try await web.store.posts.moveToBin(30, by: ada.id)
      let path = try await makeFeed(web, cookie)
      let answer = try await web.get(path)
      #expect(answer.status == 200)
      #expect(answer.field("Content-Type") == "application/atom+xml; charset=utf-8")
      #expect(answer.field("Cache-Control") == "private, no-cache")
      #expect(answer.field("Referrer-Policy") == "no-referrer")
      #expect(answer.field("X-Robots-Tag") == "noindex, nofollow")
      let reader = try Reader.read(answer.data)
      #expect(text("title", reader.feed) == "Ada & <friends>")
      #expect(
        reader.feed.contains {
          $0.attributes["rel"] == "self" && $0.attributes["href"] == "http://127.0.0.1:\(web.port)\(path)"
        })
      #expect(reader.entries.count == 30)
      #expect(Set(reader.entries.map { text("id", $0) }).count == 30)
      #expect(reader.entries.dropFirst().prefix(2).map { text("title", $0) } == ["Photo 31", "Photo 29"])
      #expect(text("updated", reader.feed) == "2027-01-15T08:01:00Z")
      let first = try #require(reader.entries.first)
      #expect(text("title", first).hasPrefix("]]>\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD} <b>&amp;\"'"))
      #expect(!text("title", first).contains("second"))
      #expect(text("name", first) == "Ada")
      let content = text("content", first)
      #expect(content.contains("&lt;b&gt;&amp;amp;") && !content.contains("<b>"))
      #expect(first.contains { $0.attributes["href"] == "http://127.0.0.1:\(web.port)/photos/32" })
      let thumbnail = try #require(first.first { $0.name == "media:thumbnail" }).attributes
      #expect(thumbnail["width"] == "640" && thumbnail["height"] == "320")
      let picture = try await web.get(
        String(try #require(thumbnail["url"]?.dropFirst("http://127.0.0.1:\(web.port)".count))))
      #expect(picture.status == 200 && picture.field("Content-Type") == "image/jpeg")
      #expect(picture.field("Cross-Origin-Resource-Policy") == "cross-origin")
      #expect(picture.field("Cache-Control") == "private, no-cache")
      // Only the photos in the feed.
      for (id, status) in [(31, 200), (2, 200), (1, 404), (30, 404), (99, 404)] {
        #expect(try await web.get("\(path)/\(id)/thumbnail").status == status, "\(id)")
      }
      for other in ["\(path)/32", "\(path)/32/photo", "/feed", "/feed/", "\(path)/"] {
        #expect(try await web.get(other).status == 404, "\(other)")
      }
      #expect(try await web.get("/posts/31").status == 401)
    }
  }

  @Test func `a feed is read again only when something has changed, and its identifiers stay`() async throws {
    let clock = ManualKennelClock()
    try await withPrivateSite(clock: clock) { web, ada, cookie in
      try await web.addPicture(1, by: ada, caption: "Rex")
      let path = try await makeFeed(web, cookie)
      let answer = try await web.get(path)
      let before = try Reader.read(answer.data)
      let tag = ["If-None-Match": try #require(answer.field("ETag"))]
      let unchanged = try await web.get(path, tag)
      #expect(unchanged.status == 304 && unchanged.data.isEmpty)
      clock.advance(by: .seconds(3600))
      _ = try await web.store.posts.edit(1, PostChange(caption: "Max"), by: ada.id)
      let changed = try await web.get(path, tag)
      #expect(changed.status == 200)
      let after = try Reader.read(changed.data)
      #expect(text("id", before.feed) == text("id", after.feed))
      #expect(text("id", before.entries[0]) == text("id", after.entries[0]))
      #expect(text("published", before.entries[0]) == text("published", after.entries[0]))
      #expect(text("updated", before.entries[0]) == "2027-01-15T08:00:00Z")
      #expect(text("updated", after.entries[0]) == "2027-01-15T09:00:00Z")
      #expect(text("updated", after.feed) == "2027-01-15T09:00:00Z")
      for id in [text("id", after.feed), text("id", after.entries[0])] {
        #expect(
          id.wholeMatch(of: /urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
            != nil)
      }
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `the identifiers of a feed stay in a restored backup, and its address does not`() async throws {
    let directory = try TemporaryDirectory()
    var identifiers: [String] = []
    var path = ""
    try await withPrivateSite { web, ada, cookie in
      try await web.addPicture(1, by: ada, caption: "Rex")
      path = try await makeFeed(web, cookie)
      let reader = try Reader.read(try await web.get(path).data)
      identifiers = [text("id", reader.feed), text("id", reader.entries[0])]
      _ = try await web.store.backUp(to: .path(directory.path("kennel.tar")))
    }
    _ = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: directory.path("data"), configuration: .forTest)
    try await withPrivateSite(in: directory) { web, ada, cookie in
      #expect(try await web.get(path).status == 404)
      let reader = try Reader.read(try await web.get(try await makeFeed(web, cookie)).data)
      #expect([text("id", reader.feed), text("id", reader.entries[0])] == identifiers)
    }
  }

  @Test func `an address ends when it is renewed or ended, with the password and with the account`()
    async throws
  {
    try await withPrivateSite { web, ada, cookie in
      let cleo = try await web.store.addUser("Cleo", role: .viewer)
      let viewer = try await web.cookie("Cleo")
      let first = try await makeFeed(web, viewer)
      #expect(try await web.get(first).status == 200)
      let second = try await makeFeed(web, viewer)
      #expect(try await web.get(first).status == 404)
      #expect(try await web.get(second).status == 200)
      #expect(try await web.get("/you", viewer).json["feed"]?["created"]?.string != nil)
      #expect(try await web.post("/you/feed/end", json: "{}", viewer).status == 204)
      #expect(try await web.get(second).status == 404)
      #expect(try await web.get("/you", viewer).json["feed"] == .null)
      let third = try await makeFeed(web, viewer)
      try await web.store.accounts.setPassword("another password", of: cleo.id)
      #expect(try await web.get(third).status == 404)
      let fourth = try await web.store.accounts.makeFeed(for: cleo.id).text
      #expect(try await web.get("/feed/\(fourth)").status == 200)
      _ = try await web.store.accounts.removeUser(cleo.id)
      let gone = try await web.get("/feed/\(fourth)")
      #expect(gone.status == 404 && gone.field("Content-Type") == "application/problem+json")
      #expect(!gone.text.contains(fourth))
    }
  }

  @Test func `addresses are stored hashed, not logged, and cannot be guessed often`() async throws {
    try await withPrivateSite { web, ada, cookie in
      let token = try await web.store.accounts.makeFeed(for: ada.id)
      #expect("\(token)" == "SecretToken(…)")
      let stored = try await web.store.database.read { connection throws(KennelError) in
        try connection.rows("SELECT token FROM feeds") { $0.blob(0) }
      }
      #expect(stored == [token.digest])
      for path in ["/feed/\(token.text)", "/feed/\(token.text)/3/thumbnail", "/fee%64/\(token.text)/x/y"] {
        #expect(!KennelSite.loggedPath(path).contains(token.text), "\(path)")
      }
      #expect(!(try await web.get("/metrics", cookie).text.contains(token.text)))
      var statuses: Set<Int> = []
      for _ in 0..<22 {
        statuses.insert(try await web.get("/feed/\(String(repeating: "A", count: 43))").status)
      }
      #expect(statuses == [404, 429])
      #expect(try await web.get("/feed/\(token.text)").status == 429)
      // The guesses do not affect secret links.
      #expect(try await web.get("/s/\(String(repeating: "A", count: 43))").status == 404)
    }
  }

  @Test func `the page shows a new address once, and other sites cannot make one`() async throws {
    try await withPrivateSite { web, ada, cookie in
      let browser = html.merging(cookie) { $1 }
      #expect(try await web.get("/you", browser).text.contains("Make an address"))
      let form = browser.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
      let foreign = form.merging(["Sec-Fetch-Site": "cross-site"]) { $1 }
      #expect(try await web.ask("POST", "/you/feed", foreign, body: Data()).status == 403)
      let made = try await web.ask("POST", "/you/feed", form, body: Data())
      #expect(made.status == 201 && made.field("Cache-Control") == "no-store")
      let address = try #require(made.text.firstMatch(of: /value="(http:[^"]*\/feed\/[\w-]{43})"/)?.1)
      let path = String(try #require(address.firstMatch(of: /\/feed\/.*/)?.0))
      #expect(try await web.get(path).status == 200)
      let page = try await web.get("/you", browser).text
      #expect(page.contains("Make a new address") && !page.contains(path))
      #expect(try await web.ask("POST", "/you/feed/end", foreign, body: Data()).status == 403)
      let ended = try await web.ask("POST", "/you/feed/end", form, body: Data())
      #expect([200, 303].contains(ended.status))
      #expect(try await web.get(path).status == 404)
    }
  }

  @Test func `a feed without photos has the date of its address`() async throws {
    try await withPrivateSite { web, ada, cookie in
      let reader = try Reader.read(try await web.get(try await makeFeed(web, cookie)).data)
      #expect(reader.entries == [])
      #expect(text("updated", reader.feed) == "2027-01-15T08:00:00Z")
    }
  }
}
