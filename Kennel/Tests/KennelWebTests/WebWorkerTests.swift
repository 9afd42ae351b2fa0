import Foundation
import KennelTestSupport
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebWorkerTests {
  private func text(_ name: String) throws -> String {
    String(decoding: try #require(PageAssets.all[name]).bytes, as: UTF8.self)
  }

  @Test func `everyone gets the worker at the root, and browsers ask for a newer one each time`() async throws
  {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      let answer = try await web.get("/worker.js")
      #expect(answer.status == 200)
      #expect(answer.data == PageAssets.all["worker.js"]?.bytes)
      #expect(answer.field("Content-Type") == "text/javascript; charset=utf-8")
      #expect(answer.field("Cache-Control") == "no-cache")
      #expect(answer.field("Content-Security-Policy")?.contains("connect-src 'self'") == true)
      let tag = try #require(answer.field("ETag"))
      #expect(try await web.get("/worker.js", ["If-None-Match": tag]).status == 304)
    }
  }

  @Test func `a kennel without a worker serves one that removes itself`() async throws {
    try await withSite {
      $0.hasServiceWorker = false
    } _: { web in
      let answer = try await web.get("/worker.js")
      #expect(answer.data == PageAssets.all["worker-off.js"]?.bytes)
      #expect(answer.text.contains("registration.unregister()"))
      #expect(!answer.text.contains("\"fetch\""))
    }
  }

  @Test(arguments: [true, false])
  func `the share sheet offers the kennel for videos only if it accepts them`(acceptsVideos: Bool)
    async throws
  {
    try await withSite { _ in
    } store: { configuration in
      if !acceptsVideos { configuration.maximumVideoSize = 0 }
    } _: { web in
      let manifest = try await web.get("/manifest.webmanifest").json
      let types = manifest["share_target"]?["params"]?["files"]?[0]?["accept"]
      guard case .array(let types) = types else {
        Issue.record("There are no types.")
        return
      }
      #expect(types.contains(.string("image/jpeg")) && types.contains(.string(".heic")))
      #expect(types.contains(.string("video/mp4")) == acceptsVideos)
      #expect(types.contains(.string("video/quicktime")) == acceptsVideos)
    }
  }

  @Test func `no page loads a worker as a module`() {
    #expect(!PageAssets.modules.contains { $0.hasPrefix("worker") })
    #expect(PageAssets.modules.contains("kept.js"))
  }

  @Test func `the worker and the page use the same caches`() throws {
    let worker = try text("worker.js")
    for (name, file) in [("keptPhotos", "kept.js"), ("sharedFiles", "shared.js")] {
      let pattern = try Regex("const \(name) = \"(kennel-[a-z-]+)\";", as: (Substring, Substring).self)
      let wanted = try #require(worker.firstMatch(of: pattern)?.output.1)
      #expect(try text(file).firstMatch(of: pattern)?.output.1 == wanted)
    }
  }

  @Test func `the worker replaces pages only, and none with a secret`() throws {
    let line = try #require(try text("worker.js").firstMatch(of: /const pages = \/(.*)\/;/)?.output.1)
    let pages = try Regex(String(line).replacing("\\/", with: "/"))
    let replaced = Endpoints.router.routes.filter {
      $0.method == .get && $0.path().contains(pages) && $0.isPage
    }
    #expect(
      Set(replaced.map(\.name)) == [
        "/", "/hearts", "/albums", "/albums/{id}", "/search", "/photos/{id}", "/people/{id}/photos",
        "/people",
        "/you", "/deleted",
      ])
    #expect(!"/s/\(String(repeating: "A", count: 43))".contains(pages))
    #expect(!"/posts/1/photo".contains(pages))
  }

  @Test func `a share that no worker has taken stores nothing`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      _ = try await web.store.addUser("Ada")
      for cookie in [[:], try await web.cookie()] {
        for (site, status) in [("none", 303), ("cross-site", 403), ("same-site", 403)] {
          // As browsers send it from a share sheet: no page has caused the request.
          var fields: HTTPFields = [
            "Host": "localhost", "Accept": "text/html", "Content-Type": "multipart/form-data; boundary=x",
            "Origin": "null", "Sec-Fetch-Site": site,
          ]
          for (name, value) in cookie { fields.append(name, value) }
          let form = "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n\r\n"
          let body = Array(form.utf8) + Array(try SiteFixture.jpeg(1)) + Array("\r\n--x--\r\n".utf8)
          let answer = await web.site.respond(
            to: try HTTPRequest(method: .post, target: "/share", fields: fields, body: body))
          #expect(answer.status.rawValue == status, "\(site)")
          #expect(answer.fields["Location"] == (status == 303 ? "/?shared=again" : nil))
        }
      }
      #expect(try await web.store.posts.page(.newest, limit: 1, viewer: nil).isEmpty)
    }
  }

  @Test func `browsers delete what they have stored when a person signs out`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let answer = try await web.ask("DELETE", "/session", try await web.cookie())
      #expect(answer.field("Clear-Site-Data") == "\"cache\"")
      // Also on the page with the devices.
      let cookie = try await web.cookie()
      let you = try await web.get("/you", cookie.merging(["Accept": "application/json"]) { $1 }).json
      let sessions = try #require(you["sessions"])
      let current = try #require(
        (0..<(sessions.count ?? 0)).compactMap { sessions[$0] }.first { $0["isCurrent"] == .bool(true) }?[
          "id"]?
          .number)
      let ended = try await web.ask("POST", "/you/sessions/\(current)/end", cookie)
      #expect(ended.status == 204)
      #expect(ended.field("Clear-Site-Data") == "\"cache\"")
    }
  }
}
