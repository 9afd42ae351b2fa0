import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct PipelineRequestTests {
  @Test func onlyHTTPIsFetchedUnlessFilesAreAllowed() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("image".utf8), to: "a.jpg")
    let test = PipelineUnderTest()
    for text in ["ftp://example.com/a.jpg", "data:image/png;base64,AA==", file.absoluteString, "about:blank"]
    {
      let url = try #require(URL(string: text))
      let error = await failure { try await test.pipeline.image(from: url) }
      #expect((error as? URLError)?.code == .unsupportedURL)
    }
    let open = PipelineUnderTest { $0.allowsFileURLs = true }
    #expect(try await open.pipeline.image(from: file).isMade(of: Data("image".utf8)))
    let missing = await failure { try await open.pipeline.image(from: directory.file("none")) }
    #expect((missing as? URLError)?.code == .fileDoesNotExist)
    let folder = await failure { try await open.pipeline.image(from: directory.url) }
    #expect((folder as? URLError)?.code == .cannotOpenFile)
  }

  @Test func onlyGETWithoutABodyIsSent() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    var post = URLRequest(url: url)
    post.httpMethod = "POST"
    var query = URLRequest(url: url)
    query.httpBody = Data("which".utf8)
    let test = PipelineUnderTest()
    for request in [post, query] {
      let error = await failure { try await test.pipeline.thumbnail(for: ImageRequest(request, target: nil)) }
      #expect((error as? ImageError)?.code == .invalidRequest)
    }
  }

  @Test func `a thumbnail without pixels or with too long a side is an invalid request`() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let test = PipelineUnderTest()
    let sizes = [(0, 10), (10, -1), (.nan, 10), (65_536, 10)] as [(Double, Double)]
    for size in sizes.map({ CGSize(width: $0, height: $1) }) {
      let error = await failure { try await test.pipeline.thumbnail(from: url, fitting: size) }
      #expect((error as? ImageError)?.code == .invalidRequest)
    }
  }

  @Test func anAnnouncedLengthOverTheLimitEndsTheFetch() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n"), .readUntilClosed,
    ])
    let test = PipelineUnderTest()
    let error = await failure { try await test.pipeline.image(from: server.url()) }
    #expect((error as? ImageError)?.code == .tooLarge)
    #expect(test.factory.counts.begun == 0)
  }

  @Test func bytesOverTheLimitEndTheFetch() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
      .sendForever(String(repeating: "x", count: 10_000)),
    ])
    let test = PipelineUnderTest { $0.limits.bytes = 100_000 }
    let error = await failure { try await test.pipeline.image(from: server.url()) }
    #expect((error as? ImageError)?.code == .tooLarge)
  }

  @Test func `the address policy applies to the session`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest { $0.addressPolicy = .publicOnly }
    let error = await failure { try await test.pipeline.image(from: server.url()) }
    #expect((error as? URLError)?.code == .dataNotAllowed)
    #expect(server.connectionCount == 0)
    #expect(ImagePipeline.Configuration.server.addressPolicy == .publicOnly)
  }

  @Test func anImageThatCannotBeReadIsAnImageError() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "bad image") }
    let directory = try TemporaryDirectory()
    let test = PipelineUnderTest(disk: directory)
    let error = await failure { try await test.pipeline.image(from: server.url()) }
    #expect((error as? ImageError)?.code == .corrupt)
    await test.flush()
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.file("images").path)
    #expect(left == [])
  }

  @Test func `the priority decides which image is fetched next, even after a change`() async throws {
    let busy = Gate()
    let release = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.path == "/first" {
          busy.open()
          try connection.wait(for: release)
        }
        try connection.send(Reply(text: "image"))
      }
    }
    let test = PipelineUnderTest { $0.maximumFetches = 1 }
    let first = test.pipeline.load(.fit(100, server.url("/first")))
    #expect(await busy.wait())
    let low = test.pipeline.load(.fit(100, server.url("/low"), .low))
    let normal = test.pipeline.load(.fit(100, server.url("/normal")))
    low.priority = .high
    #expect(low.priority == .high)
    // Both have been looked up, and wait for the slot.
    #expect(await eventually { test.core.state.withLock { $0.machine.fetchQueue.count } == 2 })
    release.open()
    for load in [first, low, normal] { _ = try await load.value }
    #expect(server.requests.map(\.path) == ["/first", "/low", "/normal"])
  }

  @Test func `requests join prefetches`() async throws {
    let asked = Gate()
    let release = Gate()
    let server = try ScriptedServer { connection in
      while try connection.nextRequest() != nil {
        asked.open()
        try connection.wait(for: release)
        try connection.send(Reply(text: "image"))
      }
    }
    let test = PipelineUnderTest { $0.maximumFetches = 3 }
    let requests = (0..<3).map { ImageRequest.fit(100, server.url("/\($0)")) }
    test.pipeline.prefetch(requests)
    test.pipeline.prefetch(requests)
    #expect(await asked.wait())
    #expect(server.requests.count == 1)
    // The order of the cache lookups decides which one is fetched first. Of the others, one is joined and one is
    // cancelled.
    let begun = try #require(requests.firstIndex { $0.urlRequest.url?.path == server.requests.first?.path })
    let (joinedOne, givenUp) = (requests[(begun + 1) % 3], requests[(begun + 2) % 3])
    let joined = test.pipeline.load(joinedOne)
    test.pipeline.cancelPrefetch([joinedOne, givenUp])
    release.open()
    _ = try await joined.value
    _ = try await test.pipeline.thumbnail(for: requests[begun])
    #expect(await eventually { test.core.state.withLock { $0.machine.jobs.isEmpty } })
    #expect(!server.requests.contains { $0.path == givenUp.urlRequest.url?.path })
    #expect(server.requests.count == 2)
    #expect(test.core.state.withLock { $0.prefetches.count } == 0)
  }

  @Test func `the number of prefetches is limited`() {
    var list = PrefetchList()
    var given: [LoadState] = []
    for number in 0..<(PrefetchList.maximumCount + 5) {
      let load = LoadState(priority: .normal, isPrefetch: true)
      given.append(load)
      let (isNew, pushedOut) = list.add(.fit(number + 1, URL(fileURLWithPath: "/")), load)
      #expect(isNew)
      #expect(
        pushedOut === (number < PrefetchList.maximumCount ? nil : given[number - PrefetchList.maximumCount]))
    }
    #expect(list.count == PrefetchList.maximumCount)
  }
}
