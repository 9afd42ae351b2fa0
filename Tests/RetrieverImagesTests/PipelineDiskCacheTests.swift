import Caches
import Foundation
import Glibc
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct PipelineDiskCacheTests {
  private static let fresh = [("Cache-Control", "max-age=1000"), ("ETag", "\"one\"")]

  private func files(_ directory: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.file("images").path).sorted()
  }

  private func path(_ directory: TemporaryDirectory, _ url: URL, _ suffix: String = "") -> String {
    directory.file("images").path + "/" + ImageResource(identity: url.absoluteString).fileName + suffix
  }

  /// Writes contents to a file of the cache, with the time of the tests' clock.
  private func plant(_ contents: Data, at file: URL) throws {
    try contents.write(to: file)
    try FileManager.default.setAttributes([.modificationDate: ManualDate().now], ofItemAtPath: file.path)
  }

  @Test func `a later process reads an image from disk`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, text: "image") }
    let first = PipelineUnderTest(disk: directory)
    _ = try await first.pipeline.thumbnail(for: .fit(100, server.url()))
    await first.flush()
    let second = PipelineUnderTest(disk: directory)
    let image = try await second.pipeline.thumbnail(for: .fit(300, server.url()))
    #expect(image.isMade(of: Data("image".utf8)))
    #expect(server.requests.count == 1)
  }

  @Test func `another size of an image on disk is not fetched again`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, text: "image") }
    let test = PipelineUnderTest(disk: directory)
    for side in [100, 90, 300] { _ = try await test.pipeline.thumbnail(for: .fit(side, server.url())) }
    #expect(server.requests.count == 1)
    #expect(test.factory.counts.begun == 3)
  }

  @Test func `only the user can access the files`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, text: "image") }
    let test = PipelineUnderTest(disk: directory)
    _ = try await test.pipeline.image(from: server.url())
    await test.flush()
    let names = try files(directory)
    #expect(names.count == 1)
    for (path, mode) in [(directory.file("images").path, 0o700), (self.path(directory, server.url()), 0o600)]
    {
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == mode)
    }
  }

  @Test func aDamagedEntryIsFetchedAgain() async throws {
    let directory = try TemporaryDirectory()
    let body = Data.pattern(count: 3_000)
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, body: body) }
    let first = PipelineUnderTest(disk: directory)
    _ = try await first.pipeline.image(from: server.url())
    await first.flush()
    let file = URL(fileURLWithPath: path(directory, server.url()))
    let complete = try Data(contentsOf: file)
    try plant(complete, at: file)
    let undamaged = PipelineUnderTest(disk: directory)
    #expect(try await undamaged.pipeline.image(from: server.url()).isMade(of: body))
    await undamaged.flush()
    #expect(server.requests.count == 1)
    var damages = [
      Data(), complete.prefix(10), complete.prefix(complete.count - 1), complete + Data([0]),
      Data(count: 5_000),
    ]
    for offset in [3, 9, 20, 28, 40, complete.count - 1_000, complete.count - 20] {
      var changed = complete
      changed[offset] ^= 0x41
      damages.append(changed)
    }
    for (number, damage) in damages.enumerated() {
      try plant(damage, at: file)
      let test = PipelineUnderTest(disk: directory)
      #expect(try await test.pipeline.image(from: server.url()).isMade(of: body))
      #expect(server.requests.count == number + 2)
      await test.flush()
      #expect(try Data(contentsOf: file).count == complete.count)
    }
  }

  @Test func anEntryOfAnotherImageWithTheSameNameIsNotServed() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { Reply(headers: Self.fresh, text: $0.path) }
    let first = PipelineUnderTest(disk: directory)
    _ = try await first.pipeline.image(from: server.url("/a"))
    await first.flush()
    try FileManager.default.moveItem(
      atPath: path(directory, server.url("/a")), toPath: path(directory, server.url("/b")))
    let test = PipelineUnderTest(disk: directory)
    #expect(try await test.pipeline.image(from: server.url("/b")).isMade(of: Data("/b".utf8)))
  }

  @Test func `no-store responses and requests with credentials are not written to disk`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { request in
      Reply(headers: [("Cache-Control", request.path == "/no" ? "no-store" : "max-age=9")], text: "image")
    }
    let test = PipelineUnderTest(disk: directory)
    _ = try await test.pipeline.image(from: server.url("/no"))
    var request = URLRequest(url: server.url("/secret"))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    _ = try await test.pipeline.thumbnail(for: ImageRequest(request, target: nil))
    _ = try await test.pipeline.image(
      from: try #require(URL(string: "http://me:secret@\(server.authority)/user")))
    await test.flush()
    #expect(try files(directory) == [])
  }

  @Test func `an expired image is revalidated and not sent again`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { request in
      request["If-None-Match"] == "\"one\""
        ? Reply(304, headers: [("Cache-Control", "max-age=50")], framing: .none)
        : Reply(headers: [("Cache-Control", "max-age=10"), ("ETag", "\"one\"")], text: "image")
    }
    let date = ManualDate()
    let test = PipelineUnderTest(disk: directory, date: date)
    for (pause, requests) in [(0.0, 1), (9, 1), (2, 2), (40, 2), (11, 3)] {
      date.advance(by: pause)
      test.pipeline.removeAllFromMemory()
      #expect(try await test.pipeline.image(from: server.url()).isMade(of: Data("image".utf8)))
      #expect(server.requests.count == requests)
    }
  }

  @Test(arguments: [
    ("Cache-Control", "no-cache"), ("Cache-Control", "max-age=0"), ("Expires", "0"),
  ])
  func `a 304 response without a lifetime does not make an image fresh for longer`(
    name: String, value: String
  ) async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { request in
      request["If-None-Match"] == "\"one\""
        ? Reply(304, headers: [("ETag", "\"one\"")], framing: .none)
        : Reply(headers: [(name, value), ("ETag", "\"one\"")], text: "image")
    }
    let date = ManualDate()
    let test = PipelineUnderTest(disk: directory, date: date)
    for requests in 1...4 {
      if requests == 3 { test.pipeline.removeAllFromMemory() }
      #expect(try await test.pipeline.image(from: server.url()).isMade(of: Data("image".utf8)))
      #expect(server.requests.count == requests)
      date.advance(by: 1)
    }
    #expect(server.requests.dropFirst().allSatisfy { $0["If-None-Match"] != nil })
  }

  @Test func `an entry of an earlier version is fetched again instead of revalidated`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in
      Reply(headers: [("Cache-Control", "no-cache"), ("ETag", "\"two\"")], text: "two")
    }
    let test = PipelineUnderTest(disk: directory)
    let resource = ImageResource(identity: server.url().absoluteString)
    let never = Freshness(freshUntil: .distantPast, staleUntil: .distantPast)
    var entry = CacheEntry(identity: resource.identity, freshness: never)
    entry.entityTag = "\"one\""
    let encoded = String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
    #expect(!encoded.contains("lifetimeFields"))
    let disk = try #require(test.core.disk)
    let writer = disk.write(resource, entry)
    writer.append(Data("one".utf8))
    writer.commit()
    await test.flush()
    let stored = try await test.pipeline.thumbnail(for: .fit(100, server.url(), .normal, .onlyCached))
    #expect(stored.isMade(of: Data("one".utf8)))
    #expect(try await test.pipeline.image(from: server.url()).isMade(of: Data("two".utf8)))
    #expect(server.requests.map { $0["If-None-Match"] } == [nil])
  }

  @Test func `a new version replaces the old one`() async throws {
    let directory = try TemporaryDirectory()
    let version = Mutex("one")
    let server = try ScriptedServer.http { _ in
      let text = version.withLock { $0 }
      return Reply(headers: [("Cache-Control", "no-cache"), ("ETag", "\"\(text)\"")], text: text)
    }
    let test = PipelineUnderTest(disk: directory)
    for text in ["one", "two"] {
      version.withLock { $0 = text }
      #expect(try await test.pipeline.image(from: server.url()).isMade(of: Data(text.utf8)))
    }
    #expect(server.requests.count == 2)
  }

  @Test func `a confirmed version does not make thumbnails of an older one fresh`() async throws {
    let directory = try TemporaryDirectory()
    let version = Mutex("one")
    let server = try ScriptedServer.http { request in
      let text = version.withLock { $0 }
      let fields = [("Cache-Control", "max-age=10"), ("ETag", "\"\(text)\"")]
      guard request["If-None-Match"] == "\"\(text)\"" else { return Reply(headers: fields, text: text) }
      return Reply(304, headers: fields, framing: .none)
    }
    let date = ManualDate()
    let (test, other) = (
      PipelineUnderTest(disk: directory, date: date), PipelineUnderTest(disk: directory, date: date)
    )
    for side in [90, 100] {
      #expect(
        try await test.pipeline.thumbnail(for: .fit(side, server.url())).isMade(of: Data("one".utf8)))
    }
    // Another pipeline with the same directory stores the next version.
    version.withLock { $0 = "two" }
    date.advance(by: 20)
    _ = try await other.pipeline.thumbnail(for: .fit(50, server.url()))
    await other.flush()
    date.advance(by: 20)
    for side in [90, 100] {
      #expect(
        try await test.pipeline.thumbnail(for: .fit(side, server.url())).isMade(of: Data("two".utf8)))
    }
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"one\"", "\"two\""])
  }

  @Test(arguments: [(true, true), (false, true), (true, false)])
  func `a stale image within its window is returned before it is refreshed`(
    fromMemory: Bool, isStored: Bool
  ) async throws {
    let directory = try isStored ? TemporaryDirectory() : nil
    let release = Gate()
    let server = try ScriptedServer { connection in
      var count = 0
      while try connection.nextRequest() != nil {
        count += 1
        if count > 1 || connection.index > 0 { try connection.wait(for: release) }
        let text = count > 1 || connection.index > 0 ? "new" : "old"
        try connection.send(
          Reply(headers: [("Cache-Control", "max-age=10, stale-while-revalidate=60")], text: text))
      }
    }
    let date = ManualDate()
    let test = PipelineUnderTest(disk: directory, date: date)
    _ = try await test.pipeline.image(from: server.url())
    date.advance(by: 20)
    if !fromMemory { test.pipeline.removeAllFromMemory() }
    // The server answers the refresh only after its gate is open.
    #expect(try await test.pipeline.image(from: server.url()).isMade(of: Data("old".utf8)))
    release.open()
    #expect(await eventually { test.core.state.withLock { $0.machine.jobs.isEmpty } })
    #expect(try await test.pipeline.image(from: server.url()).isMade(of: Data("new".utf8)))
    #expect(server.requests.count == 2)
  }

  @Test func `the onlyCached policy returns only cached images`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in
      Reply(headers: [("Cache-Control", "max-age=1")], text: "image")
    }
    let date = ManualDate()
    let test = PipelineUnderTest(disk: directory, date: date)
    let request = ImageRequest.fit(100, server.url(), .normal, .onlyCached)
    let error = await failure { try await test.pipeline.thumbnail(for: request) }
    #expect((error as? URLError)?.code == .resourceUnavailable)
    _ = try await test.pipeline.thumbnail(for: .fit(90, server.url()))
    date.advance(by: 100)
    #expect(try await test.pipeline.thumbnail(for: request).isMade(of: Data("image".utf8)))
    #expect(server.requests.count == 1)
  }

  @Test func `the reload policy fetches an image that is cached`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, text: "image") }
    let test = PipelineUnderTest(disk: directory)
    for _ in 0..<2 { _ = try await test.pipeline.thumbnail(for: .fit(90, server.url(), .normal, .reload)) }
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0["If-None-Match"] == nil })
  }

  @Test(arguments: [true, false])
  func `a cancelled fetch is resumed in a later process`(isSame: Bool) async throws {
    let directory = try TemporaryDirectory()
    let body = Data.pattern(count: 200_000)
    let half = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        let tag = isSame || connection.index == 0 ? "\"one\"" : "\"two\""
        if let start = request["Range"].flatMap({ Int($0.dropFirst(6).dropLast()) }),
          request["If-Range"] == tag
        {
          try connection.send(
            "HTTP/1.1 206 Partial Content\r\nETag: \(tag)\r\nContent-Length: \(body.count - start)\r\n"
              + "Cache-Control: max-age=50\r\n"
              + "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)\r\n\r\n")
          try connection.send(body[start...])
          continue
        }
        try connection.send("HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: \(body.count)\r\n\r\n")
        guard connection.index == 0 else {
          try connection.send(body)
          continue
        }
        try connection.send(body[..<80_000])
        half.open()
        try connection.readUntilClosed()
      }
    }
    let first = PipelineUnderTest(disk: directory)
    let load = first.pipeline.load(.fit(100, server.url()))
    #expect(await half.wait())
    #expect(
      await eventually {
        first.core.state.withLock { $0.works.values.first?.fetch }?.bytes.count == 80_000
      })
    load.cancel()
    await first.flush()
    // The partial file is written a moment after the work has ended.
    #expect(try await eventually { try files(directory).first?.hasSuffix(".part") == true })
    await first.flush()

    let second = PipelineUnderTest(disk: directory)
    #expect(try await second.pipeline.image(from: server.url()).isMade(of: body))
    #expect(server.requests.last?["Range"] == "bytes=80000-")
    #expect(server.requests.last?["If-Range"] == "\"one\"")
    await second.flush()
    let third = PipelineUnderTest(disk: directory)
    #expect(try await third.pipeline.image(from: server.url()).isMade(of: body))
    #expect(server.requests.count == 2)
    #expect(try files(directory).count == 1)
  }

  @Test func `a damaged partial file is not resumed`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, text: "image") }
    _ = PipelineUnderTest(disk: directory)
    let part = URL(fileURLWithPath: path(directory, server.url(), ".part"))
    for contents in [Data(), Data("nonsense".utf8), Data(count: 4_000)] {
      try plant(contents, at: part)
      let test = PipelineUnderTest(disk: directory)
      let request = ImageRequest.fit(90, server.url(), .normal, .use)
      #expect(try await test.pipeline.thumbnail(for: request).isMade(of: Data("image".utf8)))
      await test.flush()
      test.core.disk?.remove(ImageResource(identity: server.url().absoluteString))
      await test.flush()
    }
    #expect(server.requests.allSatisfy { $0["Range"] == nil })
  }

  @Test func `images are loaded without a disk cache if its directory is not usable`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(), to: "file")
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest { $0.diskCache = DiskCacheOptions(directory: file) }
    _ = try await test.pipeline.image(from: server.url())
    #expect(test.core.disk == nil)
  }

  @Test func aDigestDoesNotDependOnThePieces() {
    let data = Data.pattern(count: 1_000)
    var generator = SeededGenerator(seed: 5)
    var complete = ContentDigest()
    data.withUnsafeBytes { complete.update($0) }
    for _ in 0..<50 {
      var pieces = ContentDigest()
      var rest = data[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...40, using: &generator))
        piece.withUnsafeBytes { pieces.update($0) }
        rest = rest.dropFirst(piece.count)
      }
      #expect(pieces.value == complete.value && pieces.count == 1_000)
    }
  }

  @Test func `images are not stored if the session identifies the user`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, text: "image") }
    let cookie = try #require(
      HTTPCookie(properties: [.name: "session", .value: "secret", .domain: "127.0.0.1", .path: "/"]))
    let space = URLProtectionSpace(
      host: "127.0.0.1", port: server.url().port ?? 80, protocol: "http", realm: nil,
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    let changes: [(URLSessionConfiguration) -> Void] = [
      { $0.httpAdditionalHeaders = ["X-Api-Key": "secret"] },
      {
        $0.httpCookieStorage = HTTPCookieStorage()
        $0.httpCookieStorage?.setCookie(cookie)
      },
      {
        $0.urlCredentialStorage = URLCredentialStorage()
        $0.urlCredentialStorage?.set(
          URLCredential(user: "me", password: "secret", persistence: .forSession), for: space)
      },
    ]
    for change in changes {
      let test = PipelineUnderTest(disk: directory) { change($0.session) }
      _ = try await test.pipeline.image(from: server.url())
      await test.flush()
      #expect(try files(directory) == [])
    }
    let nonIdentifying = PipelineUnderTest(disk: directory) {
      $0.session.httpAdditionalHeaders = ["Accept-Language": "de"]
      $0.session.httpCookieStorage = HTTPCookieStorage()
    }
    _ = try await nonIdentifying.pipeline.image(from: server.url())
    await nonIdentifying.flush()
    #expect(try files(directory).count == 1)
  }

  /// Answers each challenge with a password.
  private final class Gatekeeper: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      (.useCredential, URLCredential(user: "me", password: "secret", persistence: .forSession))
    }
  }

  @Test func `images from a server to which the delegate has signed in are not stored`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { request in
      if request.path == "/public" || request["Authorization"] != nil {
        return Reply(headers: Self.fresh, text: "image")
      }
      return Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"kennel\"")])
    }
    let test = PipelineUnderTest(disk: directory) { $0.sessionDelegate = Gatekeeper() }
    _ = try await test.pipeline.image(from: server.url("/public"))
    await test.flush()
    #expect(try files(directory).count == 1)
    _ = try await test.pipeline.image(from: server.url("/private"))
    _ = try await test.pipeline.image(from: server.url("/private/another"))
    await test.flush()
    #expect(try files(directory).count == 1)
  }

  @Test func aDirectoryOfAnotherUserIsNotUsed() throws {
    let directory = try TemporaryDirectory()
    let mine = directory.file("images")
    try FileManager.default.createDirectory(at: mine, withIntermediateDirectories: false)
    #expect(DiskCache(DiskCacheOptions(directory: mine), now: { Date() }) != nil)
    // Only root can give a directory to another user; for other users, root's directory serves.
    let others = geteuid() == 0 ? mine : URL(fileURLWithPath: "/")
    if geteuid() == 0 { #expect(chown(mine.path, 65_534, 65_534) == 0) }
    #expect(DiskCache(DiskCacheOptions(directory: others), now: { Date() }) == nil)
  }
}
