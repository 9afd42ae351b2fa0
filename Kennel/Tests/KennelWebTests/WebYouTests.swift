import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebYouTests {
  @Test func `a password is changed, and other devices are signed out`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let here = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let elsewhere = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let wrong = try await here.post(
        "/you/password", ["current": "wrong", "password": "another horse", "again": "another horse"])
      #expect(wrong.status == 422 && wrong.text.contains("This is not your present password."))
      #expect(wrong.text.contains(#"aria-describedby="you-current-error""#))
      #expect(!wrong.text.contains("another horse"))
      let differing = try await here.post(
        "/you/password", ["current": "correct horse", "password": "another horse", "again": "another house"])
      #expect(differing.status == 422 && differing.text.contains("The two passwords differ."))
      #expect(try await elsewhere.get("/you").status == 200)
      let changed = try await here.post(
        "/you/password", ["current": "correct horse", "password": "another horse", "again": "another horse"])
      #expect(changed.status == 303 && changed.location == "/you?done=password")
      let page = try await here.get("/you?done=password")
      #expect(page.status == 200 && page.text.contains(#"role="status">Your password is changed."#))
      #expect(page.fields["Cache-Control"] == "no-store")
      #expect(try await elsewhere.get("/you").status == 401)
      #expect(
        try await here.post("/you/password", json: #"{"current":"wrong","password":"third horse"}"#).status
          == 403)
      #expect(
        try await here.post("/you/password", json: #"{"current":"another horse","password":"third horse"}"#)
          .status
          == 204)
    }
  }

  @Test func `guesses of the present password are delayed`() async throws {
    try await withSite(clock: ManualKennelClock().clock) { web in
      let ada = try await web.store.addUser("Ada")
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      var last: FormClient.Answer?
      for number in 0..<11 {
        last = try await browser.post(
          "/you/password",
          ["current": "guess \(number)", "password": "another horse", "again": "another horse"])
      }
      #expect(last?.status == 429)
      #expect(last?.fields["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    }
  }

  @Test func `a name is changed on all pages`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      _ = try await web.store.addUser("Ben")
      try await web.addPicture(1, by: ada)
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let stranger = try await FormClient(web.site)
      #expect(try await stranger.get("/").text.contains("<bdi class=\"author\">Ada</bdi>"))
      let taken = try await browser.post("/you/name", ["name": "Ben"])
      #expect(taken.status == 409 && taken.text.contains("This name is already taken."))
      let changed = try await browser.post("/you/name", ["name": "Ada & Co"])
      #expect(changed.status == 303)
      #expect(try await stranger.get("/").text.contains("<bdi class=\"author\">Ada &amp; Co</bdi>"))
      #expect(try await browser.get("/you").text.contains(#"value="Ada &amp; Co""#))
      #expect(try await browser.post("/you/name", json: #"{"name":"Ada"}"#).status == 204)
    }
  }

  @Test func `devices are listed and signed out`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      let ben = try await web.store.addUser("Ben")
      let here = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let phone = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let tablet = try await FormClient(web.site, signedInAs: ada, in: web.store)
      let stranger = try await FormClient(web.site, signedInAs: ben, in: web.store)
      func ids() async throws -> [Int] {
        guard case .array(let sessions)? = try await here.json("/you")["sessions"] else { return [] }
        return sessions.filter { $0["isCurrent"] == .bool(false) }.compactMap { $0["id"]?.number }
      }
      let others = try await ids()
      #expect(others.count == 2)
      #expect(try await here.get("/you").text.contains("Sign out all other devices"))
      // Another user's sessions stay.
      #expect(try await stranger.post("/you/sessions/\(others[0])/end").status == 303)
      #expect(try await ids().count == 2)
      #expect(try await here.post("/you/sessions/\(others[0])/end").location == "/you?done=session")
      #expect(try await ids().count == 1)
      #expect(try await here.post("/you/sessions/end").location == "/you?done=sessions")
      #expect(try await ids().isEmpty)
      #expect(try await phone.get("/").status == 401)
      #expect(try await tablet.get("/").status == 401)
      #expect(try await stranger.get("/").status == 200)
      let own = try #require(try await here.json("/you")["sessions"]?[0]?["id"]?.number)
      let ending = try await here.post("/you/sessions/\(own)/end")
      #expect(ending.location == "/" && here.cookie == nil)
      #expect(try await here.get("/").status == 401)
    }
  }

  @Test func `nothing is changed for other sites`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      for fields in [["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"]] {
        let browser = try await FormClient(web.site, signedInAs: ada, in: web.store, fields)
        for route in Endpoints.router.routes where route.method == .post && route.access != .lookers {
          let path = route.path()
          let answer = try await browser.post(
            path,
            [
              "name": "Eve", "role": "owner", "sure": "yes", "current": "correct horse",
              "password": "of Eve's",
            ])
          #expect(answer.status == 403 && answer.text.contains("another site"), "\(route.name)")
        }
      }
      #expect(try await web.store.accounts.users() == [ada])
    }
  }
}
