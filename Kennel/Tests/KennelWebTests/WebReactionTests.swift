import Foundation
import KennelTestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebReactionTests {
  @Test func heartsAreCountedOnce() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      _ = try await web.store.addUser("Ben")
      for number in 1...3 { try await web.store.addPost(number, by: ada) }
      let cookie = try await web.cookie("Ben")
      for _ in 0..<2 {
        let answer = try await web.ask("PUT", "/posts/2/favourite", cookie)
        #expect(answer.status == 200)
        #expect(answer.text == #"{"post":2,"favourites":1,"isFavourite":true,"event":4}"#)
      }
      #expect(try await web.ask("PUT", "/posts/3/favourite", SiteFixture.basic("Ada")).status == 200)
      #expect(try await web.ask("PUT", "/posts/9/favourite", cookie).status == 404)
      #expect(try await web.ask("PUT", "/posts/2/favourite").status == 401)
      #expect(try await web.get("/posts/2", cookie).json["isFavourite"] == .bool(true))
      #expect(try await web.get("/posts/2").json["isFavourite"] == .bool(false))
      let mine = try await web.get("/favourites", cookie).json
      #expect(mine["posts"]?.count == 1)
      #expect(mine["posts"]?[0]?["id"]?.number == 2)
      #expect(try await web.get("/favourites").status == 401)
      for _ in 0..<2 {
        let answer = try await web.ask("DELETE", "/posts/2/favourite", cookie)
        #expect(answer.text == #"{"post":2,"favourites":0,"isFavourite":false,"event":6}"#)
      }
    }
  }

  @Test func `concurrent hearts are all counted`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.store.addPost(1, by: ada)
      for number in 0..<10 { _ = try await web.store.addUser("User \(number)") }
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<30 {
          group.addTask {
            try await web.ask("PUT", "/posts/1/favourite", SiteFixture.basic("User \(number % 10)")).status
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(try await web.get("/posts/1").json["favourites"]?.number == 10)
    }
  }

  @Test func commentsAreWrittenReadAndDeleted() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      _ = try await web.store.addUser("Ben")
      try await web.store.addPost(1, by: ada)
      try await web.store.addPost(2, by: ada)
      let ben = try await web.cookie("Ben")
      let text = "<img src=x onerror=alert(1)> & \\\"\u{1F436}\n\u{0}"
      let json = String(decoding: try JSONEncoder().encode(["text": text]), as: UTF8.self)
      let first = try await web.post("/posts/1/comments", json: json, ben)
      #expect(first.status == 201)
      #expect(try first.json["text"]?.string == text)
      #expect(try first.json["author"]?.string == "Ben")
      let location = try #require(first.field("Location"))
      #expect(try await web.get(location).json["comments"]?[0]?["id"]?.number == 1)
      let plain = ben.merging(["Content-Type": "text/plain; charset=utf-8"]) { $1 }
      #expect(try await web.ask("POST", "/posts/1/comments", plain, body: Data("Schön!".utf8)).status == 201)
      let page = try await web.get("/posts/1/comments?limit=1").json
      #expect(page["comments"]?.count == 1)
      #expect(page["next"]?.number == 1)
      let rest = try await web.get("/posts/1/comments?limit=1&after=1").json
      #expect(rest["comments"]?[0]?["text"]?.string == "Schön!")
      #expect(rest["next"] == .null)
      // A comment can be deleted only at the address of its own post, and only with permission.
      #expect(try await web.ask("DELETE", "/posts/2/comments/1", ben).status == 404)
      #expect(try await web.ask("DELETE", "/posts/1/comments/1").status == 401)
      #expect(try await web.ask("DELETE", "/posts/1/comments/1", ben).status == 204)
      #expect(try await web.ask("DELETE", "/posts/1/comments/1", ben).status == 404)
      #expect(try await web.ask("DELETE", "/posts/1/comments/2", SiteFixture.basic("Ada")).status == 204)
      #expect(try await web.get("/posts/1/comments").text == #"{"comments":[],"next":null}"#)
      #expect(try await web.get("/posts/7/comments").status == 404)
    }
  }

  @Test func `invalid comments are refused`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.store.addPost(1, by: ada)
      let cookie = try await web.cookie()
      #expect(try await web.post("/posts/1/comments", json: #"{"text":" "}"#, cookie).status == 422)
      #expect(try await web.post("/posts/1/comments", json: #"{"texts":"x"}"#, cookie).status == 400)
      #expect(try await web.post("/posts/2/comments", json: #"{"text":"x"}"#, cookie).status == 404)
      let long = String(repeating: "x", count: 1001)
      #expect(try await web.post("/posts/1/comments", json: #"{"text":"\#(long)"}"#, cookie).status == 422)
      let plain = cookie.merging(["Content-Type": "text/plain"]) { $1 }
      #expect(try await web.ask("POST", "/posts/1/comments", plain, body: Data([0xFF])).status == 400)
      let html = cookie.merging(["Content-Type": "text/html"]) { $1 }
      #expect(try await web.ask("POST", "/posts/1/comments", html, body: Data("x".utf8)).status == 415)
    }
  }

  @Test func `comments after the first page are found page by page`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.store.addPost(1, by: ada)
      for number in 1...130 { _ = try await web.store.posts.addComment("\(number)", to: 1, author: ada.id) }
      let page = try await web.get("/photos/1").text
      let last = try #require(page.components(separatedBy: "data-comment=\"").last?.prefix { $0 != "\"" })
      var path = "/posts/1/comments?after=\(last)&limit=20"
      var texts: [String] = []
      for _ in 0..<2 {
        let answer = try await web.get(path)
        let json = try answer.json
        for index in 0..<(json["comments"]?.count ?? 0) {
          texts.append(json["comments"]?[index]?["text"]?.string ?? "")
        }
        guard let link = answer.field("Link") else { break }
        #expect(json["next"]?.number == 120)
        path = String(link.dropFirst().prefix { $0 != ">" })
        #expect(link == "<\(path)>; rel=\"next\"")
      }
      #expect(texts == (101...130).map(String.init))
      let none = try await web.get("/posts/1/comments?limit=0")
      #expect(none.status == 400)
      #expect(
        try none.json["detail"]?.string
          == "The parameter “limit” must be a number from 1 to 100, such as ?limit=50.")
    }
  }
}
