#if !canImport(Darwin)

import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

/// The documentation's examples work as documented, and the documentation contains exactly this code.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
  private typealias Examples = DocumentationExamples

  private let examples = DocumentationExamples()

  private func serve(_ path: String, _ reply: Reply, _ body: (URL) async throws -> Void) async throws {
    let server = try ScriptedServer.http { $0.path == path ? reply : Reply(404) }
    try await body(server.url(path))
    server.stop()
  }

  // MARK: Getting started

  @Test func aPhotoIsFetchedAndAMissingOneThrows() async throws {
    try await serve("/photo", Reply(body: Data(repeating: 7, count: 5000))) { (url: URL) async throws in
      #expect(try await examples.fetchPhoto(url: url).count == 5000)
      await #expect(throws: Examples.PhotoError.self) {
        try await examples.fetchPhoto(url: url.appendingPathComponent("no"))
      }
    }
  }

  @Test func dogsAreFetchedAndAdded() async throws {
    try await serve("/dogs", Reply(text: #"[{"name":"Rex","age":5}]"#)) { (url: URL) async throws in
      #expect(try await examples.fetchDogs(url: url).map(\.name) == ["Rex"])
    }
    let server = try ScriptedServer.http { _ in Reply(201) }
    try await examples.add(.init(name: "Momo", age: 7), to: server.url("/dogs"))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(try JSONDecoder().decode(Examples.Dog.self, from: request.body).name == "Momo")
  }

  @Test func aFileIsUploadedAndAnotherDownloaded() async throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer.http { $0.method == "POST" ? Reply(201) : Reply(text: "a photo") }
    try await examples.upload(try folder.write(Data("woof".utf8), to: "photo"), to: server.url())
    #expect(server.requests.first?.text == "woof")
    let place = folder.file("downloaded")
    try await examples.download(server.url(), to: place)
    #expect(try Data(contentsOf: place) == Data("a photo".utf8))
  }

  @Test func `an interrupted upload continues in another task`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 2)]
    behavior.head = { $0 == 0 ? Reply(503, framing: .none) : $1 }
    let server = try ResumableUploadServer(behavior)
    let folder = try TemporaryDirectory()
    let file = try folder.write(Data("woof".utf8), to: "photo")
    #expect(try await examples.uploadPatiently(file, with: URLRequest(url: server.url())) == Data("4".utf8))
    #expect(server.uploads.map(\.bytes) == [Data("woof".utf8)])
  }

  @Test func favouritesAreFollowedOnTheMainActor() async throws {
    let text = #"{"photo":"a","count":1}"# + "\n" + #"{"photo":"b","count":2}"# + "\n"
    try await serve("/favourites", Reply(text: text, framing: .chunked(3))) { (url: URL) async throws in
      let counts = try await followOnMainActor(url)
      #expect(counts == ["a": 1, "b": 2])
      #expect(try await examples.total(url: url) == 3)
    }
  }

  @MainActor private func followOnMainActor(_ url: URL) async throws -> [String: Int] {
    var counts: [String: Int] = [:]
    try await examples.followFavourites(url: url) { counts[$0.photo] = $0.count }
    return counts
  }

  @Test func `the delegate of a single task signs in`() async throws {
    let server = try ScriptedServer.http { request in
      request["Authorization"] == "Basic \(Data("dog:biscuit".utf8).base64EncodedString())"
        ? Reply(text: "private")
        : Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"kennel\"")])
    }
    #expect(try await examples.fetchPrivatePhoto(url: server.url()) == Data("private".utf8))
  }

  @Test func `cancelling the task prevents the second load`() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    await examples.cancelTwoLoads(first: server.url("/first"), second: server.url("/second"))
    #expect(!server.requests.contains { $0.path == "/second" })
  }

  @Test func `a custom session sends its header fields`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0["Accept"] ?? "nothing") }
    #expect(try await examples.fetchWithTimeout(url: server.url()) == Data("image/jpeg".utf8))
  }

  @Test func `a completion handler receives the result`() async throws {
    try await serve("/photo", Reply(text: "12345")) { (url: URL) async throws in
      let size = try await withCheckedThrowingContinuation { continuation in
        examples.fetchSize(url: url) { continuation.resume(with: $0) }
      }
      #expect(size == 5)
      _ = try await URLSession.shared.data(from: url, delegate: Examples.Stopwatch())
    }
  }

  // MARK: Beyond Apple

  @Test func chunksAreCopiedToAFile() async throws {
    let folder = try TemporaryDirectory()
    let contents = Data.pattern(count: 300_000)
    let file = try folder.write(Data(), to: "copy")
    try await serve("/photo", Reply(body: contents)) { (url: URL) async throws in
      let handle = try FileHandle(forWritingTo: file)
      try await examples.copy(url, to: handle)
      try handle.close()
    }
    #expect(try difference(Data(contentsOf: file), contents) == nil)
  }

  @Test func `lines that include empty ones show paragraphs`() async throws {
    try await serve("/text", Reply(text: "one\nstill one\n\n\ntwo\n\nthree")) { (url: URL) async throws in
      #expect(try await examples.countParagraphs(url: url) == 3)
    }
  }

  @Test func eventsAreFollowedAcrossAReconnection() async throws {
    let server = try ScriptedServer.http { request in
      request["Last-Event-ID"] == nil ? Reply(text: "id: 7\nretry: 1\ndata: woof\n\n") : Reply(204)
    }
    let seen = Mutex<[String]>([])
    try await examples.followEvents(url: server.url()) { event in seen.withLock { $0.append(event.data) } }
    #expect(seen.withLock { $0 } == ["woof"])
    #expect(server.requests.last?["Last-Event-ID"] == "7")
  }

  @Test func thePreviewSessionDoesNotReachThisMachine() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let session = try examples.makePreviewSession()
    await #expect { _ = try await session.data(from: server.url()) } throws: {
      ($0 as? URLError)?.code == .dataNotAllowed
    }
    #expect(server.connectionCount == 0)
    session.invalidateAndCancel()
  }

  @Test func aSessionIsRecorded() async throws {
    let folder = try TemporaryDirectory()
    try await serve("/photo", Reply(text: "woof")) { (url: URL) async throws in
      try await examples.record(url, to: folder.file("session.har"))
    }
    #expect(
      String(decoding: try Data(contentsOf: folder.file("session.har")), as: UTF8.self).contains("woof"))
  }

  @Test func `a request reaches a service over its Unix-domain socket`() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("service")
    let server = try ScriptedServer.http(on: .unixSocket(path)) { Reply(text: $0.path) }
    let answer = try await examples.askLocalService(socketPath: path, url: server.url("/status"))
    #expect(answer == Data("/status".utf8))
  }

  @Test func `a session uses the transport of its own`() async throws {
    let session = examples.makeFastSession()
    #expect(session.configuration.transport == .own)
    let server = try ScriptedServer.http { _ in Reply(text: "woof") }
    #expect(try await session.data(from: server.url()).0 == Data("woof".utf8))
    session.invalidateAndCancel()
  }

  @Test func `a session with custom certificate authorities is created`() {
    let file = URL(fileURLWithPath: "/etc/our-authority.pem")
    let session = examples.makeInternalSession(certificates: file)
    #expect(session.configuration.trustedCertificates == .file(file))
    session.invalidateAndCancel()
  }

  @Test func `a response is stored in a directory, and an offline load finds nothing elsewhere`() async throws
  {
    let folder = try TemporaryDirectory()
    let reply = Reply(headers: [("Cache-Control", "max-age=60")], text: "woof")
    let server = try ScriptedServer.http { _ in reply }
    let session = examples.makeCachingSession(directory: folder.file("cache"))
    for _ in 0..<2 { #expect(try await session.data(from: server.url()).0 == Data("woof".utf8)) }
    #expect(server.requests.count == 1)
    session.invalidateAndCancel()
    #expect(try await examples.loadOffline(server.url("/other")) == nil)
  }

  // MARK: Text

  @Test func `every Swift example of the documentation is part of a test`() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let text = try DocumentationText(root: tests.deletingLastPathComponent().deletingLastPathComponent())
    #expect(text.examples.count > 10)
    for example in text.examples {
      let isCompiled = text.isCompiled(example)
      #expect(isCompiled, "in \(example.place):\n\(example.code)")
    }
  }
}

#endif
