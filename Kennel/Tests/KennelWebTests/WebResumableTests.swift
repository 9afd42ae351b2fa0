import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebResumableTests {
  private func withClient(
    clock: KennelClock = .system, store change: (inout KennelStore.Configuration) -> Void = { _ in },
    _ body: (TusClient) async throws -> Void
  ) async throws {
    try await withSite(clock: clock, store: change) { web in
      _ = try await web.store.addUser("Ada")
      try await body(TusClient(web, try await web.cookie()))
    }
  }

  @Test func `a photo is sent in parts and becomes a post with its caption`() async throws {
    try await withClient { client in
      let jpeg = try SiteFixture.jpeg(1)
      let begun = try await client.begin(jpeg.count, ["caption": "Grüße, \"<b>\"", "place": "private"])
      #expect(begun.status == 201)
      #expect(begun.field("Tus-Resumable") == "1.0.0")
      #expect(begun.field("Upload-Expires")?.hasSuffix(" GMT") == true)
      let address = try #require(begun.field("Location"))
      let first = try await client.append(address, at: 0, jpeg.prefix(100))
      #expect(first.status == 204)
      #expect(first.offset == 100)
      #expect(first.post == nil)
      let state = try await client.ask("HEAD", address)
      #expect(state.status == 200)
      #expect(state.offset == 100)
      #expect(state.field("Upload-Length") == "\(jpeg.count)")
      #expect(state.field("Upload-Metadata")?.contains("caption ") == true)
      #expect(state.field("Cache-Control") == "no-store")
      let last = try await client.append(address, at: 100, jpeg.dropFirst(100))
      #expect(last.offset == jpeg.count)
      #expect(last.post == 1)
      #expect(try await client.web.get("/posts/1/photo").data == jpeg)
      #expect(try await client.web.get("/posts/1").json["caption"]?.string == "Grüße, \"<b>\"")
      #expect(try client.web.store.incomingFiles() == [])
    }
  }

  @Test func `a client that did not receive the last answer asks again and gets the same post`() async throws
  {
    try await withClient { client in
      let jpeg = try SiteFixture.jpeg(1)
      let address = try #require(try await client.begin(jpeg.count).field("Location"))
      #expect(try await client.append(address, at: 0, jpeg).post == 1)
      for _ in 0..<2 {
        let state = try await client.ask("HEAD", address)
        #expect(state.offset == jpeg.count)
        #expect(state.post == 1)
        let again = try await client.append(address, at: jpeg.count, Data())
        #expect(again.status == 204)
        #expect(again.post == 1)
      }
      let restarted = try await client.append(address, at: 0, jpeg)
      #expect(restarted.status == 409)
      #expect(restarted.offset == jpeg.count)
      #expect(try await client.web.get("/posts").json["posts"]?.count == 1)
    }
  }

  @Test func `the first request can have all bytes`() async throws {
    try await withClient { client in
      let jpeg = try SiteFixture.jpeg(1)
      let type = ["Content-Type": "application/offset+octet-stream"]
      let answer = try await client.begin(jpeg.count, [:], type, body: jpeg)
      #expect(answer.status == 201)
      #expect(answer.offset == jpeg.count)
      #expect(answer.post == 1)
      #expect(answer.field("Location")?.hasPrefix("/uploads/") == true)
      let wrong = try await client.begin(jpeg.count, [:], ["Content-Type": "image/jpeg"], body: jpeg)
      #expect(wrong.status == 415)
    }
  }

  @Test func `bytes are only accepted where the upload ends`() async throws {
    try await withClient { client in
      let address = try #require(try await client.begin(1000).field("Location"))
      #expect(try await client.append(address, at: 0, Data(count: 400)).offset == 400)
      for offset in [0, 399, 401, 1000] {
        let answer = try await client.append(address, at: offset, Data(count: 10))
        #expect(answer.status == 409)
        #expect(answer.offset == 400)
        #expect(answer.field("Tus-Resumable") == "1.0.0")
      }
      #expect(try await client.append(address, at: 400, Data(count: 601)).status == 413)
      #expect(try await client.ask("HEAD", address).offset == 400)
    }
  }

  @Test func `a checksum is verified before the bytes count`() async throws {
    try await withClient { client in
      let jpeg = try SiteFixture.jpeg(1)
      let address = try #require(try await client.begin(jpeg.count).field("Location"))
      func field(_ bytes: Data) -> [String: String] {
        ["Upload-Checksum": "sha256 \(Data(Sodium.sha256(Array(bytes))).base64EncodedString())"]
      }
      let wrong = try await client.append(address, at: 0, jpeg.prefix(100), field(jpeg.prefix(99)))
      #expect(wrong.status == 460)
      #expect(try await client.ask("HEAD", address).offset == 0)
      let right = try await client.append(address, at: 0, jpeg.prefix(100), field(jpeg.prefix(100)))
      #expect(right.offset == 100)
      #expect(
        try await client.append(address, at: 100, jpeg.dropFirst(100), field(jpeg.dropFirst(100))).post == 1)
      #expect(try await client.web.get("/posts/1/photo").data == jpeg)
    }
  }

  @Test func `a photo that was already shared is reported before its bytes are sent`() async throws {
    try await withClient { client in
      let jpeg = try SiteFixture.jpeg(1)
      let hash = try #require(PhotoHash(bytes: Sodium.sha256(Array(jpeg)))).description
      let first = try #require(try await client.begin(jpeg.count, ["sha256": hash]).field("Location"))
      #expect(try await client.append(first, at: 0, jpeg).post == 1)
      let known = try await client.begin(jpeg.count, ["sha256": hash])
      #expect(known.status == 409)
      #expect(known.field("Location") == "/posts/1")
      #expect(try known.json["post"]?.number == 1)
      #expect(try await client.begin(jpeg.count, ["sha256": hash, "duplicate": "allow"]).status == 201)
      // Without the hash, it is found out at the end. The bytes stay for another decision.
      let address = try #require(try await client.begin(jpeg.count).field("Location"))
      let refused = try await client.append(address, at: 0, jpeg)
      #expect(refused.status == 409)
      #expect(try refused.json["post"]?.number == 1)
      #expect(try await client.ask("HEAD", address).offset == jpeg.count)
      #expect(try await client.append("\(address)?duplicate=allow", at: jpeg.count, Data()).post == 2)
    }
  }

  @Test func `an upload of a known photo counts as unfinished until it is cancelled`() async throws {
    try await withClient {
      $0.uploads.maximumCount = 1
    } _: { client in
      let jpeg = try SiteFixture.jpeg(1)
      let first = try #require(try await client.begin(jpeg.count).field("Location"))
      #expect(try await client.append(first, at: 0, jpeg).post == 1)
      let known = try #require(try await client.begin(jpeg.count).field("Location"))
      #expect(try await client.append(known, at: 0, jpeg).status == 409)
      #expect(try await client.begin(jpeg.count).status == 429)
      #expect(try await client.ask("DELETE", known).status == 204)
      let again = try await client.begin(jpeg.count, ["duplicate": "allow"])
      let address = try #require(again.field("Location"))
      #expect(try await client.append("\(address)?duplicate=allow", at: 0, jpeg).post == 2)
    }
  }

  @Test func `a file that is not a photo is refused and removed`() async throws {
    try await withClient { client in
      let address = try #require(try await client.begin(12).field("Location"))
      #expect(try await client.append(address, at: 0, Data("Walk at nine".utf8)).status == 415)
      #expect(try await client.ask("HEAD", address).status == 404)
      #expect(try client.web.store.incomingFiles() == [])
    }
  }

  @Test func `an upload can be cancelled`() async throws {
    try await withClient { client in
      let address = try #require(try await client.begin(1000).field("Location"))
      _ = try await client.append(address, at: 0, Data(count: 400))
      let cancelled = try await client.ask("DELETE", address)
      #expect(cancelled.status == 204)
      #expect(cancelled.field("Tus-Resumable") == "1.0.0")
      #expect(try await client.ask("HEAD", address).status == 404)
      #expect(try await client.append(address, at: 400, Data(count: 600)).status == 404)
      #expect(try client.web.store.incomingFiles() == [])
    }
  }

  @Test func `only the person who began an upload can see and change it`() async throws {
    try await withClient { client in
      let address = try #require(try await client.begin(1000).field("Location"))
      _ = try await client.web.store.addUser("Ben", role: .owner)
      let ben = TusClient(client.web, try await client.web.cookie("Ben"))
      #expect(try await ben.ask("HEAD", address).status == 404)
      #expect(try await ben.append(address, at: 0, Data(count: 10)).status == 404)
      #expect(try await ben.ask("DELETE", address).status == 404)
      #expect(try await client.ask("HEAD", address).offset == 0)
    }
  }

  @Test func `invalid fields are refused with a reason`() async throws {
    try await withClient { client in
      let type = ["Content-Type": "application/offset+octet-stream"]
      let old = try await client.begin(10, [:], ["Tus-Resumable": "0.2.2"])
      #expect(old.status == 412)
      #expect(old.field("Tus-Version") == "1.0.0")
      for length in ["", "-1", "1.5", "ten", "99999999999999999999", " "] {
        #expect(try await client.begin(0, [:], ["Upload-Length": length]).status == 400, "\(length)")
      }
      #expect(try await client.begin(0).status == 422)
      #expect(try await client.begin(PhotoLimits.defaultMaximumVideoSize + 1).status == 413)
      #expect(try await client.begin(.max).status == 413)
      #expect(try await client.begin(10, [:], ["Upload-Defer-Length": "1"]).status == 400)
      for text in [
        "caption ?", "caption YQ== YQ==", "caption YQ==,caption YQ==", "caption /w==", "sha256 YQ==",
      ] {
        #expect(try await client.begin(10, [:], ["Upload-Metadata": text]).status == 400, "\(text)")
      }
      #expect(try await client.begin(10, ["place": "moon"]).status == 422)
      #expect(try await client.begin(10, ["duplicate": "deny"]).status == 400)
      #expect(try await client.begin(10, ["caption": String(repeating: "x", count: 2001)]).status == 422)
      #expect(try await client.begin(10, ["caption": String(repeating: "x", count: 13_000)]).status == 400)
      let address = try #require(try await client.begin(10).field("Location"))
      let body = Data(count: 5)
      #expect(try await client.append(address, at: 0, body, ["Content-Type": "image/jpeg"]).status == 415)
      for offset in ["", "-1", "x", "99999999999999999999"] {
        let answer = try await client.append(address, at: 0, body, ["Upload-Offset": offset])
        #expect(answer.status == 400, "\(offset)")
      }
      for sum in ["sha256", "md5 YQ==", "sha256 ?", "sha256 YQ=="] {
        #expect(
          try await client.append(address, at: 0, body, ["Upload-Checksum": sum]).status == 400, "\(sum)")
      }
      #expect(try await client.ask("PATCH", "/uploads/../x", type, body: body).status == 404)
      #expect(try await client.append("/uploads/AAAA", at: 0, body).status == 404)
      #expect(try await client.ask("HEAD", address).offset == 0)
    }
  }

  @Test func `each person can have a limited number of unfinished uploads`() async throws {
    try await withClient { configuration in
      configuration.uploads.maximumCount = 3
      configuration.uploads.maximumByteCount = 1000
    } _: { client in
      #expect(try await client.begin(900).status == 201)
      #expect(try await client.begin(101).status == 429)
      let address = try #require(try await client.begin(50).field("Location"))
      #expect(try await client.begin(50).status == 201)
      #expect(try await client.begin(1).status == 429)
      #expect(try await client.ask("DELETE", address).status == 204)
      #expect(try await client.begin(1).status == 201)
      _ = try await client.web.store.addUser("Ben")
      let ben = TusClient(client.web, try await client.web.cookie("Ben"))
      #expect(try await ben.begin(900).status == 201)
    }
  }

  @Test func `uploads are refused while the disk is nearly full`() async throws {
    try await withClient {
      $0.minimumFreeSpace = .max / 2
    } _: { client in
      #expect(try await client.begin(10).status == 507)
      let fields = client.fields.merging(["Content-Type": "image/jpeg"]) { $1 }
      let jpeg = try SiteFixture.jpeg(1)
      #expect(try await client.web.ask("POST", "/posts", fields, body: jpeg).status == 507)
    }
  }

  @Test func `an unfinished upload expires after a day`() async throws {
    let time = ManualKennelClock()
    try await withClient(clock: time.clock) { client in
      let address = try #require(try await client.begin(1000).field("Location"))
      _ = try await client.append(address, at: 0, Data(count: 10))
      time.advance(by: .seconds(24 * 3600 - 60))
      try await client.web.store.uploads.sweep()
      #expect(try await client.ask("HEAD", address).offset == 10)
      time.advance(by: .seconds(61))
      #expect(try await client.ask("HEAD", address).status == 404)
      #expect(try client.web.store.incomingFiles().count == 1)
      try await client.web.store.uploads.sweep()
      #expect(try client.web.store.incomingFiles() == [])
      #expect(try await client.web.store.uploads.unfinishedCount() == 0)
    }
  }

  @Test func `the methods that a proxy refuses can be sent with POST`() async throws {
    try await withClient { client in
      let jpeg = try SiteFixture.jpeg(1)
      let address = try #require(try await client.begin(jpeg.count).field("Location"))
      let fields = [
        "X-HTTP-Method-Override": "PATCH", "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": "0",
      ]
      #expect(try await client.ask("POST", address, fields, body: jpeg).post == 1)
      #expect(
        try await client.ask("POST", address, ["X-HTTP-Method-Override": "PUT"], body: Data()).status == 405)
    }
  }

  @Test func `what the server can do is described`() async throws {
    try await withSite { web in
      let answer = try await web.ask("OPTIONS", "/uploads")
      #expect(answer.status == 204)
      #expect(answer.field("Tus-Version") == "1.0.0")
      #expect(answer.field("Tus-Max-Size") == "\(PhotoLimits.defaultMaximumVideoSize)")
      #expect(
        answer.field("Tus-Extension") == "creation,creation-with-upload,termination,expiration,checksum")
      #expect(answer.field("Tus-Checksum-Algorithm") == "sha256")
    }
  }

  @Test func `photos without a date keep the order in which their uploads began`() async throws {
    let time = ManualKennelClock()
    try await withClient(clock: time.clock) { client in
      let jpegs = [try SiteFixture.jpeg(1), try SiteFixture.jpeg(2)]
      var addresses: [String] = []
      for jpeg in jpegs {
        addresses.append(try #require(try await client.begin(jpeg.count).field("Location")))
        time.advance(by: .seconds(1))
      }
      #expect(try await client.append(addresses[1], at: 0, jpegs[1]).post == 1)
      #expect(try await client.append(addresses[0], at: 0, jpegs[0]).post == 2)
      let posts = try await client.web.store.posts.page()
      #expect(posts.map(\.id) == [1, 2])
    }
  }
}
