/// A cache that removes the least recently used values when the total cost exceeds a limit.
///
/// Every operation takes constant time, plus the time to remove values. The type can be inlined, so that other modules
/// can specialize it for their own types.
public struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline struct Node: Sendable {
    @usableFromInline let key: Key
    @usableFromInline var value: Value
    @usableFromInline var cost: Int
    @usableFromInline var newer: Int?
    @usableFromInline var older: Int?

    @inlinable init(key: Key, value: Value, cost: Int) {
      self.key = key
      self.value = value
      self.cost = cost
    }
  }

  @usableFromInline var maximum: Int
  @usableFromInline var total: Int
  @usableFromInline var places: [Key: Int]
  @usableFromInline var nodes: [Node?]
  @usableFromInline var free: [Int]
  @usableFromInline var newest: Int?
  @usableFromInline var oldest: Int?

  /// Creates an empty cache. Without a positive limit, it stores only values that cost nothing.
  @inlinable public init(limit: Int) {
    maximum = max(0, limit)
    total = 0
    places = [:]
    nodes = []
    free = []
  }

  /// The maximum total cost.
  @inlinable public var limit: Int { maximum }

  /// The total cost of the values.
  @inlinable public var cost: Int { total }

  /// The number of values.
  @inlinable public var count: Int { places.count }

  /// The keys, the least recently used first. For tests.
  @inlinable public var keys: [Key] {
    var keys: [Key] = []
    var place = oldest
    while let index = place, let node = nodes[index] {
      keys.append(node.key)
      place = node.newer
    }
    return keys
  }

  /// Returns a value and marks it as used.
  @inlinable public mutating func value(for key: Key) -> Value? {
    guard let place = places[key], let node = nodes[place] else { return nil }
    if place != newest {
      unlink(place)
      link(place)
    }
    return node.value
  }

  /// Returns a value without marking it as used.
  @inlinable public func peek(_ key: Key) -> Value? { places[key].flatMap { nodes[$0]?.value } }

  /// Inserts a value, and returns the keys that were removed. A value that costs more than the limit is not inserted.
  @inlinable public mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Key] {
    let cost = max(0, cost)
    let wasPresent = remove(key)
    guard cost <= limit else { return wasPresent ? [key] : [] }
    let place = free.popLast() ?? nodes.count
    let node = Node(key: key, value: value, cost: cost)
    if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
    places[key] = place
    link(place)
    total += cost
    return evict()
  }

  /// Changes the limit, and returns the keys that were removed.
  @inlinable public mutating func setLimit(_ limit: Int) -> [Key] {
    maximum = max(0, limit)
    return evict()
  }

  @inlinable mutating func evict() -> [Key] {
    var evictedKeys: [Key] = []
    while total > limit, let oldestKey = oldest.flatMap({ nodes[$0]?.key }) {
      remove(oldestKey)
      evictedKeys.append(oldestKey)
    }
    return evictedKeys
  }

  /// Removes a value. Returns false if there was none.
  @discardableResult
  @inlinable public mutating func remove(_ key: Key) -> Bool {
    guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return false }
    unlink(place)
    total -= node.cost
    nodes[place] = nil
    free.append(place)
    return true
  }

  /// Removes all values.
  @inlinable public mutating func removeAll() { self = LRUCache(limit: limit) }

  @inlinable mutating func link(_ place: Int) {
    nodes[place]?.older = newest
    nodes[place]?.newer = nil
    if let newest { nodes[newest]?.newer = place }
    newest = place
    if oldest == nil { oldest = place }
  }

  @inlinable mutating func unlink(_ place: Int) {
    guard let node = nodes[place] else { return }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
  }
}
