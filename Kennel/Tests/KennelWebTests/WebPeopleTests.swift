import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// Roles, and what owners do with the accounts of others.
@Suite(.timeLimit(.minutes(5))) struct WebPeopleTests {
  /// Runs a closed kennel with the owner Ada, the member Ben, the viewer Cleo, and a post of each.
  private func withFamily(
    _ change: (inout KennelSite.Configuration) -> Void = { _ in },
    _ body: (SiteFixture, _ ada: User, _ ben: User, _ cleo: User) async throws -> Void
  ) async throws {
    try await withSite {
      $0.isOpenToEveryone = false
      change(&$0)
    } _: { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      let ben = try await web.store.addUser("Ben")
      let cleo = try await web.store.addUser("Cleo", role: .viewer)
      for (number, user) in [ada, ben, cleo].enumerated() { try await web.addPicture(number, by: user) }
      try await body(web, ada, ben, cleo)
    }
  }

  @Test(arguments: User.Role.allCases)
  func `each route is for the roles that it states`(role: User.Role) async throws {
    try await withFamily { web, ada, ben, cleo in
      let user = [ada, ben, cleo].first { $0.role == role }
      let name = try #require(user?.name)
      for route in Endpoints.router.routes where route.name != "/events" {
        var fields = SiteFixture.basic(name)
        fields["Content-Type"] = "application/json"
        let body = route.method == .get ? nil : Data("{}".utf8)
        let path = route.path()
        let answer = try await web.ask(route.method.rawValue, path, fields, body: body)
        let isRefused = answer.status == 403 && answer.text.contains(route.access.refusal)
        #expect(isRefused == !route.access.admits(role), "\(route.method) \(route.name)")
        #expect(answer.status != 401 || route.name == "/session", "\(route.method) \(route.name)")
      }
      #expect(try await web.store.accounts.users().count == 3)
    }
  }

  @Test func `owners see what the photos use and what is free on the disk`() async throws {
    try await withFamily { web, _, _, _ in
      var fields = SiteFixture.basic("Ada")
      fields["Accept"] = "text/html"
      let page = try await web.ask("GET", "/people", fields).text
      #expect(page.contains("The photos use ") && page.contains(" are free on the disk."), "\(page)")
    }
  }

  @Test func `little space on the disk is a warning`() {
    func text(_ free: Int64) -> String {
      StorageUsage(
        photoBytes: 1_500_000, disk: FileCalls.Space(free: free, total: 50_000_000_000), words: .english
      ).html.text
    }
    #expect(text(40_000_000_000).contains("The photos use 1.5 MB. 40 GB of 50 GB are free on the disk.</p>"))
    #expect(text(900_000_000).contains("900 MB of 50 GB are free on the disk. Free some disk space soon"))
    #expect(
      StorageUsage(photoBytes: 1000, disk: nil, words: .english).html.text.contains(
        "The photos use 1 kB. </p>"))
  }

  @Test func `the routes of owners and of those who share are these`() {
    let names = { (access: Access) in
      Set(Endpoints.router.routes.filter { $0.access == access }.map { "\($0.method) \($0.name)" })
    }
    #expect(
      names(.sharers)
        == [
          "POST /albums", "POST /albums/{id}/links", "POST /albums/{id}/posts", "POST /posts",
          "POST /uploads", "GET /uploads/{name}", "PATCH /uploads/{name}", "DELETE /uploads/{name}",
          "POST /uploads/{name}",
        ])
    let people = names(.owners).subtracting(["GET /visibility", "PUT /visibility"])
    #expect(people.allSatisfy { $0.contains(" /people") } && people.count == 10)
  }

  @Test func `a viewer sees no button for sharing`() async throws {
    try await withFamily { web, ada, ben, cleo in
      for (user, isShown) in [(ada, true), (ben, true), (cleo, false)] {
        let browser = try await FormClient(web.site, signedInAs: user, in: web.store)
        for path in ["/", "/hearts", "/photos/1", "/you"] {
          let page = try await browser.get(path)
          #expect(page.text.contains("data-upload") == isShown, "\(user.name) \(path)")
          #expect(page.text.contains("href=\"/people\"") == (user.role == .owner))
          #expect(page.text.contains("data-role=\"\(user.role.rawValue)\""))
        }
      }
      #expect(try await web.ask("PUT", "/posts/1/favourite", SiteFixture.basic("Cleo")).status == 200)
      let comment = try await web.post(
        "/posts/1/comments", json: #"{"text":"Nice"}"#, SiteFixture.basic("Cleo"))
      #expect(comment.status == 201)
      #expect(try await web.ask("DELETE", "/posts/3", SiteFixture.basic("Cleo")).status == 204)
    }
  }

  @Test func `a viewer cannot upload, and a member who becomes one cannot either`() async throws {
    try await withFamily { web, _, ben, _ in
      func upload(_ name: String) async throws -> Int {
        var fields = SiteFixture.basic(name)
        fields["Content-Type"] = "image/jpeg"
        return try await web.ask("POST", "/posts", fields, body: try SiteFixture.jpeg(9)).status
      }
      #expect(try await upload("Cleo") == 403)
      #expect(try await upload("Ben") == 201)
      try await web.store.accounts.setRole(.viewer, of: ben.id)
      #expect(try await upload("Ben") == 403)
    }
  }

  // MARK: Owners

  @Test func `an owner invites, and the link is shown once`() async throws {
    try await withFamily { web, ada, _, _ in
      try await web.store.setLinkAddress("http://192.0.2.7:8080")
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let made = try await browser.post("/people/invitations", ["role": "viewer", "days": "30"])
      #expect(made.status == 201 && made.fields["Cache-Control"] == "no-store")
      #expect(made.text.contains("<svg class=\"code\""))
      // The owner's own address, localhost, is of no use on other devices.
      let link = try #require(
        made.text.firstMatch(of: /value="http:\/\/192\.0\.2\.7:8080(\/join\/[\w-]{43})"/))
      let list = try await browser.get("/people")
      #expect(list.text.contains("Open invitations") && !list.text.contains(String(link.1)))
      let invitations = try await browser.json("/people")["invitations"]
      #expect(invitations?[0]?["role"]?.string == "viewer")
      let dora = try await FormClient(web.site)
      #expect(
        try await dora.post(String(link.1), ["name": "Dora", "password": "correct horse"]).status == 303)
      #expect(try await browser.json("/people")["invitations"]?.count == 0)
      #expect(try await browser.get("/people").text.contains("<bdi>Dora</bdi>"))
    }
  }

  @Test func `an invitation is revoked`() async throws {
    try await withFamily { web, ada, _, _ in
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let made = try await browser.post("/people/invitations", json: #"{"role":"member","days":1}"#)
      #expect(made.status == 201)
      let json = try JSONDecoder().decode(JSONValue.self, from: Data(made.text.utf8))
      let link = try #require(json["link"]?.string)
      #expect(link.hasPrefix("http://localhost:8080/join/"))
      let id = try #require(json["id"]?.number)
      let path = String(link.dropFirst("http://localhost:8080".count))
      let stranger = try await FormClient(web.site)
      #expect(try await stranger.get(path).status == 200)
      #expect(try await browser.post("/people/invitations/\(id)/revoke").location == "/people?done=revoked")
      #expect(try await stranger.get(path).status == 404)
    }
  }

  @Test(arguments: [
    #"{"role":"king"}"#, #"{}"#, #"{"role":"member","days":0}"#, #"{"role":"member","days":91}"#,
    #"{"role":"member","days":"x"}"#,
  ])
  func `an invalid invitation is refused`(json: String) async throws {
    try await withFamily { web, ada, _, _ in
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      #expect(try await browser.post("/people/invitations", json: json).status == 422)
      #expect(try await web.store.accounts.invitations().isEmpty)
    }
  }

  @Test func `the last owner stays`() async throws {
    try await withFamily { web, ada, ben, _ in
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let demoted = try await browser.post("/people/\(ada.id)/role", ["role": "member"])
      #expect(demoted.status == 403 && demoted.text.contains("This user is the only owner."))
      let removed = try await browser.post("/people/\(ada.id)/remove", ["content": "removed", "sure": "yes"])
      #expect(removed.status == 403 && removed.text.contains("This user is the only owner."))
      #expect(try await browser.post("/people/\(ben.id)/role", ["role": "owner"]).status == 303)
      #expect(try await browser.post("/people/\(ada.id)/role", ["role": "viewer"]).status == 303)
      #expect(try await browser.get("/people").status == 403)
    }
  }

  @Test func `content is only deleted with an account if that was chosen`() async throws {
    try await withFamily { web, ada, ben, _ in
      try await web.store.accounts.setRole(.owner, of: ben.id)
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      for content in [#""content":"keep","#, ""] {
        let answer = try await browser.post("/people/\(ben.id)/remove", json: "{\(content)\"sure\":true}")
        #expect(answer.status == 422 && answer.text.contains("Choose what happens"), "\(content)")
      }
      let own = try await browser.post("/people/\(ada.id)/remove", json: #"{"content":"kept","sure":true}"#)
      #expect(own.status == 422 && own.text.contains("Your own posts and comments cannot be kept"))
      // The page had no choice, because there was nothing when it was made.
      let shown = try await browser.post("/people/\(ben.id)/remove", ["sure": "yes"])
      #expect(shown.status == 422 && shown.text.contains("Keep the 1 photo, under your name"))
      #expect(try await web.store.posts.page().count == 3)
      #expect(try await web.store.accounts.users().count == 3)
    }
  }

  @Test func `an owner who was demoted while the body arrived changes nothing`() async throws {
    let clock = ManualKennelClock()
    try await withSite(clock: clock.clock) { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      let ben = try await web.store.addUser("Ben", role: .owner)
      let token = try await web.store.accounts.beginSession(of: ada.id).token.text
      for path in ["/people/\(ada.id)/role", "/people/invitations"] {
        try await web.store.accounts.setRole(.owner, of: ada.id)
        let text = Data(#"{"role":"owner"}"#.utf8)
        let channel = UploadChannel(highWaterMark: 1 << 16) {}
        _ = text.prefix(5).withUnsafeBytes { channel.append($0) }
        let request = try self.request(
          path, ["Cookie": "kennel=" + token], HTTPRequestBody(channel: channel, announcedLength: 16))
        async let answer = web.site.respond(to: request)
        // The site has admitted Ada when it reads the body.
        #expect(await eventually { channel.bufferedCount == 0 })
        clock.advance(by: .seconds(30))
        try await web.store.accounts.setRole(.member, of: ada.id)
        _ = text.dropFirst(5).withUnsafeBytes { channel.append($0) }
        channel.finish(.complete)
        #expect(await answer.status == .forbidden)
      }
      #expect(try await web.store.accounts.user(ada.id)?.role == .member)
      #expect(try await web.store.accounts.invitations().isEmpty)
      #expect(try await web.store.accounts.user(ben.id)?.role == .owner)
    }
  }

  private func request(_ path: String, _ fields: HTTPFields, _ body: HTTPRequestBody) throws -> HTTPRequest {
    let all: HTTPFields = ["Host": "localhost", "Content-Type": "application/json"]
    var request = try HTTPRequest(method: .post, target: path, fields: all)
    for field in fields { request.fields.append(field.name, field.value) }
    request.body = body
    return request
  }

  @Test func `a person is removed with or without what is theirs`() async throws {
    try await withFamily { web, ada, ben, cleo in
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let page = try await browser.get("/people/\(ben.id)")
      #expect(page.text.contains("Keep the 1 photo, under your name"))
      #expect(try await browser.post("/people/\(ben.id)/remove", ["content": "kept"]).status == 422)
      #expect(
        try await browser.post("/people/\(ben.id)/remove", ["content": "kept", "sure": "yes"]).status == 303)
      #expect(try await web.store.posts.post(2).authorName == "Ada")
      #expect(
        try await browser.post("/people/\(cleo.id)/remove", json: #"{"content":"removed","sure":true}"#)
          .status
          == 204)
      #expect(try await web.store.posts.page().map(\.id) == [2, 1])
      #expect(try await browser.get("/people/\(cleo.id)").status == 404)
    }
  }

  @Test func `an owner makes a link for a new password`() async throws {
    try await withFamily { web, ada, ben, _ in
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let made = try await browser.post("/people/\(ben.id)/reset")
      #expect(made.status == 201)
      let link = try #require(made.text.firstMatch(of: /value="http:\/\/localhost:8080(\/join\/[\w-]{43})"/))
      let stranger = try await FormClient(web.site)
      #expect(try await stranger.get(String(link.1)).text.contains("Set a new password"))
      #expect(try await browser.post("/people/99/reset").status == 404)
    }
  }

  @Test func `text of others is escaped on the pages`() async throws {
    try await withFamily { web, ada, _, _ in
      let name = "<img src=x>"
      let eve = try await web.store.addUser(name, role: .owner)
      _ = try await web.store.accounts.invite(.member, creator: eve.id)
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      for path in ["/people", "/people/\(eve.id)"] {
        let page = try await browser.get(path)
        #expect(page.text.contains("&lt;img src=x&gt;") && !page.text.contains("<img src=x"), "\(path)")
      }
      let own = try await FormClient(web.site, signedInAs: eve, in: web.store)
      for path in ["/you", "/welcome"] { #expect(try await !own.get(path).text.contains("<img src=x")) }
    }
  }

  // MARK: Proxies that sign users in

  @Test func `the user that a trusted proxy names is signed in`() async throws {
    try await withFamily {
      $0.trustedProxies = ["127.0.0.1"]
      $0.trustedUserField = "Remote-User"
    } _: { web, _, _, _ in
      #expect(try await web.get("/session", ["Remote-User": "ben"]).json["user"]?["name"]?.string == "Ben")
      #expect(try await web.get("/posts", ["remote-user": "Cleo"]).status == 200)
      #expect(try await web.get("/posts", ["Remote-User": "Eve"]).status == 401)
      #expect(try await web.get("/posts", ["Remote-User": ""]).status == 401)
      #expect(try await web.get("/people", ["Remote-User": "Ben"]).status == 403)
      // A name without an account does not prevent others from signing in.
      let cookie = try await web.cookie("Ada")
      #expect(try await web.get("/people", cookie.merging(["Remote-User": "Eve"]) { $1 }).status == 200)
      let evil = ["Remote-User": "Ben", "Sec-Fetch-Site": "cross-site"]
      #expect(try await web.ask("PUT", "/posts/1/favourite", evil).status == 403)
      let twice = try HTTPRequest(
        target: "/posts", fields: ["Host": "localhost", "Remote-User": "Eve", "Remote-User": "Ada"])
      #expect(await web.site.respond(to: twice).status == 400)
    }
  }

  @Test func `the field is ignored from others, and without the setting`() async throws {
    try await withFamily {
      $0.trustedProxies = ["192.0.2.1"]
      $0.trustedUserField = "Remote-User"
    } _: { web, _, _, _ in
      let plain = try await web.get("/posts", ["Remote-User": "Ada"])
      #expect(plain.status == 401)
      // The address in this field is the client's, and not that of the sender.
      let forged = ["Remote-User": "Ada", "X-Forwarded-For": "192.0.2.1"]
      #expect(try await web.get("/posts", forged).status == 401)
    }
    try await withFamily {
      $0.trustedProxies = ["127.0.0.1"]
    } _: { web, _, _, _ in
      let answer = try await web.get("/posts", ["Remote-User": "Ada"])
      #expect(answer.status == 401)
    }
  }
}
