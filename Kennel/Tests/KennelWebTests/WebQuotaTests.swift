import Foundation
import KennelTestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebQuotaTests {
  @Test func `an upload that exceeds the quota is refused with a sentence, and counted`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let jpeg = try SiteFixture.jpeg(1)
      try await web.store.quotas.set(.bytes(Int64(jpeg.count) + 5), of: ada.id)
      let fields = try await web.cookie().merging(["Content-Type": "image/jpeg"]) { $1 }
      #expect(try await web.ask("POST", "/posts", fields, body: jpeg).status == 201)
      let second = try await web.ask("POST", "/posts", fields, body: try SiteFixture.jpeg(2))
      #expect(second.status == 413)
      #expect(second.field("Content-Type") == "application/problem+json")
      let detail = try second.json["detail"]?.string ?? ""
      #expect(detail.hasPrefix("There is no room for this photo: your photos take"), "\(detail)")
      #expect(detail.hasSuffix("or ask an owner for more space."))
      let metrics = try await web.get("/metrics").text
      #expect(metrics.contains("\nkennel_quota_refusals_total 1\n"))
      #expect(try web.store.incomingFiles() == [])
    }
  }

  @Test func `an announced size is refused before the body is read`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.store.quotas.set(.bytes(1000), of: ada.id)
      let fields = try await web.cookie().merging(["Content-Type": "image/jpeg"]) { $1 }
      // The body is not a photo, which would be found when it is read.
      let answer = try await web.ask("POST", "/posts", fields, body: Data(count: 1001))
      #expect(answer.status == 413)
      #expect(try await web.ask("POST", "/posts", fields, body: Data(count: 1000)).status == 415)
    }
  }

  @Test func `an owner changes the space of a person on the page and with the API`() async throws {
    try await withSite { web in
      let olga = try await web.store.addUser("Olga", role: .owner)
      let ada = try await web.store.addUser("Ada")
      func own() async throws -> Quota? { try await web.store.quotas.decision(for: ada.id).own }
      let browser = try await FormClient(web.site, signedInAs: olga, in: web.store)
      let path = "/people/\(ada.id)/quota"
      let page = try await browser.get("/people/\(ada.id)").text
      #expect(
        page.contains(#"value="default" checked"#)
          && page.contains("What everyone gets by default (no limit)"))
      let wrong = try await browser.post(path, ["quota": "size", "size": "<much>"])
      #expect(wrong.status == 422 && wrong.text.contains("The size is not valid."))
      #expect(wrong.text.contains(#"value="size" checked"#) && wrong.text.contains(#"value="&lt;much&gt;""#))
      #expect(
        wrong.text.contains(#"aria-describedby="person-size-hint person-size-error" aria-invalid="true""#))
      #expect(try await own() == nil)
      for size in ["1,000 MB", "1.000 MB", "1,000,000 B"] {
        #expect(try await browser.post(path, ["quota": "size", "size": size]).status == 422, "\(size)")
      }
      let changed = try await browser.post(path, ["quota": "size", "size": "1,5 GB"])
      #expect(changed.status == 303 && changed.location == "/people/\(ada.id)?done=quota")
      #expect(try await own() == .bytes(1_500_000_000))
      #expect(try await browser.get("/people/\(ada.id)?done=quota").text.contains(#"value="1.5 GB""#))
      #expect(try await browser.post(path, ["quota": "none", "size": "1,5 GB"]).status == 303)
      #expect(try await own() == .unlimited)
      #expect(try await browser.post(path, json: #"{"quota":"20GB"}"#).status == 204)
      #expect(try await own() == .bytes(20_000_000_000))
      #expect(try await browser.json("/people/\(ada.id)")["quotaBytes"]?.number == 20_000_000_000)
      #expect(try await browser.post(path, json: #"{"quota":"default"}"#).status == 204)
      #expect(try await own() == nil)
      #expect(try await browser.post(path, json: #"{"quota":"-1GB"}"#).status == 422)
      #expect(try await browser.post(path, json: "{}").status == 400)
      let member = try await FormClient(web.site, signedInAs: ada, in: web.store)
      #expect(try await member.post(path, json: #"{"quota":"none"}"#).status == 403)
    }
  }

  @Test func `the pages and the API show what photos take and may take`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      let ben = try await web.store.addUser("Ben")
      try await web.addPicture(1, by: ben)
      let used = try await web.store.quotas.usage(of: ben.id).used
      try await web.store.quotas.set(.bytes(20_000_000_000), of: ben.id)
      let words = try await web.store.quotas.usage(of: ben.id).words
      #expect(words.hasSuffix(" of 20 GB"))
      let owner = try await FormClient(web.site, signedInAs: ada, in: web.store)
      #expect(try await owner.get("/people").text.contains("Photos: \(words)"))
      let browser = try await FormClient(web.site, signedInAs: ben, in: web.store)
      #expect(try await browser.get("/you").text.contains("Your photos take \(words)."))
      let you = try await web.get("/you", try await web.cookie("Ben")).json
      #expect(you["usedBytes"]?.number == Int(used))
      #expect(you["quotaBytes"]?.number == 20_000_000_000)
      let people = try await web.get("/people", try await web.cookie("Ada")).text
      #expect(people.contains("\"quotaBytes\":null") && people.contains("\"quotaBytes\":20000000000"))
    }
  }
}
