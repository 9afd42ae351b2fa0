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
