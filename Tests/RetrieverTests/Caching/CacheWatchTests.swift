#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

/// A cache finds the files of other processes promptly. Here, the other process is another store.
@Suite(.timeLimit(.minutes(5))) struct CacheWatchTests {
  private let folder: TemporaryDirectory
  private var directory: String { folder.path("cache") }

  init() throws { folder = try TemporaryDirectory() }

  private func key(_ name: String) -> CacheKey { CacheKey(URL(string: "http://cache.test/\(name)"))! }

  private func entry(_ name: String, size: Int = 10) -> StoredEntry {
    StoredEntry(
      head: StoredHead(
        key: key(name), url: URL(string: "http://cache.test/\(name)")!,
        kind: .http(status: 200, version: nil, isFromNetwork: true), fields: HeaderFields(),
        requestTime: moment(), responseTime: moment()), body: Data(repeating: 1, count: size))
  }

  private func store(capacity: Int = 1 << 20) -> DiskStore {
    DiskStore(directory: directory, capacity: capacity)
  }

  private func flush(_ store: DiskStore) async {
    await withCheckedContinuation { done in store.flush { done.resume() } }
  }

  @Test func `a file of another process is found by the next look-up`() async {
    let (first, second) = (store(), store())
    first.store(entry("a"))
    await flush(first)
    // The directory exists now, so the second store watches it as soon as it has looked.
    second.store(entry("b"))
    await flush(second)
    for number in 0..<50 {
      first.store(entry("\(number)"))
      await flush(first)
      #expect(second.mayContain(key("\(number)")))
      #expect(second.entries(for: key("\(number)")).count == 1)
    }
    for store in [first, second] {
      #expect(!store.mayContain(key("none")))
      await flush(store)
    }
    #expect(second.usage == first.usage)
  }

  @Test func `a session finds the response of another process immediately`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(headers: [("Cache-Control", "max-age=60")], text: request.path)
    }
    let directory = folder.url.appendingPathComponent("cache", isDirectory: true)
    func cache() -> URLCache {
      URLCache(memoryCapacity: 1 << 20, diskCapacity: 8 << 20, directory: directory)
    }
    let (one, two) = (cache(), cache())
    let first = URLSession.forTest { $0.urlCache = one }
    let second = URLSession.forTest { $0.urlCache = two }
    for session in [first, second] {
      _ = try await session.data(from: server.url("/\(session === first)"))
      for disk in [one, two].compactMap(\.store.disk) { await flush(disk) }
    }
    for number in 0..<10 {
      let url = server.url("/\(number)")
      _ = try await first.data(from: url)
      await flush(try #require(one.store.disk))
      _ = try await second.data(from: url)
    }
    #expect(server.requests.count == 12)
  }

  @Test func `files that another process has removed or replaced are noticed`() async {
    let (first, second) = (store(), store())
    first.store(entry("a", size: 1000))
    await flush(first)
    second.store(entry("b"))
    await flush(second)
    _ = second.mayContain(key("a"))
    await flush(second)
    #expect(second.mayContain(key("a")))
    first.remove(key("a"))
    await flush(first)
    _ = second.mayContain(key("none"))
    await flush(second)
    #expect(!second.mayContain(key("a")))
    first.store(entry("b", size: 5000))
    await flush(first)
    _ = second.mayContain(key("none"))
    await flush(second)
    #expect(second.usage > 5000 && second.entries(for: key("b")).map(\.body.count) == [5000])
  }

  @Test func `a directory that is created later, or removed and created again, is found`() async throws {
    let second = store()
    #expect(!second.mayContain(key("a")))
    for round in 0..<3 {
      let first = store()
      first.store(entry("a\(round)"))
      await flush(first)
      #expect(await eventually { second.mayContain(key("a\(round)")) })
      #expect(second.entries(for: key("a\(round)")).count == 1)
      try FileManager.default.removeItem(atPath: directory)
      let isGone = await eventually {
        // Only an unknown URL makes the store look.
        _ = second.mayContain(key("none"))
        return !second.mayContain(key("a\(round)"))
      }
      #expect(isGone)
    }
    second.store(entry("own"))
    await flush(second)
    #expect(store().entries(for: key("own")).count == 1)
  }

  @Test func `files of other processes count towards the capacity`() async {
    let (first, second) = (store(capacity: 1 << 20), store(capacity: 1 << 20))
    first.store(entry("a"))
    await flush(first)
    second.store(entry("b"))
    await flush(second)
    for number in 0..<60 {
      (number % 2 == 0 ? first : second).store(entry("\(number)", size: 40_000))
      for store in [first, second] {
        await flush(store)
        _ = store.mayContain(key("none"))
        await flush(store)
      }
    }
    #expect(first.usage <= 1 << 20 && second.usage <= 1 << 20)
    let onDisk = first.scanFiles().reduce(0) { $0 + $1.size }
    #expect(onDisk <= 1 << 20)
  }

  @Test func `lost changes make the store read the directory again`() async throws {
    let (first, second) = (store(), store())
    first.store(entry("a"))
    await flush(first)
    second.store(entry("b"))
    await flush(second)
    first.store(entry("c"))
    await flush(first)
    // As after an overflow in the kernel: the change is not reported.
    _ = second.state.withLock { $0.watch?.changes() }
    #expect(!second.mayContain(key("c")))
    second.state.withLock { $0.mustScan = true }
    #expect(second.mayContain(key("c")) && second.entries(for: key("c")).count == 1)
    second.scan()
    #expect(second.mayContain(key("c")))
  }

  @Test func `look-ups in memory cost no system call, and few microseconds`() async throws {
    let store = ResponseStore(memoryCapacity: 8 << 20, diskCapacity: 8 << 20, directory: directory)
    store.store(entry("a"))
    await flush(try #require(store.disk))
    let clock = ContinuousClock()
    var best = Duration.seconds(1)
    for _ in 0..<20 {
      let time = clock.measure { for _ in 0..<100 { _ = store.find(key("a")) } }
      best = min(best, time / 100)
    }
    // The bound is wide, for a build without optimisation.
    #expect(best < .microseconds(200), "\(best)")
  }
}
#endif
