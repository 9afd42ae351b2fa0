#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The stores behave like a dictionary, in any order of the calls.
@Suite(.timeLimit(.minutes(5))) struct CacheStoreModelTests {
  private struct Identity: Hashable {
    let key: CacheKey
    let selection: VarySelection
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `stores in memory and on disk behave like a dictionary`(seed: UInt64) async throws {
    let folder = try TemporaryDirectory()
    func open() -> ResponseStore {
      ResponseStore(
        memoryCapacity: seed % 3 == 0 ? 0 : 8 << 20, diskCapacity: 8 << 20, directory: folder.path("cache"))
    }
    var store = open()
    var model: [Identity: Data] = [:]
    var random = SeededRandom(seed)
    for step in 0..<150 {
      let url = try #require(URL(string: "http://cache.test/\(Int.random(in: 0..<6, using: &random))"))
      let key = try #require(CacheKey(url))
      let variant = ["1", "2", nil].randomElement(using: &random)!
      let selection = VarySelection(names: ["foo"], values: [variant])
      let head = StoredHead(
        key: key, url: url, kind: .http(status: 200, version: nil, isFromNetwork: true),
        fields: HeaderFields(),
        selection: selection, requestTime: moment(Double(step)), responseTime: moment(Double(step)))
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9:
        let body = Data("\(step)".utf8)
        store.store(StoredEntry(head: head, body: body))
        model[Identity(key: key, selection: selection)] = body
      case 9:
        store.remove(key)
        model = model.filter { $0.key.key != key }
      case 10:
        store.remove(head)
        model[Identity(key: key, selection: selection)] = nil
      case 11 where step % 5 == 0:
        store.removeAll()
        model = [:]
      case 12:
        await withCheckedContinuation { continuation in store.disk?.flush { continuation.resume() } }
        store = open()
      default: break
      }
      let found = store.allEntries(for: key)
      let expected = model.filter { $0.key.key == key }
      #expect(
        Dictionary(found.map { ($0.head.selection, $0.body) }) { a, _ in a }
          == Dictionary(expected.map { ($0.key.selection, $0.value) }) { a, _ in a }, "step \(step)")
      #expect(found.count == expected.count)
    }
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `the store in memory keeps to its capacity and never returns another entry`(seed: UInt64) throws {
    var store = MemoryStore(capacity: 20_000)
    var model: [Identity: Int] = [:]
    var random = SeededRandom(seed)
    for step in 0..<500 {
      let url = try #require(URL(string: "http://cache.test/\(Int.random(in: 0..<12, using: &random))"))
      let key = try #require(CacheKey(url))
      let variant = "\(Int.random(in: 0..<12, using: &random))"
      let selection = VarySelection(names: ["foo"], values: [variant])
      let head = StoredHead(
        key: key, url: url, kind: .http(status: 200, version: nil, isFromNetwork: true),
        fields: HeaderFields(),
        selection: selection, requestTime: moment(), responseTime: moment())
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let body = Data(repeating: 1, count: step)
        store.insert(StoredEntry(head: head, body: body))
        model[Identity(key: key, selection: selection)] = step
      case 5:
        store.remove(key)
        model = model.filter { $0.key.key != key }
      case 6: store.setCapacity(Int.random(in: 15_000..<25_000, using: &random))
      default: break
      }
      let found = store.entries(for: key)
      #expect(found.allSatisfy { model[Identity(key: key, selection: $0.head.selection)] == $0.body.count })
      #expect(found.count <= MemoryStore.maximumVariants)
      #expect(store.usage <= store.capacity)
    }
  }
}
#endif
