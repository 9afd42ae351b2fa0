import Foundation
import HTTPService
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// The archive of an album over HTTP.
@Suite(.timeLimit(.minutes(5))) struct WebArchiveTests {
  /// Runs a kennel with an album of two photos with metadata, and a third photo that is not in it.
  private func withAlbum(
    isOpen: Bool = false, clock: KennelClock = .system,
    _ body: (SiteFixture, _ ada: [String: String]) async throws -> Void
  ) async throws {
    try await withSite(clock: clock) {
      $0.isOpenToEveryone = isOpen
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...3 {
        try await web.addCameraPhoto(
          number, by: ada, caption: "Same/name", taken: try .at("202\(number)-03-04T05:06:08Z"))
      }
      _ = try await web.store.albums.make(title: "Lake \"& sea\" 犬", posts: [1, 2], by: ada.id)
      try await body(web, try await web.cookie("Ada"))
    }
  }

  private func list(_ data: Data) throws -> String {
    let directory = try TemporaryDirectory()
    let path = directory.path("album.zip")
    try data.write(to: URL(filePath: path))
    // For unzip, an archive without entries is a mistake.
    if data.count > 22 {
      #expect(try ChildProcess.run(["/usr/bin/unzip", "-t", path]).contains("No errors detected"))
    }
    let script = """
      import hashlib, sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      assert archive.testzip() is None
      for info in archive.infolist():
        print(info.filename, info.date_time[0], hashlib.sha256(archive.read(info)).hexdigest())
      """
    return try ChildProcess.run(["python3", "-c", script, path])
  }

  @Test func `an archive has exactly the photos of the album, without their metadata`() async throws {
    try await withAlbum { web, ada in
      let answer = try await web.get("/albums/1/zip", ada)
      #expect(answer.status == 200 && answer.field("Content-Type") == "application/zip")
      #expect(answer.field("Content-Length") == "\(answer.data.count)")
      #expect(answer.field("Cache-Control") == "no-store")
      #expect(
        answer.field("Content-Disposition")
          == "attachment; filename=\"album-1.zip\"; filename*=UTF-8''Lake%20-%26%20sea-%20%E7%8A%AC.zip")
      #expect(!CameraPhoto.isLeaking(answer.data))
      var expected = ""
      for post in try await web.store.posts.posts([1, 2]) {
        expected += "00\(post.id) Same-name.jpg 202\(post.id) \(post.photo)\n"
      }
      #expect(try list(answer.data) == expected)
      let head = try await web.ask("HEAD", "/albums/1/zip", ada)
      #expect(head.field("Content-Length") == "\(answer.data.count)" && head.data.isEmpty)
      #expect(try await web.get("/albums/9/zip", ada).status == 404)
      #expect(try await web.get("/albums/1/zip").status == 401)
    }
  }

  @Test func `who has a link to the album gets its archive, and nobody else`() async throws {
    try await withAlbum { web, ada in
      let token = try await web.store.posts.makeLink(to: .album(1), by: 1, lifetime: nil).token.text
      #expect(try await web.get("/s/\(token)").text.contains("\"/s/\(token)/zip\""))
      let answer = try await web.get("/s/\(token)/zip")
      #expect(answer.status == 200 && !CameraPhoto.isLeaking(answer.data))
      #expect(answer.field("Referrer-Policy") == "no-referrer" && answer.field("Cache-Control") == "no-store")
      #expect(answer.data == (try await web.get("/albums/1/zip", ada).data))
      #expect(try await web.ask("DELETE", "/posts/2", ada).status == 204)
      #expect(try list(await web.get("/s/\(token)/zip").data).split(separator: "\n").count == 1)
      let photo = try await web.store.posts.makeLink(to: .post(1), by: 1, lifetime: nil).token.text
      #expect(try await web.get("/s/\(photo)/zip").status == 404)
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about files in the directory"))
  func `a photo without a file is left out`() async throws {
    try await withAlbum(isOpen: true) { web, _ in
      let post = try await web.store.posts.post(1)
      try FileCalls.remove(web.store.photos.location(post.photo))
      #expect(try list(await web.get("/albums/1/zip").data).hasPrefix("001 Same-name.jpg 2022"))
      let empty = try await web.store.albums.make(title: "Empty", by: 1).id
      #expect(try list(await web.get("/albums/\(empty)/zip").data) == "")
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about files in the directory"))
  func `a photo that cannot be examined or opened does not stop the others`() async throws {
    try await withAlbum(isOpen: true) { web, _ in
      _ = try await web.store.albums.add([3], to: 1, by: nil)
      try await web.store.database.write { transaction throws(KennelError) -> Void in
        try transaction.connection.run("UPDATE posts SET metadata = NULL WHERE id < 3")
      }
      let (missing, damaged) = (try await web.store.posts.post(1), try await web.store.posts.post(2))
      try FileCalls.remove(web.store.photos.location(missing.photo))
      try Data(count: damaged.byteCount).write(
        to: URL(filePath: web.store.photos.location(damaged.photo)))
      let answer = try await web.get("/albums/1/zip")
      #expect(answer.status == 200)
      let listing = try list(answer.data)
      #expect(listing.hasPrefix("001 Same-name.jpg 2023") && listing.split(separator: "\n").count == 1)
    }
  }

  /// What ends the download of an archive.
  enum Ending: CaseIterable {
    case linkRevoked, linkExpired, albumDeleted, photoTakenOut, photoBinned, photoChanged
    case sessionEnded, passwordChanged, kennelClosed
  }

  @Test(arguments: Ending.allCases)
  func `a download breaks off when its reader may not get the next photo`(ending: Ending) async throws {
    let time = ManualKennelClock()
    try await withAlbum(isOpen: false, clock: time.clock) { web, ada in
      let endpoints = web.site.endpoints.archives
      let made = try await web.store.posts.makeLink(to: .album(1), by: 1, lifetime: .seconds(60))
      var call = Call(request: try HTTPRequest(target: "/"))
      switch ending {
      case .sessionEnded:
        let cookie = try #require(ada["Cookie"])
        call.request = try HTTPRequest(target: "/", fields: ["Cookie": cookie])
      case .passwordChanged:
        let authorization = try #require(SiteFixture.basic("Ada")["Authorization"])
        call.request = try HTTPRequest(target: "/", fields: ["Authorization": authorization])
      case .kennelClosed: try await web.store.setVisibility(.everyone)
      default: (call.link, call.secret) = (made.link, made.token.text)
      }
      let archive = try await endpoints.archive(of: try await web.store.albums.album(1), for: call)
      #expect(archive.items.map(\.post) == [1, 2])
      var byteCount: Int64 = 0
      try await archive.write { byteCount += Int64($0.count) }
      #expect(byteCount == archive.byteCount)

      byteCount = 0
      var hasBegun = false
      await #expect(throws: Problem.self) {
        try await archive.write { piece in
          byteCount += Int64(piece.count)
          guard !hasBegun else { return }
          hasBegun = true
          switch ending {
          case .linkRevoked: try await web.store.posts.revokeLink(made.link.id)
          case .linkExpired: time.advance(by: .seconds(60))
          case .albumDeleted: try await web.store.albums.delete(1, by: nil)
          case .photoTakenOut: _ = try await web.store.albums.remove([2], from: 1, by: nil)
          case .photoBinned: try await web.store.posts.moveToBin(2, by: 1)
          case .photoChanged: try await web.store.posts.setSharesMetadata(true, of: 2, by: 1)
          case .sessionEnded: #expect(try await web.ask("DELETE", "/session", ada).status == 204)
          case .passwordChanged: try await web.store.accounts.setPassword("another horse", of: 1)
          case .kennelClosed: try await web.store.setVisibility(.people)
          }
        }
      }
      // The first photo was sent, and nothing of the second one.
      let first = try #require(archive.items.first)
      let rest = byteCount - first.entry.byteCount
      #expect(rest > 0 && rest < 100)
    }
  }

  @Test func `few archives are sent at the same time`() async throws {
    try await withAlbum(isOpen: true) { web, _ in
      let limit = web.site.endpoints.archives.sent
      let permits = try (1...16).map { _ in try limit.begin() }
      let refusal = try await web.get("/albums/1/zip")
      #expect(refusal.status == 503 && refusal.field("Retry-After") == "5")
      permits.first?.end()
      permits.first?.end()
      #expect(limit.currentCount == 15)
      // Each answer gives its permit back, also without a body, and when there is no archive.
      for (method, path, status) in [
        ("GET", "/albums/1/zip", 200), ("HEAD", "/albums/1/zip", 200), ("GET", "/albums/9/zip", 404),
        ("GET", "/albums/1/zip", 200),
      ] {
        while limit.currentCount > 15 { await Task.yield() }
        #expect(try await web.ask(method, path).status == status)
      }
      while limit.currentCount > 15 { await Task.yield() }
      withExtendedLifetime(permits) {}
    }
  }
}
