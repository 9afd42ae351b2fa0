import Foundation
import Retriever
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct DiskCacheSweepTests {
  private static let fresh = [("Cache-Control", "max-age=1000"), ("ETag", "\"one\"")]
  private static let year: TimeInterval = 365 * 86_400

  private func files(_ directory: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.file("images").path).sorted()
  }

  /// Makes a cache whose clock is ahead of the file system's. With a year, every file of an earlier cache is expired.
  private func makeCache(_ directory: TemporaryDirectory, ahead: TimeInterval = 0) throws -> DiskCache {
    let cache = DiskCache(
      DiskCacheOptions(directory: directory.file("images")), now: { Date() + ahead })
    return try #require(cache)
  }

  @Test func `the least recently used file is removed`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, body: Data(count: 20_000)) }
    let date = ManualDate()
    let test = PipelineUnderTest(disk: directory, date: date) { $0.diskCache?.sizeLimit = 100_000 }
    await test.flush()
    for number in 0..<4 {
      date.advance(by: 10)
      _ = try await test.pipeline.image(from: server.url("/\(number)"))
      await test.flush()
    }
    date.advance(by: 10)
    test.pipeline.removeAllFromMemory()
    _ = try await test.pipeline.image(from: server.url("/0"))
    await test.flush()
    date.advance(by: 10)
    _ = try await test.pipeline.image(from: server.url("/4"))
    await test.flush()
    await test.flush()
    let kept = try files(directory)
    let names = (0..<5).map { ImageResource(identity: server.url("/\($0)").absoluteString).fileName }
    #expect(kept.contains(names[0]) && kept.contains(names[4]) && !kept.contains(names[1]))
    #expect(kept.count == 4)
  }

  @Test func `expired images are removed, files of other programs are not`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(headers: Self.fresh, text: "image") }
    let date = ManualDate()
    let first = PipelineUnderTest(disk: directory, date: date)
    _ = try await first.pipeline.image(from: server.url())
    await first.flush()
    try Data("mine".utf8).write(to: directory.file("images").appendingPathComponent("notes.txt"))
    date.advance(by: 31 * 86_400)
    let second = PipelineUnderTest(disk: directory, date: date)
    await second.flush()
    #expect(try files(directory) == ["notes.txt"])
  }

  @Test func `a sweep does not remove a file that is being written`() async throws {
    let directory = try TemporaryDirectory()
    let cache = try makeCache(directory, ahead: Self.year)
    let resource = ImageResource(identity: "http://example.com/dog.jpg")
    let writer = cache.write(resource, CacheEntry(identity: resource.identity, freshness: .never))
    writer.append(Data("image".utf8))
    await cache.flush()
    cache.sweep()
    await cache.finishSweeping()
    writer.commit()
    await cache.flush()
    #expect(await cache.read(resource)?.1 == Data("image".utf8))
    cache.sweep()
    await cache.finishSweeping()
    #expect(try files(directory) == [resource.fileName])
  }

  @Test func `a sweep removes an expired partial file that nobody writes`() async throws {
    let directory = try TemporaryDirectory()
    let resource = ImageResource(identity: "http://example.com/dog.jpg")
    do {
      let cache = try makeCache(directory)
      let writer = cache.write(resource, CacheEntry(identity: resource.identity, freshness: .never))
      writer.append(Data("ima".utf8))
      writer.end(keepsPart: true)
      await cache.flush()
    }
    #expect(try files(directory) == [resource.fileName + ".part"])
    let later = try makeCache(directory, ahead: Self.year)
    await later.finishSweeping()
    #expect(try files(directory) == [])
  }
}
