import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// The owner's decision on the page, and other kennels in a closed kennel.
@Suite(.timeLimit(.minutes(5))) struct WebVisibilityTests {
  @Test func `owners decide who can see the photos`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      _ = try await web.store.addUser("Ben")
      try await web.addPicture(1, by: ada)
      let (owner, member) = (try await web.cookie("Ada"), try await web.cookie("Ben"))
      #expect(try await web.get("/visibility", owner).json["visibility"]?.string == "people")
      #expect(try await web.get("/", owner).text.contains("data-visibility"))
      #expect(try await !web.get("/", member).text.contains("data-visibility"))
      func decide(_ text: String, _ fields: [String: String]) async throws -> Int {
        let fields = fields.merging(["Content-Type": "application/json"]) { $1 }
        let body = Data(#"{"visibility":"\#(text)"}"#.utf8)
        return try await web.ask("PUT", "/visibility", fields, body: body).status
      }
      #expect(try await decide("everyone", member) == 403)
      #expect(try await web.get("/posts").status == 401)
      #expect(try await decide("everyone", owner) == 200)
      #expect(try await web.get("/posts").status == 200)
      #expect(try await decide("undecided", owner) == 422)
      #expect(try await decide("friends", owner) == 422)
      #expect(try await decide("people", owner) == 200)
      #expect(try await web.get("/posts").status == 401)
      try await web.store.setVisibility(.undecided)
      #expect(try await web.get("/visibility", owner).json["visibility"]?.string == "undecided")
    }
  }

  @Test func `another kennel needs a token, and hears only of new posts`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
      // The token of a kennel is not a field of a proxy.
      $0.ignoresAuthorization = true
    } _: { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      try await web.addPicture(1, by: ada)
      let origin = Post.Origin(kennel: "c.example", author: "Cleo", id: 1)
      let photo = try await web.store.photos.stage(try SiteFixture.jpeg(2))
      _ = try await web.store.posts.take(
        photo, facts: .small, caption: "", author: ada.id, origin: origin,
        key: PeerKey(address: "c.example"), created: Date(timeIntervalSince1970: 0))
      let refused = try await web.get("/peer/posts")
      #expect(refused.status == 401 && refused.text.contains("kennel peer add NAME"))
      let token = try await web.store.accounts.addPeer("Hounds")
      let fields = ["Authorization": "Bearer \(token.text)"]
      #expect(try await web.get("/peer/posts", fields).json["posts"]?.count == 1)
      #expect(try await web.get("/posts/1/photo", fields).status == 200)
      #expect(try await web.get("/posts/2/photo", fields).status == 404)
      let (bytes, _) = try await web.session.bytes(for: try web.request("GET", "/events", fields))
      var lines = bytes.lines.makeAsyncIterator()
      #expect(try await lines.next()?.contains("hello") == true)
      try await web.store.posts.setFavourite(true, post: 1, user: ada.id)
      _ = try await web.store.posts.addComment("Private", to: 1, author: ada.id)
      try await web.store.addPost(3, by: ada)
      #expect(try await lines.next()?.contains("\"kind\":\"post\"") == true)
      #expect(try await web.store.accounts.removePeer("Hounds"))
      try await web.store.addPost(4, by: ada)
      #expect(try await lines.next() == nil)
      let withdrawn = try await web.get("/peer/posts", fields)
      #expect(withdrawn.status == 401 && withdrawn.text.contains("withdrawn"))
      try await web.store.setVisibility(.everyone)
      #expect(try await web.get("/peer/posts").status == 200)
      #expect(try await web.get("/peer/posts", fields).status == 401)
    }
  }
}
