import Foundation
import KennelTestSupport
import RetrieverImages
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebPreviewTests {
  private let browser = ["Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"]

  private func property(_ name: String, _ answer: SiteFixture.Answer) -> String? {
    for match in answer.text.matches(of: /<meta (?:property|name)="([^"]*)" content="([^"]*)">/)
    where match.1 == name {
      return String(match.2.replacing("&amp;", with: "&"))
    }
    return nil
  }

  @Test func `links to the pages of an open kennel have a preview`() async throws {
    try await withSite {
      $0.title = "Dogs & \"friends\""
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, caption: "Rex <b>\"\nsecond line", width: 400, height: 100)
      let site = "http://127.0.0.1:\(web.port)"
      for (path, title) in [
        ("/", "Dogs & &quot;friends&quot;"), ("/photos/1", "Rex &lt;b&gt;&quot;"),
        ("/people/1/photos", "Photos by Ada"),
      ] {
        let page = try await web.get(path, browser)
        #expect(property("og:title", page) == title, "\(path)")
        #expect(property("og:site_name", page) == "Dogs & &quot;friends&quot;")
        #expect(property("og:url", page) == site + path)
        #expect(property("twitter:card", page) == "summary_large_image")
        let address = try #require(property("og:image", page))
        #expect(address.hasPrefix(site + "/"))
        let picture = try await web.get(String(address.dropFirst(site.count)))
        #expect(picture.field("Content-Type") == property("og:image:type", page))
        let image = try #require(UIImage(data: picture.data))
        #expect(property("og:image:width", page) == "\(Int(image.size.width))")
        #expect(property("og:image:height", page) == "\(Int(image.size.height))")
      }
      for path in ["/hearts", "/search?q=rex", "/nothing"] {
        #expect(!(try await web.get(path, browser).text.contains("og:")), "\(path)")
      }
      // Crawlers do not sign in.
      let signedIn = browser.merging(try await web.cookie("Ada")) { $1 }
      #expect(!(try await web.get("/photos/1", signedIn).text.contains("og:")))
    }
  }

  @Test func `a preview has the name with which the page was requested`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada)
      for _ in 0..<2 {
        for host in ["127.0.0.1:\(web.port)", "localhost:\(web.port)", "127.0.0.1:99"] {
          let page = try await web.get("/photos/1", browser.merging(["Host": host]) { $1 })
          #expect(property("og:url", page) == "http://\(host)/photos/1")
          let tag = try #require(page.field("ETag"))
          let other = ["Host": "127.0.0.1:98", "If-None-Match": tag]
          #expect(try await web.get("/photos/1", browser.merging(other) { $1 }).status == 200)
        }
      }
    }
  }

  @Test func `pages of a private kennel have no preview, and those of secret links have one`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      try await web.addPicture(1, by: ada, caption: "Rex")
      let signedIn = browser.merging(try await web.cookie("Ada")) { $1 }
      for path in ["/", "/photos/1", "/people/1/photos"] {
        for fields in [browser, signedIn] {
          #expect(!(try await web.get(path, fields).text.contains("og:")), "\(path)")
        }
      }
      let token = try await web.store.posts.makeLink(to: .post(1), by: ada.id, lifetime: nil).token.text
      let page = try await web.get("/s/\(token)", browser)
      #expect(property("og:title", page) == "Rex")
      #expect(property("og:url", page) == nil)
      let site = "http://127.0.0.1:\(web.port)"
      let address = try #require(property("og:image", page))
      #expect(address.hasPrefix("\(site)/s/\(token)/"))
      let picture = try await web.get(String(address.dropFirst(site.count)))
      #expect(picture.status == 200 && picture.field("Content-Type") == "image/jpeg")
      #expect(!(try await web.get("/s/\(String(repeating: "A", count: 43))", browser).text.contains("og:")))
    }
  }
}
