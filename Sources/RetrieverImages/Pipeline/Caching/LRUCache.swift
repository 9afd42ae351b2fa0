/// Values by key, of which those not used for longest give way when the cost of all is over a limit.
///
/// Every operation takes constant time, but that many are removed at once when they give way at once. It can be inlined, so
/// that other modules have it made for their own types.
package struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
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

  package let limit: Int
  @usableFromInline package internal(set) var cost: Int
  @usableFromInline var places: [Key: Int]
  @usableFromInline var nodes: [Node?]
  @usableFromInline var free: [Int]
  @usableFromInline var newest: Int?
  @usableFromInline var oldest: Int?

  @inlinable package init(limit: Int) {
    self.limit = max(0, limit)
    cost = 0
    places = [:]
    nodes = []
    free = []
  }

  @inlinable package var count: Int { places.count }

  /// The keys, the least recently used first. For tests.
  @inlinable package var keys: [Key] {
    var keys: [Key] = []
    var place = oldest
    while let index = place, let node = nodes[index] {
      keys.append(node.key)
      place = node.newer
    }
    return keys
  }

  /// The value, which counts as used.
  @inlinable package mutating func value(for key: Key) -> Value? {
    guard let place = places[key], let node = nodes[place] else { return nil }
    if place != newest {
      unlink(place)
      link(place)
    }
    return node.value
  }

  /// The value; using it this way does not count.
  @inlinable package func peek(_ key: Key) -> Value? { places[key].flatMap { nodes[$0]?.value } }

  /// Puts a value in, and returns the keys that had to give way. What costs more than the limit is not taken.
  @inlinable package mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Key] {
    let cost = max(0, cost)
    let wasThere = remove(key)
    guard cost <= limit else { return wasThere ? [key] : [] }
    let place = free.popLast() ?? nodes.count
    let node = Node(key: key, value: value, cost: cost)
    if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
    places[key] = place
    link(place)
    self.cost += cost
    var victims: [Key] = []
    while self.cost > limit, let victim = oldest.flatMap({ nodes[$0]?.key }) {
      remove(victim)
      victims.append(victim)
    }
    return victims
  }

  @discardableResult
  @inlinable package mutating func remove(_ key: Key) -> Bool {
    guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return false }
    unlink(place)
    cost -= node.cost
    nodes[place] = nil
    free.append(place)
    return true
  }

  @inlinable package mutating func removeAll() { self = LRUCache(limit: limit) }

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
