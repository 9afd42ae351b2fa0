#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

/// Several processes use one directory, and are killed at any moment.
@Suite(.timeLimit(.minutes(5)), .serialized) struct CacheProcessTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func startWriter(_ seed: Int) throws -> ChildProcess {
    try ChildProcess(
      [ChildProcess.path(ofProgram: "cache-writer"), folder.url.path, "\(seed)"], isConversing: true)
  }

  /// Checks every response that is found, and returns their number.
  private func checkAll(_ cache: URLCache) throws -> Int {
    var count = 0
    for number in 0..<40 {
      let url = try #require(URL(string: "http://cache.test/\(number)"))
      guard let cached = cache.cachedResponse(for: URLRequest(url: url)) else { continue }
      let response = try #require(cached.response as? HTTPURLResponse)
      let version = try #require(response.value(forHTTPHeaderField: "Version").flatMap { Int($0) })
      let isWhole =
        response.url == url
        && cached.data == Data(repeating: UInt8(version % 251), count: 1 + version * 97 % 60_000)
      #expect(isWhole, "\(url) version \(version) has \(cached.data.count) bytes")
      count += 1
    }
    return count
  }

  private func reader() -> URLCache {
    URLCache(memoryCapacity: 0, diskCapacity: 4 << 20, directory: folder.url)
  }

  @Test func `a process that is killed at any moment leaves only complete entries`() throws {
    var random = SeededRandom(7)
    var found = 0
    for round in 0..<40 {
      let writer = try startWriter(round)
      #expect(writer.readLine() == "stored")
      // The moment of the kill is arbitrary on purpose. No result depends on it.
      usleep(UInt32.random(in: 0..<20_000, using: &random))
      #expect(writer.send(signal: SIGKILL))
      #expect(writer.waitForEnd(within: .seconds(90)) == .signalled(SIGKILL))
      found += try checkAll(reader())
    }
    #expect(found > 400)
  }

  @Test func `several processes share a directory while one reads`() async throws {
    let writers = try (100..<104).map { try startWriter($0) }
    let cache = reader()
    var found = 0
    let deadline = ContinuousClock.now + .seconds(90)
    while found <= 100, ContinuousClock.now < deadline {
      cache.store.disk?.scan()
      found += try checkAll(cache)
    }
    for writer in writers {
      #expect(writer.isRunning)
      writer.send(signal: SIGKILL)
      #expect(writer.waitForEnd(within: .seconds(90)) == .signalled(SIGKILL))
    }
    #expect(found > 100)
    let last = reader()
    last.store.disk?.scan()
    #expect(last.currentDiskUsage <= 4 << 20)
    #expect(try checkAll(last) > 0)
  }
}
#endif
