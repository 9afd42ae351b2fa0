#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct CacheStorageTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var directory: String { folder.path("cache") }

  private func entry(
    _ path: String, size: Int = 100, byte: UInt8 = 1, vary: String? = nil, at time: Date = moment()
  )
    -> StoredEntry
  {
    let url = URL(string: "http://cache.test/\(path)")!
    let selection = vary.map { VarySelection(names: ["foo"], values: [$0]) } ?? VarySelection()
    let head = StoredHead(
      key: CacheKey(url)!, url: url, kind: .http(status: 200, version: "HTTP/1.1", isFromNetwork: true),
      fields: HeaderFields(pairs: [("A", "1"), ("B", "é")]), selection: selection, requestTime: time,
      responseTime: time)
    return StoredEntry(head: head, body: Data(repeating: byte, count: size))
  }

  private func key(_ path: String) -> CacheKey { entry(path).head.key }

  private func flush(_ store: DiskStore) async {
    await withCheckedContinuation { continuation in store.flush { continuation.resume() } }
  }

  private var fileNames: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
  }

  // MARK: Files

  @Test func `a stored response is read again by another store`() async throws {
    let first = DiskStore(directory: directory, capacity: 1 << 20)
    var stored = entry("a", size: 5000, vary: "1")
    stored.userInfo = StoredEntry.UserInfo(values: ["name": "value"])
    first.store(stored)
    await flush(first)
    let second = DiskStore(directory: directory, capacity: 1 << 20)
    let found = try #require(second.entries(for: key("a")).first)
    #expect(found.head == stored.head && found.body == stored.body)
    #expect(found.userInfo?.values["name"] as? String == "value")
    #expect(second.entries(for: key("b")).isEmpty)
    await flush(second)
    #expect(second.usage == first.usage && second.usage > 5000)
  }

  @Test func `a response is found before it is written`() {
    let store = DiskStore(directory: directory, capacity: 1 << 20)
    store.queue.suspend()
    store.store(entry("a"))
    #expect(store.mayContain(key("a")) && store.entries(for: key("a")).count == 1)
    store.remove(key("a"))
    #expect(!store.mayContain(key("a")) && store.entries(for: key("a")).isEmpty)
    store.store(entry("a", byte: 2))
    #expect(store.entries(for: key("a")).map { $0.body.first } == [2])
    store.removeAll()
    #expect(!store.mayContain(key("a")))
    store.queue.resume()
  }

  @Test func `files and their directory are private, and their names are hashes`() async throws {
    let store = DiskStore(directory: directory, capacity: 1 << 20)
    store.store(entry("secret"))
    await flush(store)
    var status = stat()
    #expect(stat(directory, &status) == 0 && status.st_mode & 0o777 == 0o700)
    let name = try #require(fileNames.first)
    #expect(stat(directory + "/" + name, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(DiskIndex.isName(name) && !name.contains("secret"))
  }

  @Test func `an existing directory becomes private`() async throws {
    #expect(mkdir(directory, 0o777) == 0)
    let store = DiskStore(directory: directory, capacity: 1 << 20)
    store.store(entry("a"))
    await flush(store)
    var status = stat()
    #expect(stat(directory, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func `a store without a usable directory keeps working in memory`() async throws {
    try folder.write(Data(), to: "cache")
    let store = ResponseStore(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: directory)
    store.store(entry("a"))
    await flush(store.disk!)
    #expect(store.allEntries(for: key("a")).count == 1)
    store.removeAll()
    await flush(store.disk!)
    #expect(store.allEntries(for: key("a")).isEmpty)
  }

  @Test func `a file that is cut or damaged at any byte is not served`() async throws {
    let store = DiskStore(directory: directory, capacity: 1 << 20)
    store.store(entry("a", size: 40))
    await flush(store)
    let path = directory + "/" + (try #require(fileNames.first))
    let contents = try Data(contentsOf: URL(fileURLWithPath: path))
    for length in 0..<contents.count {
      #expect(EntryCoding.decode(contents.prefix(length)) == nil)
      var damaged = contents
      damaged[length] ^= 0x10
      let found = EntryCoding.decode(damaged)
      // The last number of the prefix is reserved.
      #expect(found == nil || 40..<48 ~= length, "\(length)")
    }
    #expect(EntryCoding.decode(contents + [0]) == nil)
    try contents.dropLast().write(to: URL(fileURLWithPath: path))
    #expect(store.entries(for: key("a")).isEmpty)
    #expect(fileNames.isEmpty)
  }

  @Test(arguments: 0..<40) func `random bytes are not an entry`(seed: UInt64) {
    var random = SeededRandom(seed)
    let stored = entry("a", size: 30)
    var contents = EntryCoding.encodedHead(of: stored)! + stored.body
    for _ in 0..<Int.random(in: 1..<20, using: &random) {
      contents[Int.random(in: 0..<40, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    _ = EntryCoding.decode(contents)
    #expect(EntryCoding.decode(Data((0..<200).map { _ in UInt8.random(in: 0...255, using: &random) })) == nil)
  }

  @Test func `an entry of another URL under the same name is not served`() async throws {
    let store = DiskStore(directory: directory, capacity: 1 << 20)
    store.store(entry("a"))
    await flush(store)
    let name = DiskIndex.name(of: entry("b").head)
    try FileManager.default.moveItem(atPath: directory + "/" + fileNames[0], toPath: directory + "/" + name)
    store.queue.sync { store.scan() }
    #expect(store.mayContain(key("b")))
    #expect(store.entries(for: key("b")).isEmpty)
  }

  // MARK: Capacity

  @Test func `the least recently used files are removed`() async throws {
    let store = DiskStore(directory: directory, capacity: 40_000)
    for index in 0..<20 { store.store(entry("\(index)", size: 1500)) }
    await flush(store)
    #expect(store.usage <= 40_000)
    #expect(store.entries(for: key("0")).count == 1)
    for index in 20..<40 {
      store.store(entry("\(index)", size: 1500))
      await flush(store)
      #expect(store.entries(for: key("0")).count == 1)
    }
    #expect(store.entries(for: key("1")).isEmpty && store.entries(for: key("39")).count == 1)
    #expect(store.usage <= 40_000)
    store.setCapacity(4000)
    await flush(store)
    #expect(store.usage <= 4000 && fileNames.count <= 2)
  }

  @Test func `files that this process has written are not used by being reported`() async throws {
    let store = DiskStore(directory: directory, capacity: 40_000)
    for index in 0..<20 { store.store(entry("\(index)", size: 1500)) }
    await flush(store)
    // The look-up learns of the 20 new files, and the queue looks at them.
    #expect(store.entries(for: key("none")).isEmpty)
    await flush(store)
    for index in 20..<40 { store.store(entry("\(index)", size: 1500)) }
    await flush(store)
    let kept = (0..<40).filter { !store.entries(for: key("\($0)")).isEmpty }
    #expect(kept == Array((40 - kept.count)..<40))
  }

  @Test func `an entry of more than a twentieth of the capacity is not stored and removes an older one`()
    async
  {
    let store = ResponseStore(memoryCapacity: 40_000, diskCapacity: 40_000, directory: directory)
    store.store(entry("a", size: 1000))
    await flush(store.disk!)
    store.store(entry("a", size: 2000))
    await flush(store.disk!)
    #expect(store.allEntries(for: key("a")).isEmpty)
    #expect(fileNames.isEmpty && store.memoryUsage == 0)
  }

  @Test func `files that vanish do not disturb the store`() async throws {
    let store = DiskStore(directory: directory, capacity: 40_000)
    for index in 0..<10 { store.store(entry("\(index)", size: 1500)) }
    await flush(store)
    for name in fileNames { unlink(directory + "/" + name) }
    #expect(store.entries(for: key("1")).isEmpty)
    for index in 20..<60 { store.store(entry("\(index)", size: 1500)) }
    await flush(store)
    #expect(store.usage <= 40_000 && store.entries(for: key("59")).count == 1)
    try FileManager.default.removeItem(atPath: directory)
    store.store(entry("a"))
    await flush(store)
    #expect(store.entries(for: key("a")).count == 1)
  }

  @Test func `temporary files of killed processes are removed after a while`() async throws {
    #expect(mkdir(directory, 0o700) == 0)
    let name = "." + DiskIndex.name(of: entry("a").head)
    try Data([1]).write(to: folder.file("cache/\(name).aBc123"))
    try Data([1]).write(to: folder.file("cache/\(name).aBc124"))
    try Data([1]).write(to: folder.file("cache/notes"))
    var times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, directory + "/\(name).aBc123", &times, 0) == 0)
    let store = DiskStore(directory: directory, capacity: 1 << 20)
    await flush(store)
    #expect(fileNames == ["\(name).aBc124", "notes"])
    #expect(store.usage == 0)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `an entry whose time is not a number is damaged`(seconds: Double) throws {
    let damaged = entry("a", at: Date(timeIntervalSinceReferenceDate: seconds))
    let head = try #require(EntryCoding.encodedHead(of: damaged))
    #expect(EntryCoding.decode(head + damaged.body) == nil)
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give a file away."), arguments: [true, false])
  func `a directory or a file of another user is not read`(isDirectory: Bool) async throws {
    let first = DiskStore(directory: directory, capacity: 1 << 20)
    first.store(entry("a"))
    await flush(first)
    #expect(DiskStore(directory: directory, capacity: 1 << 20).entries(for: key("a")).count == 1)
    let name = try #require(fileNames.first)
    #expect(chown(isDirectory ? directory : directory + "/" + name, 65_534, 65_534) == 0)
    let second = DiskStore(directory: directory, capacity: 1 << 20)
    #expect(second.entries(for: key("a")).isEmpty)
    await flush(second)
    #expect(second.entries(for: key("a")).isEmpty && second.usage == 0)
    // What another user has is left alone.
    second.removeAll()
    await flush(second)
    #expect(fileNames == [name])
  }

  @Test func `responses since a date are removed`() async {
    let store = ResponseStore(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: directory)
    store.store(entry("old", at: moment(-10)))
    store.store(entry("new", at: moment(10)))
    store.removeAll(since: moment())
    #expect(store.allEntries(for: key("old")).count == 1 && store.allEntries(for: key("new")).isEmpty)
    await flush(store.disk!)
    let reopened = DiskStore(directory: directory, capacity: 1 << 20)
    #expect(reopened.entries(for: key("old")).count == 1 && reopened.entries(for: key("new")).isEmpty)
  }

  // MARK: Several stores

  @Test func `files of another store are found after the directory was read again`() async {
    let first = DiskStore(directory: directory, capacity: 1 << 20)
    let second = DiskStore(directory: directory, capacity: 1 << 20)
    second.store(entry("a"))
    await flush(second)
    first.queue.sync { first.scan() }
    #expect(first.mayContain(key("a")) && first.entries(for: key("a")).count == 1)
    second.remove(key("a"))
    await flush(second)
    #expect(first.entries(for: key("a")).isEmpty && !first.mayContain(key("a")))
  }

  @Test func `a newer response of another process replaces the one in memory`() async {
    let first = ResponseStore(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: directory)
    first.store(entry("a", byte: 1, at: moment()))
    await flush(first.disk!)
    let second = DiskStore(directory: directory, capacity: 1 << 20)
    second.store(entry("a", byte: 2, at: moment(5)))
    await flush(second)
    #expect(first.allEntries(for: key("a")).map { $0.body.first } == [2])
    #expect(first.allEntries(for: key("a")).count == 1)
  }
}
#endif
