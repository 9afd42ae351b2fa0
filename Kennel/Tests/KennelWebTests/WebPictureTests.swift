import Foundation
import KennelTestSupport
import Retriever
import RetrieverImages
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebPictureTests {
  @Test func `ids are sent one per line`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      #expect(try await web.get("/image-ids.txt").data.isEmpty)
      for number in 1...3 { try await web.store.addPost(number, by: ada) }
      let answer = try await web.get("/image-ids.txt")
      #expect(answer.text == "3\n2\n1\n")
      #expect(answer.field("Content-Type") == "text/plain; charset=utf-8")
      var ids: [String] = []
      for try await line in try web.url("/image-ids.txt").lines { ids.append(line) }
      #expect(ids == ["3", "2", "1"])
    }
  }

  @Test func `a collage combines many pictures in one`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      #expect(try await web.get("/collage").status == 404)
      for number in 1...5 { try await web.addPicture(number, by: ada, width: 200, height: 100) }
      let all = try await web.get("/collage?columns=3&cell=100")
      #expect(all.status == 200)
      #expect(all.field("Content-Type") == "image/jpeg")
      let image = try #require(UIImage(data: all.data))
      #expect((image.size.width, image.size.height) == (320, 215))
      let tag = try #require(all.field("ETag"))
      #expect(try await web.get("/collage?columns=3&cell=100", ["If-None-Match": tag]).status == 304)
      let some = try await web.get("/collage?of=5,1&columns=8&cell=64")
      #expect(UIImage(data: some.data)?.size.width == 137)
      let gone = try await web.get("/collage?of=5,77,1,78")
      #expect(gone.status == 404)
      #expect(
        try gone.json["detail"]?.string
          == "Post 77 does not exist. It may have been deleted. Remove it from the list.")
      for wrong in [
        "of=5,", "of=a", "columns=0x", "cell=-1", "of=" + (1...101).map(String.init).joined(separator: ","),
      ] {
        #expect(try await web.get("/collage?\(wrong)").status == 400)
      }
    }
  }

  @Test func `the current timeline entry is the newest post`() async throws {
    try await withSite(clock: ManualKennelClock().clock) { web in
      let ada = try await web.store.addUser("Ada")
      let none = try await web.get("/timeline/current")
      #expect(none.status == 404)
      #expect(none.field("Content-Type") == "application/problem+json")
      try await web.addPicture(1, by: ada, width: 300, height: 200)
      try await web.addPicture(2, by: ada, caption: "Rex", width: 300, height: 200)
      let json = try await web.get("/timeline/current").json
      #expect(json["post"]?.number == 2)
      #expect(json["caption"]?.string == "Rex")
      #expect(json["date"]?.string == "2027-01-15T08:00:00Z")
      let thumbnail = try #require(json["thumbnail"]?.string)
      #expect(thumbnail.hasPrefix("data:image/jpeg;base64,"))
      let bytes = Data(base64Encoded: String(thumbnail.dropFirst("data:image/jpeg;base64,".count)))
      #expect(bytes.flatMap { UIImage(data: $0) }?.size.width == 96)
    }
  }

  @Test func `another kennel reads the posts from the oldest on`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...3 { try await web.store.addPost(number, by: ada) }
      let first = try await web.get("/peer/posts?limit=2").json
      #expect(first["posts"]?[0]?["id"]?.number == 1)
      #expect(first["next"]?.number == 2)
      let second = try await web.get("/peer/posts?limit=2&after=2").json
      #expect(second["posts"]?[0]?["id"]?.number == 3)
      #expect(second["next"] == .null)
    }
  }

  @Test func `health and metrics report the state of the site`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      _ = try await web.get("/posts/1/thumbnail")
      _ = try await web.get("/posts/1/thumbnail")
      _ = try await web.get("/nothing/\(UUID().uuidString)?a=b")
      _ = try await web.get("/posts", SiteFixture.basic("Ada", "wrong"))
      let health = try await web.get("/health")
      #expect(health.status == 200)
      #expect(try health.json["status"]?.string == "ok")
      #expect(try health.json["posts"]?.number == 1)
      let metrics = try await web.get("/metrics")
      #expect(metrics.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
      let lines = Set(metrics.text.split(separator: "\n").map(String.init))
      for line in [
        #"kennel_requests_total{route="GET /posts/{id}/thumbnail",status="200"} 2"#,
        #"kennel_requests_total{route="none",status="404"} 1"#,
        #"kennel_requests_total{route="GET /posts",status="401"} 1"#,
        #"kennel_request_duration_seconds_count{route="GET /posts/{id}/thumbnail"} 2"#,
        #"kennel_request_duration_seconds_bucket{route="none",le="+Inf"} 1"#,
        #"kennel_thumbnails_total{source="made"} 1"#, #"kennel_thumbnails_total{source="memory"} 1"#,
        #"kennel_sign_ins_total{result="refused"} 1"#, "kennel_posts 1", "kennel_users 1",
        "kennel_event_listeners 0", "# TYPE kennel_request_duration_seconds histogram",
      ] { #expect(lines.contains(line), "\(line)") }
      func value(_ name: String) -> Int64? {
        lines.first { $0.hasPrefix(name + " ") }.flatMap { Int64($0.dropFirst(name.count + 1)) }
      }
      let (free, size) = (value("kennel_disk_free_bytes") ?? 0, value("kennel_disk_size_bytes") ?? 0)
      #expect(free > 0 && free <= size)
      #expect(value("kennel_photo_bytes") == Int64(try await web.store.posts.post(1).byteCount))
      // Each line is a comment or a sample.
      for line in lines {
        #expect(
          line.hasPrefix("# ")
            || line.wholeMatch(of: /[a-z_]+(\{[^}]*(\{id\}|\{name\}|\{comment\}|[^{}])*\})? [-0-9.e+]+/)
              != nil,
          "\(line)")
      }
    }
  }

  @Test func `a closed store gives status 503`() async throws {
    try await withSite { web in
      await web.store.close()
      let answer = try await web.get("/health")
      #expect(answer.status == 503)
      #expect(try answer.json["detail"]?.string?.contains("shutting down") == true)
    }
  }
}
