import Foundation
import Retriever
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct PipelineCoalescingTests {
  @Test func `a thousand requests for 200 images make 200 fetches and decodes`() async throws {
    let allRequested = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        try connection.wait(for: allRequested)
        try connection.send(Reply(text: "image \(request.path)"))
      }
    }
    let test = PipelineUnderTest()
    let loads = (0..<1_000).map { number in
      test.pipeline.load(.fit([100, 150, 220][number / 200 % 3], server.url("/\(number % 200)")))
    }
    allRequested.open()
    for (number, load) in loads.enumerated() {
      #expect(try await load.value.isMade(of: Data("image /\(number % 200)".utf8)))
    }
    #expect(server.requests.count == 200)
    #expect(test.factory.counts.begun == 200 && test.factory.counts.derived == 0)
    #expect(server.connectionCount <= 6)
  }

  @Test func `a small size requested later is made from the larger one`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest(factory: FakeWorkerFactory(feeding: Gate()))
    let large = test.pipeline.load(.fit(200, server.url()))
    #expect(await test.factory.hasBegun.wait())
    let small = test.pipeline.load(.fit(100, server.url()))
    test.factory.feeding?.open()
    _ = try await (large.value, small.value)
    #expect(test.factory.counts.begun == 1 && test.factory.counts.derived == 1)
    _ = try await test.pipeline.thumbnail(for: .fit(50, server.url()))
    #expect(test.factory.counts.begun == 1 && test.factory.counts.derived == 2)
    #expect(server.requests.count == 1)
  }

  @Test func `a size that cannot be made from an image in memory does not fail the others`() async throws {
    let release = Gate()
    let test = PipelineUnderTest(factory: FakeWorkerFactory(deriving: release)) { $0.maximumDecodes = 1 }
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    let image = Data("image".utf8)
    test.core.memory.insert(
      .init(.pixel(of: image), .always), ImageResource(identity: url.absoluteString), .fullSize)
    let first = test.pipeline.load(.fit(50, url))
    #expect(await eventually { test.factory.counts.derived == 1 })
    // Both wait for the slot, so that one pass makes them.
    let target = ThumbnailTarget(width: 20_000, height: 20_000, enlarges: true)
    let invalid = test.pipeline.load(ImageRequest(url: url, target: target))
    let valid = test.pipeline.load(.fit(90, url))
    release.open()
    for load in [first, valid] { #expect(try await load.value.isMade(of: image)) }
    let error = await failure { try await invalid.value } as? ImageError
    #expect(error?.code == .invalidRequest)
  }

  @Test func `another size requested later is decoded from the bytes in memory`() async throws {
    let allRequested = Gate()
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 5\r\n\r\nim"),
      .waitFor(allRequested), .send("age"), .readUntilClosed,
    ])
    let test = PipelineUnderTest()
    let first = test.pipeline.load(.fit(200, server.url()))
    #expect(await test.factory.hasBegun.wait())
    let second = test.pipeline.load(.fit(300, server.url()))
    let third = test.pipeline.load(.fit(150, server.url()))
    allRequested.open()
    for load in [first, second, third] { #expect(try await load.value.isMade(of: Data("image".utf8))) }
    #expect(test.factory.counts.forms == [[.fit(200)], [.fit(300), .fit(150)]])
    #expect(server.requests.count == 1)
  }

  @Test func `a thumbnail in memory is returned without a fetch`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest()
    let first = try await test.pipeline.thumbnail(for: .fit(100, server.url()))
    let second = try await test.pipeline.thumbnail(for: .fit(100, server.url(), .low))
    #expect(first === second)
    test.pipeline.removeAllFromMemory()
    _ = try await test.pipeline.thumbnail(for: .fit(100, server.url()))
    #expect(server.requests.count == 2)
  }

  @Test func `a no-store response is not kept in memory`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [("Cache-Control", "no-store")], text: "image")
    }
    let test = PipelineUnderTest()
    for _ in 0..<2 { _ = try await test.pipeline.thumbnail(for: .fit(100, server.url())) }
    #expect(server.requests.count == 2)
  }

  @Test func `requests with different header fields do not share an image`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0["Accept-Language"] ?? "") }
    let test = PipelineUnderTest()
    for language in ["de", "fr"] {
      var request = URLRequest(url: server.url())
      request.setValue(language, forHTTPHeaderField: "Accept-Language")
      let image = try await test.pipeline.thumbnail(for: ImageRequest(request, target: nil))
      #expect(image.isMade(of: Data(language.utf8)))
    }
  }

  @Test func `URLs that differ only in the fragment share an image`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "image") }
    let test = PipelineUnderTest()
    _ = try await test.pipeline.image(from: server.url("/a#one"))
    _ = try await test.pipeline.image(from: server.url("/a#two"))
    #expect(server.requests.count == 1)
  }
}
