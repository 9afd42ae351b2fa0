import Caches
import TestSupport
import Testing

struct LRUCacheTests {
  @Test func `the least recently used values are removed for a new one`() {
    var cache = LRUCache<String, Int>(limit: 30)
    for (index, key) in ["a", "b", "c"].enumerated() {
      #expect(cache.insert(index, for: key, cost: 10) == [])
    }
    #expect(cache.value(for: "a") == 0)
    #expect(cache.insert(3, for: "d", cost: 15) == ["b", "c"])
    #expect(cache.keys == ["a", "d"])
    #expect(cache.cost == 25)
  }

  @Test func `peeking does not mark a value as used`() {
    var cache = LRUCache<String, Int>(limit: 2)
    _ = cache.insert(1, for: "a", cost: 1)
    _ = cache.insert(2, for: "b", cost: 1)
    #expect(cache.peek("a") == 1)
    #expect(cache.insert(3, for: "c", cost: 1) == ["a"])
  }

  @Test func `a value larger than the cache is not inserted`() {
    var cache = LRUCache<String, Int>(limit: 10)
    _ = cache.insert(1, for: "a", cost: 5)
    #expect(cache.insert(2, for: "b", cost: 11) == [])
    #expect(cache.keys == ["a"])
    #expect(cache.insert(2, for: "a", cost: 11) == ["a"])
    #expect(cache.count == 0 && cache.cost == 0)
  }

  @Test(arguments: 0..<20) func `the cache behaves like a simple model`(seed: UInt64) {
    var generator = SeededRandom(seed)
    var cache = LRUCache<Int, Int>(limit: 50)
    var model: [(key: Int, value: Int, cost: Int)] = []
    for step in 0..<500 {
      let key = Int.random(in: 0..<12, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        let cost = Int.random(in: 0..<25, using: &generator)
        let evictedKeys = cache.insert(step, for: key, cost: cost)
        model.removeAll { $0.key == key }
        model.append((key, step, cost))
        var expected: [Int] = []
        while model.reduce(0, { $0 + $1.cost }) > 50 { expected.append(model.removeFirst().key) }
        #expect(evictedKeys == expected)
      case 2:
        let place = model.firstIndex { $0.key == key }
        #expect(cache.value(for: key) == place.map { model[$0].value })
        if let place { model.append(model.remove(at: place)) }
      default:
        #expect(cache.remove(key) == model.contains { $0.key == key })
        model.removeAll { $0.key == key }
      }
      #expect(cache.keys == model.map(\.key))
      #expect(cache.cost == model.reduce(0) { $0 + $1.cost })
    }
  }
}
