import Foundation
import KennelTestSupport
import RetrieverImages
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// The pictures of people over HTTP.
@Suite(.timeLimit(.minutes(5))) struct WebUserPictureTests {
  private static let page = ["Accept": "text/html"]

  /// Returns the address of the first picture in a page, or nil if there is none.
  private static func picture(in text: String) -> String? {
    text.firstMatch(of: #/\/people\/\d+\/picture\?v=\d+/#).map { String($0.output) }
  }

  private static func put(
    _ number: Int, _ web: SiteFixture, _ fields: [String: String]
  ) async throws -> SiteFixture.Answer {
    let fields = fields.merging(["Content-Type": "image/jpeg"]) { $1 }
    return try await web.ask(
      "PUT", "/you/picture", fields, body: try SiteFixture.jpeg(number, width: 400, height: 300))
  }

  @Test func `a program sets, gets and removes the own picture`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser()
      let fields = try await web.cookie()
      #expect(try await web.get("/you", fields).json["picture"] == .null)
      #expect(try await web.get("/people/\(ada.id)/picture", fields).status == 404)
      #expect(try await Self.put(1, web, fields).status == 204)
      let address = try #require(try await web.get("/you", fields).json["picture"]?.string)
      let answer = try await web.get(address, fields)
      #expect(answer.status == 200 && answer.field("Content-Type") == "image/jpeg")
      #expect(answer.field("Cache-Control") == "private, max-age=31536000, immutable")
      #expect(UIImage(data: answer.data)?.size.width == 256)
      let tag = try #require(answer.field("ETag"))
      #expect(try await web.get(address, fields.merging(["If-None-Match": tag]) { $1 }).status == 304)

      #expect(try await Self.put(2, web, fields).status == 204)
      let next = try #require(try await web.get("/you", fields).json["picture"]?.string)
      #expect(next != address)
      // A page that was loaded before the change gets the present picture, and does not keep it.
      let old = try await web.get(address, fields)
      let present = try await web.get(next, fields)
      #expect(old.data == present.data && old.data != answer.data)
      #expect(old.field("Cache-Control") == "private, no-cache")
      #expect(try await web.ask("DELETE", "/you/picture", fields).status == 204)
      #expect(try await web.get(next, fields).status == 404)
      #expect(try await web.get("/you", fields).json["picture"] == .null)
    }
  }

  @Test func `pages show a change with the next request`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      try await web.addPicture(1, by: ada)
      _ = try await web.store.posts.addComment("Good dog", to: 1, author: ada.id)
      let fields = try await web.cookie().merging(Self.page) { $1 }
      let paths = ["/photos/1", "/people/1/photos", "/people", "/people/1", "/you", "/"]
      var seen: Set<String> = []
      for number in 1...3 {
        var tags: [String: String] = [:]
        for path in paths {
          let before = try await web.get(path, fields)
          #expect(Self.picture(in: before.text) == nil || number > 1, "\(path)")
          tags[path] = before.field("ETag")
        }
        #expect(try await Self.put(number, web, try await web.cookie()).status == 204)
        let address = try #require(try await web.get("/you", try await web.cookie()).json["picture"]?.string)
        #expect(seen.insert(address).inserted)
        for path in paths {
          var known = fields
          if let tag = tags[path] { known["If-None-Match"] = tag }
          let after = try await web.get(path, known)
          #expect(after.status == 200 && Self.picture(in: after.text) == address, "\(path)")
        }
        // A stranger sees it next to the photo and the comment, but has no account of their own.
        let photo = try await web.get("/photos/1", Self.page).text
        #expect(
          photo.matches(of: #/\/people\/1\/picture\?v=\d+/#).map { String($0.output) } == [address, address])
        #expect(try await web.get("/people/1/photos", Self.page).text.contains(address))
        #expect(try await web.get(address).status == 200)
      }
    }
  }

  @Test func `a closed kennel shows pictures to nobody without an account`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      let ada = try await web.store.addUser()
      _ = try await web.store.addUser("Ben")
      try await web.addPicture(1, by: ada)
      #expect(try await Self.put(1, web, try await web.cookie()).status == 204)
      let address = try #require(try await web.get("/you", try await web.cookie()).json["picture"]?.string)
      #expect(try await web.get(address).status == 401)
      #expect(try await web.get(address, try await web.cookie("Ben")).status == 200)
      let peer = try await web.store.accounts.addPeer("Hounds").text
      let bearer = ["Authorization": "Bearer \(peer)"]
      #expect(try await web.get(address, bearer).status == 403)
      let posts = try await web.get("/peer/posts", bearer)
      #expect(posts.status == 200 && Self.picture(in: posts.text) == nil)
      let feed = try await web.store.accounts.makeFeed(for: ada.id).text
      let atom = try await web.get("/feed/\(feed)").text
      #expect(atom.contains("Ada") && Self.picture(in: atom) == nil)
      // Who has a link sees the photo and the name.
      let link = try await web.store.posts.makeLink(to: .post(1), by: ada.id, lifetime: nil).token.text
      let shared = try await web.get("/s/\(link)", Self.page).text
      #expect(shared.contains("Ada") && Self.picture(in: shared) == nil)
    }
  }

  @Test func `files that cannot be a picture are refused, and nothing is kept`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser()
      let fields = try await web.cookie()
      func put(_ type: String, _ body: Data) async throws -> SiteFixture.Answer {
        try await web.ask(
          "PUT", "/you/picture", fields.merging(["Content-Type": type]) { $1 }, body: body)
      }
      #expect(try await put("text/plain", Data("dog".utf8)).status == 415)
      let text = try await put("image/jpeg", Data("not a photo".utf8))
      #expect(
        try text.status == 415
          && text.json["detail"]?.string?.hasPrefix("The picture must be a photo.") == true)
      #expect(try await put("image/jpeg", Data()).status == 422)
      #expect(try await put("image/jpeg", Data(count: UserPicture.maximumUploadSize + 1)).status == 413)
      #expect(try await put("multipart/form-data; boundary=b", Data("--b--\r\n".utf8)).status == 422)
      #expect(try await web.get("/you", fields).json["picture"] == .null)
      #expect(try await eventually { try web.store.incomingFiles().isEmpty })
      #expect(
        try await web.ask("PUT", "/you/picture", ["Content-Type": "image/jpeg"], body: Data()).status == 401)
    }
  }

  @Test func `the form works without scripts, and shows what is wrong`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser()
      let fields = try await web.cookie().merging(Self.page) {
        $1
      }.merging(["Content-Type": "multipart/form-data; boundary=b"]) { $1 }
      func form(_ file: Data) -> Data {
        Data("--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n\r\n".utf8) + file
          + Data("\r\n--b--\r\n".utf8)
      }
      let wrong = try await web.ask("POST", "/you/picture", fields, body: form(Data("not a photo".utf8)))
      #expect(wrong.status == 415 && wrong.field("Content-Type") == "text/html; charset=utf-8")
      #expect(wrong.text.contains(#"id="you-picture-error" role="alert">The picture must be a photo."#))
      #expect(
        wrong.text.contains(
          #"aria-describedby="you-picture-hint you-picture-error" aria-invalid="true" autofocus"#))
      // The client follows to the page of the account.
      let set = try await web.ask(
        "POST", "/you/picture", fields, body: form(try CameraPhoto.jpeg(1, width: 400, height: 300)))
      #expect(set.status == 200 && set.text.contains("Your picture is changed."))
      let address = try #require(Self.picture(in: set.text))
      let jpeg = try await web.get(address, fields).data
      #expect(!CameraPhoto.isLeaking(jpeg))
      let removed = try await web.ask("POST", "/you/picture/remove", fields, body: Data())
      #expect(removed.status == 200 && Self.picture(in: removed.text) == nil)
    }
  }

  @Test func `an owner removes the picture of another person`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Olga", role: .owner)
      let ada = try await web.store.addUser("Ada")
      #expect(try await Self.put(1, web, try await web.cookie("Ada")).status == 204)
      let path = "/people/\(ada.id)/picture"
      #expect(try await web.ask("DELETE", path, try await web.cookie("Ada")).status == 403)
      let olga = try await web.cookie("Olga")
      let people = try await web.get("/people", olga)
      #expect(Self.picture(in: people.text) != nil)
      let page = try await web.get("/people/\(ada.id)", olga.merging(Self.page) { $1 }).text
      #expect(page.contains(#"action="/people/2/picture/remove""#))
      #expect(try await web.ask("DELETE", path, olga).status == 204)
      #expect(try await web.get(path, olga).status == 404)
      let after = try await web.get("/people/\(ada.id)", olga.merging(Self.page) { $1 }).text
      #expect(!after.contains("/picture/remove"))
    }
  }
}
