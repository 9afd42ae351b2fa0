import Foundation
import KennelTestSupport
import RetrieverImages
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// Videos over HTTP. Their pictures cannot be decoded, so posters are drawn.
@Suite(.timeLimit(.minutes(5))) struct WebVideoTests {
  private func withAda(
    store change: (inout KennelStore.Configuration) -> Void = { _ in },
    _ body: (SiteFixture, _ ada: [String: String], _ ben: [String: String]) async throws -> Void
  ) async throws {
    try await withSite(store: change) { web in
      _ = try await web.store.addUser("Ada")
      _ = try await web.store.addUser("Ben", role: .owner)
      try await body(web, try await web.cookie("Ada"), try await web.cookie("Ben"))
    }
  }

  private func upload(
    _ data: Data, _ web: SiteFixture, _ cookie: [String: String], type: String = "video/mp4",
    query: String = ""
  ) async throws -> SiteFixture.Answer {
    try await web.ask("POST", "/posts\(query)", cookie.merging(["Content-Type": type]) { $1 }, body: data)
  }

  private func isLeaking(_ data: Data) -> Bool {
    MovieFixture.secrets.contains { data.range(of: Data($0.utf8)) != nil }
  }

  @Test func `others get a video without its metadata, and the author gets it as it was uploaded`()
    async throws
  {
    try await withAda { web, ada, ben in
      let original = MovieFixture.phone.data()
      let posted = try await upload(original, web, ada)
      #expect(posted.status == 201)
      let json = try posted.json
      #expect(json["photo"]?["format"]?.string == "mov" && json["photo"]?["milliseconds"]?.number == 42_500)
      #expect(json["photo"]?["width"]?.number == 1080 && json["photo"]?["height"]?.number == 1920)
      #expect(json["taken"]?.string == "2024-07-14T15:30:00+02:00")
      for fields in [[:], ada, ben] {
        let video = try await web.get("/posts/1/photo", fields)
        #expect(video.status == 200 && video.field("Content-Type") == "video/quicktime")
        #expect(video.data.count == original.count && !isLeaking(video.data))
        for path in [
          "/posts/1/thumbnail?size=480", "/posts", "/", "/photos/1", "/collage", "/timeline/current",
          "/peer/posts",
        ] {
          let answer = try await web.get(path, fields)
          // The pages show the author and the time.
          let secrets = MovieFixture.secrets.filter { !["Ada", "2024", "Handler", "Places"].contains($0) }
          let isLeaking = secrets.contains { answer.data.range(of: Data($0.utf8)) != nil }
          #expect(answer.status == 200 && !isLeaking, "\(path)")
        }
      }
      let mine = try await web.get("/posts/1/uploaded", ada)
      #expect(mine.status == 200 && mine.data == original)
      #expect(mine.field("Content-Disposition") == "attachment; filename=\"video-1.mov\"")
      #expect(try await web.get("/posts/1/uploaded", ben).status == 403)
    }
  }

  @Test func `the author can share the metadata of a video, and hide it again`() async throws {
    try await withAda { web, ada, _ in
      let original = MovieFixture.phone.data()
      #expect(try await upload(original, web, ada).status == 201)
      #expect(try await web.ask("PUT", "/posts/1/place", ada).status == 200)
      #expect(try await web.get("/posts/1/photo").data == original)
      #expect(try await web.ask("DELETE", "/posts/1/place", ada).status == 200)
      let hidden = try await web.get("/posts/1/photo").data
      #expect(hidden.count == original.count && !isLeaking(hidden))
      #expect(try await web.store.checkedProblems() == [])
    }
  }

  @Test func `a video is sent in ranges`() async throws {
    try await withAda { web, ada, _ in
      #expect(try await upload(MovieFixture.phone.data(), web, ada).status == 201)
      let video = try await web.get("/posts/1/photo")
      #expect(video.field("Accept-Ranges") == "bytes")
      let tag = try #require(video.field("ETag"))
      let part = try await web.get("/posts/1/photo", ["Range": "bytes=0-1", "If-Range": tag])
      #expect(part.status == 206 && part.data == video.data.prefix(2))
      #expect(part.field("Content-Range") == "bytes 0-1/\(video.data.count)")
      #expect(part.field("Content-Type") == "video/quicktime")
      let rest = try await web.get("/posts/1/photo", ["Range": "bytes=100-"])
      #expect(rest.status == 206 && rest.data == video.data.dropFirst(100))
      #expect(try await web.get("/posts/1/photo", ["Range": "bytes=999999-"]).status == 416)
      let changed = try await web.get("/posts/1/photo", ["Range": "bytes=0-1", "If-Range": "\"other\""])
      #expect(changed.status == 200 && changed.data == video.data)
      let head = try await web.ask("HEAD", "/posts/1/photo")
      #expect(head.status == 200 && head.field("Content-Length") == "\(video.data.count)")
    }
  }

  @Test func `videos that browsers cannot play are refused with a reason`() async throws {
    try await withAda { web, ada, _ in
      var fragments = MovieFixture()
      fragments.extra = MovieFixture.box("mvex", [])
      let refused = try await upload(fragments.data(), web, ada)
      #expect(refused.status == 415)
      #expect(try refused.json["detail"]?.string?.contains("fragments") == true)
      var other = MovieFixture()
      other.tracks[0].codec = "jpeg"
      #expect(try await upload(other.data(), web, ada).status == 415)
      var missing = MovieFixture()
      missing.isDescriptionFirst = true
      #expect(try await upload(missing.data().dropLast(3), web, ada).status == 422)
      #expect(try await upload(Data("This text is not a video.".utf8), web, ada).status == 415)
      #expect(try await web.store.posts.page().isEmpty)
    }
  }

  @Test func `the limit for videos is another one than that for photos`() async throws {
    try await withAda {
      $0.maximumPhotoSize = 1000
      $0.maximumVideoSize = 100_000
    } _: { web, ada, _ in
      var movie = MovieFixture()
      movie.tracks[0].samples = [[UInt8](repeating: 7, count: 50_000)]
      #expect(try await upload(movie.data(), web, ada).status == 201)
      movie.tracks[0].samples = [[UInt8](repeating: 7, count: 120_000)]
      let refused = try await upload(movie.data(), web, ada)
      #expect(refused.status == 413)
      #expect(try refused.json["detail"]?.string?.contains("The video has more than") == true)
      // What counts is the file, not the type that the request states.
      #expect(try await upload(SiteFixture.noise(width: 60, height: 60), web, ada).status == 413)
      #expect(try await upload(movie.data().prefix(90_000), web, ada, type: "image/jpeg").status == 422)
    }
  }

  @Test func `a kennel can accept no videos`() async throws {
    try await withAda {
      $0.maximumVideoSize = 0
    } _: { web, ada, _ in
      for type in ["video/mp4", "image/jpeg"] {
        let answer = try await upload(MovieFixture().data(), web, ada, type: type)
        #expect(answer.status == 415)
        #expect(try answer.json["detail"]?.string?.contains("accepts no videos") == true)
      }
    }
  }

  @Test func `without a frame, the drawn thumbnail is not kept by browsers forever`() async throws {
    try await withAda { web, ada, _ in
      #expect(try await upload(MovieFixture.phone.data(), web, ada).status == 201)
      for size in [96, 480, 1920] {
        let drawn = try await web.get("/posts/1/thumbnail?size=\(size)&format=jpeg")
        #expect(drawn.status == 200 && drawn.field("Cache-Control") == "public, no-cache")
        let image = try #require(UIImage(data: drawn.data))
        #expect(image.size.height > image.size.width)
        let known = try await web.get(
          "/posts/1/thumbnail?size=\(size)&format=jpeg", ["If-None-Match": drawn.field("ETag") ?? ""])
        #expect(known.status == 304)
      }
    }
  }

  @Test func `the page plays a video with the controls of the browser`() async throws {
    try await withAda { web, ada, _ in
      #expect(
        try await upload(MovieFixture.phone.data(), web, ada, query: "?caption=Run%20%3Cfast%3E").status
          == 201)
      let page = try await web.get("/photos/1", ["Accept": "text/html"])
      #expect(
        page.text.contains(
          "<video class=\"sharp\" src=\"/posts/1/photo\" controls playsinline preload=\"metadata\""))
      #expect(page.text.contains("aria-label=\"Run &lt;fast&gt;\""))
      #expect(!page.text.contains("autoplay"))
      #expect(page.field("Content-Security-Policy")?.contains("media-src 'self'") == true)
      let grid = try await web.get("/", ["Accept": "text/html"])
      #expect(grid.text.contains("<span class=\"hidden-text\">Video, </span>"))
      #expect(grid.text.contains("</svg>0:43</span>"))
    }
  }

  @Test func `an album of photos and videos is an archive without metadata`() async throws {
    try await withAda { web, ada, _ in
      #expect(try await upload(MovieFixture.phone.data(), web, ada).status == 201)
      let user = try await web.store.posts.post(1).author
      let album = try await web.store.albums.make(title: "Summer", posts: [1], by: user)
      let archive = try await web.get("/albums/\(album.id)/zip", ada)
      #expect(archive.status == 200 && !isLeaking(archive.data))
      #expect(archive.data.range(of: Data("001.mov".utf8)) != nil)
    }
  }

  @Test func `other kennels are not offered videos`() async throws {
    try await withAda { web, ada, _ in
      #expect(try await upload(MovieFixture.phone.data(), web, ada).status == 201)
      #expect(try await upload(SiteFixture.jpeg(1), web, ada, type: "image/jpeg").status == 201)
      let posts = try await web.get("/peer/posts").json["posts"]
      #expect(posts?.count == 1 && posts?[0]?["id"]?.number == 2)
    }
  }
}
