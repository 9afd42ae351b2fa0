import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct PipelineUpdatesTests {
  private static let hash = ThumbHash(
    Data([0x80, 0x08, 0x02, 0x03, 0x00] + [UInt8](repeating: 0x77, count: 20)))

  @Test func `the updates are the placeholder, the progress and the image`() async throws {
    let body = Data.pattern(count: 50_000)
    let server = try ScriptedServer.http { _ in Reply(body: body) }
    let test = PipelineUnderTest()
    var kinds: [String] = []
    var received = 0
    let placeholder = try #require(Self.hash)
    for try await update in test.pipeline.updates(for: .fit(100, server.url()), placeholder: placeholder) {
      switch update {
      case .placeholder: kinds.append("placeholder")
      case .progress(let progress):
        if kinds.last != "progress" { kinds.append("progress") }
        #expect(progress.receivedBytes > received && progress.expectedBytes == 50_000)
        received = progress.receivedBytes
      case .preview: break
      case .image(let image):
        kinds.append("image")
        #expect(image.isMade(of: body))
      }
    }
    #expect(kinds == ["placeholder", "progress", "image"])
    #expect(received == 50_000)
  }

  @Test func `previews are made while bytes are awaited`() async throws {
    let (watched, shown) = (Gate(), Gate())
    let server = try ScriptedServer([
      .readRequest, .waitFor(watched), .send("HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n"),
      .send(Data(count: 20_000)), .waitFor(shown), .send(Data(count: 20_000)),
    ])
    let test = PipelineUnderTest()
    let plain = test.pipeline.load(.fit(100, server.url()))
    // A request after the first half gets no preview before the second half.
    let core = test.core
    async let isWatched = {
      let isWatched = await eventually { core.state.withLock { $0.observers } == 1 }
      watched.open()
      return isWatched
    }()
    var previews = 0
    for try await update in test.pipeline.updates(for: .fit(100, server.url())) {
      if case .preview = update {
        previews += 1
        shown.open()
      }
    }
    #expect(await isWatched)
    #expect(previews >= 1 && previews <= 3)
    _ = try await plain.value
  }

  @Test func `a load without updates makes no previews`() async throws {
    let server = try ScriptedServer.http { _ in Reply(body: Data(count: 100_000)) }
    let test = PipelineUnderTest()
    _ = try await test.pipeline.thumbnail(for: .fit(100, server.url()))
    #expect(test.factory.counts.previews == 0)
  }

  @Test func `leaving the loop cancels the load`() async throws {
    let left = Gate()
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n"), .send(Data(count: 20_000)),
      .readUntilClosed, .open(left),
    ])
    let test = PipelineUnderTest()
    for try await _ in test.pipeline.updates(for: .fit(100, server.url())) { break }
    #expect(await left.wait())
    #expect(await eventually { test.core.state.withLock { $0.observers == 0 && $0.loads.isEmpty } })
  }

  @Test func anErrorEndsTheUpdates() async throws {
    let server = try ScriptedServer.http { _ in Reply(404) }
    let test = PipelineUnderTest()
    let error = await failure {
      for try await _ in test.pipeline.updates(for: .fit(100, server.url())) {}
    }
    #expect((error as? URLError)?.code == .badServerResponse)
  }
}
