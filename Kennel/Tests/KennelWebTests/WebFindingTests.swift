import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebFindingTests {
  private let browser = ["Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"]

  private func ids(_ answer: SiteFixture.Answer) throws -> [Int] {
    guard case .array(let posts)? = try answer.json["posts"] else { return [] }
    return posts.compactMap { $0["id"]?.number }
  }

  @Test func `a search is a page for browsers and a list for programs`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, caption: "Rex <b>&amp;")
      try await web.addPicture(2, by: ada, caption: "Luna")
      let list = try await web.get("/search?q=re")
      #expect(list.status == 200 && list.field("Content-Type") == "application/json")
      #expect(try ids(list) == [1])
      let json = try list.json
      #expect(json["next"] == .null)
      #expect(json["posts"]?[0] == (try await web.get("/posts/1").json))

      let page = try await web.get("/search?q=re", browser)
      #expect(page.status == 200 && page.field("Content-Type") == "text/html; charset=utf-8")
      #expect(page.text.contains("data-post=\"1\"") && !page.text.contains("data-post=\"2\""))
      #expect(page.text.contains("value=\"re\"") && page.text.contains("<title>“re” · Kennel</title>"))
      for answer in [list, page] {
        #expect(answer.field("Cache-Control") == "private, no-cache")
        #expect(answer.field("Vary")?.contains("Accept") == true)
      }
      #expect(list.field("ETag") != page.field("ETag"))
      for (answer, fields) in [(list, [:]), (page, browser)] {
        let tag = try #require(answer.field("ETag"))
        let path = "/search?q=re"
        #expect(try await web.get(path, fields.merging(["If-None-Match": tag]) { $1 }).status == 304)
        #expect(
          try await web.get(path + "x", fields.merging(["If-None-Match": tag]) { $1 }).status == 200)
      }
    }
  }

  @Test func `a search that finds nothing explains what can be found`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, caption: "Rex")
      for (path, title) in [
        ("/search", "Find photos"), ("/search?q=", "Find photos"), ("/search?q=%22", "Find photos"),
        ("/search?q=nothing", "Nothing found"),
      ] {
        let page = try await web.get(path, browser)
        #expect(page.status == 200 && page.text.contains("<h2>\(title)</h2>"), "\(path)")
        #expect(try ids(try await web.get(path)) == [])
      }
      for path in [
        "/search?q=" + String(repeating: "a", count: 201), "/search?q=" + String(repeating: "a+", count: 13),
      ] {
        #expect(try await web.get(path).status == 422)
        let page = try await web.get(path, browser)
        #expect(page.status == 422 && page.text.contains("<h1>"))
      }
      for text in ["%00", "%22%22", "%28", "NEAR(", "%27;--", "a%00b", "*", "%F0%9F%90%B6", "caption:rex"] {
        #expect(try await web.get("/search?q=\(text)").status == 200, "\(text)")
      }
    }
  }

  @Test func `a client with too many searches is asked to wait`() async throws {
    try await withSite { web in
      let mayEnd = TestSupport.Gate()
      let searches = (0..<web.store.posts.searches.maximumCountPerClient).map { _ in
        Task {
          try await web.store.posts.searches.run(for: "127.0.0.1") { () async throws(KennelError) in
            await mayEnd.wait()
          }
        }
      }
      #expect(await eventually { web.store.posts.searches.count(of: "127.0.0.1") == searches.count })
      for fields in [[:], browser] {
        let answer = try await web.get("/search?q=rex", fields)
        #expect(answer.status == 429 && answer.field("Retry-After") == "1")
      }
      mayEnd.open()
      for search in searches { _ = try await search.value }
      #expect(try await web.get("/search?q=rex").status == 200)
    }
  }

  @Test func `what is searched for is escaped in the page and its links`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...31 { try await web.addPicture(number, by: ada, caption: "q script alert 1 script") }
      let query = "q%22%3E%3Cscript%3Ealert(1)%3C/script%3E%26%23%2B"
      let page = try await web.get("/search?q=\(query)", browser)
      #expect(!page.text.contains("<script>alert"))
      #expect(page.text.contains("value=\"q&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;#+\""))
      let next = try #require(page.text.firstMatch(of: /rel="next" href="([^"]*)"/)?.1)
      let path = next.replacing("&amp;", with: "&")
      let older = try await web.get(String(path), browser)
      #expect(older.text.matches(of: /<li class="tile/).count == 1)
      #expect(older.text.contains("Newest photos"))
    }
  }

  @Test func `lists are read page by page`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...5 { try await web.addPicture(number, by: ada, caption: "Rex") }
      for path in ["/search?q=rex", "/people/1/photos"] {
        let separator = path.contains("?") ? "&" : "?"
        let first = try await web.get("\(path)\(separator)limit=2")
        #expect(try ids(first) == [5, 4])
        let next = try #require(try first.json["next"]?.string)
        #expect(first.field("Link") == "<\(path)\(separator)before=\(next)&limit=2>; rel=\"next\"")
        #expect(try ids(try await web.get("\(path)\(separator)before=\(next)&limit=9")) == [3, 2, 1])
        #expect(try await web.get("\(path)\(separator)limit=0").status == 400)
        #expect(try await web.get("\(path)\(separator)before=x").status == 400)
      }
    }
  }

  @Test func `a person's page shows the person's photos, and photos link to it`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada <i>")
      let ben = try await web.store.addUser("Ben")
      try await web.addPicture(1, by: ada, caption: "Rex")
      try await web.addPicture(2, by: ben, caption: "Luna")
      let page = try await web.get("/people/\(ada.id)/photos", browser)
      #expect(page.text.contains("Photos by <bdi>Ada &lt;i&gt;</bdi>"))
      #expect(page.text.contains("data-post=\"1\"") && !page.text.contains("data-post=\"2\""))
      #expect(try ids(try await web.get("/people/\(ben.id)/photos")) == [2])
      #expect(try await web.get("/photos/1", browser).text.contains("href=\"/people/\(ada.id)/photos\""))
      #expect(
        try await web.get("/posts/1").json["links"]?["author"]?.string == "/people/\(ada.id)/photos")
      // A person without photos is not shown to others.
      let cleo = try await web.store.addUser("Cleo", role: .viewer)
      for path in ["/people/\(cleo.id)/photos", "/people/99/photos"] {
        #expect(try await web.get(path).status == 404)
        #expect(!(try await web.get(path, browser).text.contains("Cleo")))
      }
      let own = try await web.get(
        "/people/\(cleo.id)/photos", browser.merging(try await web.cookie("Cleo")) { $1 })
      #expect(own.status == 200 && own.text.contains("No photos yet"))
    }
  }

  @Test func `a changed name or caption changes what a search answers`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, caption: "Rex")
      #expect(try ids(try await web.get("/search?q=rex")) == [1])
      let page = try await web.get("/people/1/photos", browser)
      let tag = ["If-None-Match": try #require(page.field("ETag"))]
      try await web.store.accounts.rename(ada.id, to: "Adele")
      let renamed = try await web.get("/people/1/photos", browser.merging(tag) { $1 })
      #expect(renamed.status == 200 && renamed.text.contains("Adele"))
      #expect(try ids(try await web.get("/search?q=adele")) == [1])
      try await web.store.posts.moveToBin(1, by: ada.id)
      #expect(try ids(try await web.get("/search?q=rex")) == [])
      #expect(try await web.get("/people/1/photos").status == 404)
    }
  }

  @Test func `the field is on the pages of those who may search`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      _ = try await web.store.addUser("Ada", role: .owner)
      let ada = browser.merging(try await web.cookie("Ada")) { $1 }
      for path in ["/", "/hearts", "/you", "/deleted", "/nothing"] {
        #expect(try await web.get(path, ada).text.contains("id=\"bar-search\""), "\(path)")
        #expect(!(try await web.get(path, browser).text.contains("id=\"bar-search\"")), "\(path)")
      }
      // The page of the search has one field.
      #expect(try await web.get("/search", ada).text.matches(of: /type="search"/).count == 1)
    }
  }
}
