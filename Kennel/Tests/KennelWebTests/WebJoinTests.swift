import Foundation
import HTTPService
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebJoinTests {
  private func withClosedSite(
    clock: KennelClock = .system, _ body: (SiteFixture) async throws -> Void
  ) async throws {
    try await withSite(clock: clock) {
      $0.isOpenToEveryone = false
    } _: { web in
      try await body(web)
    }
  }

  private func expectSecret(_ answer: FormClient.Answer) {
    #expect(answer.fields["Cache-Control"] == "no-store")
    #expect(answer.fields["Referrer-Policy"] == "strict-origin")
    #expect(answer.fields["Content-Security-Policy"]?.contains("default-src 'none'") == true)
  }

  @Test func `the first browser with the link becomes the owner`() async throws {
    try await withClosedSite { web in
      let new = try #require(try await web.store.accounts.makeFirstOwnerLink())
      let path = "/join/\(new.token.text)"
      let browser = try await FormClient(web.site)
      let page = try await browser.get("/")
      #expect(page.status == 401)
      #expect(page.text.contains("This kennel is new") && page.text.contains("its terminal"))
      #expect(!page.text.contains(new.token.text))
      let form = try await browser.get(path)
      #expect(form.status == 200 && form.text.contains("Welcome to your kennel"))
      #expect(form.text.contains("Repeat the password"))
      expectSecret(form)
      let differing = try await browser.post(
        path, ["name": "Ada", "password": "correct horse", "again": "correct house"])
      #expect(differing.status == 422 && differing.text.contains("The two passwords differ."))
      #expect(differing.text.contains(#"aria-describedby="join-again-error""#))
      #expect(differing.text.contains(#"value="Ada""#))
      #expect(!differing.text.contains("correct horse"))
      expectSecret(differing)
      let joined = try await browser.post(
        path, ["name": "Ada", "password": "correct horse", "again": "correct horse"])
      #expect(joined.status == 303 && joined.location == "/welcome")
      let welcome = try await browser.get("/welcome")
      #expect(welcome.status == 200 && welcome.text.contains("Welcome, <bdi>Ada</bdi>"))
      #expect(welcome.text.contains("href=\"/people\""))
      #expect(try await browser.json("/session")["user"]?["role"]?.string == "owner")
      // The link is used, and the page is that of any closed kennel.
      let second = try await FormClient(web.site)
      let ended = try await second.get(path)
      #expect(ended.status == 404 && ended.text.contains("This link does not work"))
      #expect(try await second.get("/").text.contains(#"action="/session"#))
    }
  }

  @Test func `an open kennel without accounts says so, until there is one`() async throws {
    try await withSite { web in
      let browser = try await FormClient(web.site)
      let page = try await browser.get("/")
      #expect(page.status == 200 && page.text.contains("This kennel is new"))
      #expect(page.fields["Cache-Control"] == "no-store")
      _ = try await web.store.addUser("Ada", role: .owner)
      #expect(try await browser.get("/").text.contains("No photos yet"))
    }
  }

  @Test func `an invitation creates an account and signs in, without scripts`() async throws {
    try await withClosedSite { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      let new = try await web.store.accounts.invite(.viewer, creator: ada.id)
      let path = "/join/\(new.token.text)"
      let browser = try await FormClient(
        web.site, ["User-Agent": "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"])
      let form = try await browser.get(path)
      #expect(form.text.contains("<bdi>Ada</bdi> invites you to see the photos here, to give hearts"))
      #expect(!form.text.contains("Repeat the password"))
      let taken = try await browser.post(path, ["name": "ada", "password": "correct horse"])
      #expect(taken.status == 409 && taken.text.contains("This name is already taken."))
      #expect(taken.text.contains(#"aria-invalid="true""#))
      let short = try await browser.post(path, ["name": "<b>Ben", "password": "short"])
      #expect(short.status == 422 && short.text.contains("The password is too short."))
      #expect(short.text.contains("&lt;b&gt;Ben") && !short.text.contains("<b>Ben"))
      #expect(try await browser.post(path, ["name": "Ben", "password": "correct horse"]).status == 303)
      #expect(try await browser.get("/").status == 200)
      let sessions = try await browser.json("/you")["sessions"]
      #expect(sessions?.count == 1)
      #expect(sessions?[0]?["device"]?.string == "Firefox on Android")
      #expect(sessions?[0]?["address"]?.string == "127.0.0.1")
      #expect(sessions?[0]?["isCurrent"] == .bool(true))
      #expect(try await browser.post(path, ["name": "Cleo", "password": "correct horse"]).status == 404)
    }
  }

  @Test func `programs join with JSON`() async throws {
    try await withClosedSite { web in
      let new = try await web.store.accounts.invite(.member)
      let path = "/join/\(new.token.text)"
      let program = try await FormClient(web.site)
      let about = try await program.json(path)
      #expect(about["purpose"]?.string == "invitation" && about["role"]?.string == "member")
      let refused = try await program.post(path, json: #"{"name":"Ben","password":"short"}"#)
      #expect(refused.status == 422 && refused.fields["Content-Type"] == "application/problem+json")
      let joined = try await program.post(path, json: #"{"name":"Ben","password":"correct horse"}"#)
      #expect(joined.status == 201 && joined.text.contains(#""role":"member""#))
      #expect(try await program.json("/session")["user"]?["name"]?.string == "Ben")
      let again = try await program.post(path, json: #"{"name":"Cleo","password":"correct horse"}"#)
      #expect(again.status == 404 && again.fields["Content-Type"] == "application/problem+json")
    }
  }

  @Test func `two browsers with one invitation create one account`() async throws {
    try await withClosedSite { web in
      let new = try await web.store.accounts.invite(.member)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for name in ["Ben", "Cleo", "Dora"] {
          group.addTask {
            let browser = try await FormClient(web.site)
            return try await browser.post(
              "/join/\(new.token.text)", ["name": name, "password": "correct horse"]
            ).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [303, 404, 404])
      #expect(try await web.store.accounts.users().count == 1)
    }
  }

  @Test func `a link for a new password signs in and out elsewhere`() async throws {
    try await withClosedSite { web in
      let ben = try await web.store.addUser("Ben")
      let elsewhere = try await FormClient(web.site, signedInAs: ben, in: web.store)
      #expect(try await elsewhere.get("/").status == 200)
      let new = try await web.store.accounts.makePasswordLink(for: ben.id)
      let path = "/join/\(new.token.text)"
      let browser = try await FormClient(web.site)
      #expect(try await browser.get(path).text.contains("It is for the account of <bdi>Ben</bdi>"))
      let set = try await browser.post(path, ["password": "another horse", "again": "another horse"])
      #expect(set.status == 303 && set.location == "/you?done=password")
      #expect(try await browser.get("/you?done=password").text.contains("Your password is changed."))
      #expect(try await elsewhere.get("/").status == 401)
      #expect(try await web.get("/posts", SiteFixture.basic("Ben", "another horse")).status == 200)
    }
  }

  @Test func `other sites cannot make a browser join`() async throws {
    try await withClosedSite { web in
      let new = try await web.store.accounts.invite(.member)
      for fields in [
        ["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"], ["Origin": "null"],
      ] {
        let browser = try await FormClient(web.site, fields)
        let answer = try await browser.post(
          "/join/\(new.token.text)", ["name": "Ben", "password": "correct horse"])
        #expect(answer.status == 403)
        expectSecret(answer)
      }
      // Without TLS, browsers send only the origin of the page.
      let browser = try await FormClient(web.site, ["Origin": "http://localhost:8080"])
      let answer = try await browser.post(
        "/join/\(new.token.text)", ["name": "Ben", "password": "correct horse"])
      #expect(answer.status == 303)
    }
  }

  @Test func `guessed links are slowed down`() async throws {
    try await withClosedSite(clock: ManualKennelClock().clock) { web in
      let browser = try await FormClient(web.site)
      var last = 0
      for number in 0..<21 {
        last = try await browser.get("/join/guess\(number)").status
      }
      #expect(last == 429)
    }
  }

  @Test func `no path with a secret gets into a log`() {
    for (path, logged) in [
      ("/join/abc", "/join/***"), ("/join/abc/def", "/join/***"), ("//join//abc", "/join/***"),
      ("/%6Aoin/abc", "/%6Aoin/***"), ("/x/../join/abc", "/x/../join/***"), ("/join", "/join"),
      ("/s/abc", "/s/***"), ("/%73/abc/photo", "/%73/***"), ("/posts/1/photo", "/posts/1/photo"), ("/", "/"),
      ("/joiner/abc", "/joiner/abc"), ("*", "*"),
    ] {
      #expect(KennelSite.loggedPath(path) == logged)
    }
  }

  @Test(arguments: [
    (
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone"
    ),
    (
      "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
      "Chrome on Android"
    ),
    (
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
      "Edge on Windows"
    ),
    (
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
      "Safari on Mac"
    ),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
    ("Mozilla/5.0", "A browser"), ("curl/8.14.1", "curl"), ("<script>", "A program"), ("", "A program"),
  ])
  func `a device is named in plain words`(field: String, name: String) {
    #expect(DeviceName(field).text == name)
  }
}
