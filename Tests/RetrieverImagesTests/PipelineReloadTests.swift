import Foundation
import Retriever
import TestSupport
import Testing

@testable import RetrieverImages

/// Reloads while the same image is fetched or decoded for other requests.
@Suite(.timeLimit(.minutes(5))) struct PipelineReloadTests {
  private static let one = Data.pattern(count: 60_000)
  private static let two = Data("two".utf8) + Data.pattern(count: 50_000)

  private static func head(_ tag: String, _ body: Data) -> String {
    "HTTP/1.1 200 OK\r\nETag: \"\(tag)\"\r\nCache-Control: max-age=1000\r\nContent-Length: \(body.count)\r\n\r\n"
  }

  /// Waits until a job with a policy has received that many bytes.
  private func waitForBytes(
    _ count: Int, _ policy: ImageRequest.CachePolicy, _ test: PipelineUnderTest
  ) async -> Bool {
    await eventually {
      test.core.state.withLock { state in
        state.works.values.contains { $0.cachePolicy == policy && $0.fetch?.bytes.count == count }
      }
    }
  }

  /// Checks that only the second version is in memory and on disk, without a request.
  private func expectStoredReload(
    _ test: PipelineUnderTest, _ directory: TemporaryDirectory, _ url: URL
  ) async throws {
    await test.flush()
    #expect(try await test.pipeline.thumbnail(for: .fit(100, url)).isMade(of: Self.two))
    test.pipeline.removeAllFromMemory()
    #expect(try await test.pipeline.thumbnail(for: .fit(100, url)).isMade(of: Self.two))
    let later = PipelineUnderTest(disk: directory)
    #expect(try await later.pipeline.thumbnail(for: .fit(100, url)).isMade(of: Self.two))
    let resource = ImageResource(identity: url.absoluteString)
    guard case .complete(let entry)? = await later.core.disk?.lookUp(resource, maximumPartBytes: 0) else {
      Issue.record("the reloaded image is not on disk")
      return
    }
    #expect(entry.entityTag == "\"two\"")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.file("images").path)
    #expect(names == [resource.fileName])
  }

  @Test func `an older fetch does not replace a reloaded image`() async throws {
    let directory = try TemporaryDirectory()
    let release = Gate()
    let server = try ScriptedServer { connection in
      while try connection.nextRequest() != nil {
        guard connection.index == 0 else {
          try connection.send(Self.head("two", Self.two))
          try connection.send(Self.two)
          continue
        }
        try connection.send(Self.head("one", Self.one))
        try connection.send(Self.one[..<30_000])
        try connection.wait(for: release)
        try connection.send(Self.one[30_000...])
      }
    }
    let test = PipelineUnderTest(disk: directory)
    let older = test.pipeline.load(.fit(100, server.url()))
    #expect(await waitForBytes(30_000, .use, test))
    let reload = ImageRequest.fit(100, server.url(), .normal, .reload)
    #expect(try await test.pipeline.thumbnail(for: reload).isMade(of: Self.two))
    release.open()
    #expect(try await older.value.isMade(of: Self.one))
    try await expectStoredReload(test, directory, server.url())
    #expect(server.requests.count == 2)
  }

  @Test func `the confirmation of an older version does not change a reloaded image`() async throws {
    let directory = try TemporaryDirectory()
    let asked = Gate()
    let release = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request["If-None-Match"] == "\"one\"" {
          asked.open()
          try connection.wait(for: release)
          try connection.send(Reply(304, headers: [("ETag", "\"one\"")], framing: .none))
        } else {
          let isFirst = connection.index == 0
          try connection.send(isFirst ? Self.head("one", Self.one) : Self.head("two", Self.two))
          try connection.send(isFirst ? Self.one : Self.two)
        }
      }
    }
    let date = ManualDate()
    let test = PipelineUnderTest(disk: directory, date: date)
    #expect(try await test.pipeline.thumbnail(for: .fit(100, server.url())).isMade(of: Self.one))
    date.advance(by: 2_000)
    let older = test.pipeline.load(.fit(100, server.url()))
    #expect(await asked.wait())
    let reload = ImageRequest.fit(100, server.url(), .normal, .reload)
    #expect(try await test.pipeline.thumbnail(for: reload).isMade(of: Self.two))
    release.open()
    // The confirmed bytes are those on disk, which are new.
    #expect(try await older.value.isMade(of: Self.two))
    #expect(server.requests.count == 3)
    await test.flush()
    let resource = ImageResource(identity: server.url().absoluteString)
    guard case .complete(let entry)? = await test.core.disk?.lookUp(resource, maximumPartBytes: 0) else {
      Issue.record("the reloaded image is not on disk")
      return
    }
    #expect(entry.entityTag == "\"two\"")
  }

  @Test func `an older image that is read during a reload is not kept in memory`() async throws {
    let directory = try TemporaryDirectory()
    let release = Gate()
    let server = try ScriptedServer { connection in
      while try connection.nextRequest() != nil {
        guard connection.index > 0 else {
          try connection.send(Self.head("one", Self.one))
          try connection.send(Self.one)
          return
        }
        try connection.send(Self.head("two", Self.two))
        try connection.send(Self.two[..<20_000])
        try connection.wait(for: release)
        try connection.send(Self.two[20_000...])
      }
    }
    let first = PipelineUnderTest(disk: directory)
    #expect(try await first.pipeline.thumbnail(for: .fit(90, server.url())).isMade(of: Self.one))
    await first.flush()
    let test = PipelineUnderTest(disk: directory)
    let reload = test.pipeline.load(.fit(300, server.url(), .normal, .reload))
    #expect(await waitForBytes(20_000, .reload, test))
    let older = try await test.pipeline.thumbnail(for: .fit(100, server.url()))
    #expect(older.isMade(of: Self.one))
    release.open()
    #expect(try await reload.value.isMade(of: Self.two))
    try await expectStoredReload(test, directory, server.url())
    #expect(server.requests.count == 2)
  }
}
